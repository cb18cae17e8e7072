"""A real small model over the real protocol chunks a chapter of a book.

SmolLM2-135M answers this task at chance, which makes it a good trial of everything but quality.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator

import pytest

from chunkers.base import unwatched
from chunkers.lumber import Lumber
from chunkers.pickers import ChatPicker
from core.protocols import Count, uncounted
from core.values import Span
from service.chat import OpenAIChat
from service.provider import Endpoint
from service.sample import FOLDER
from tests.support.llama_server import packaged_model, small_model

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        importlib.util.find_spec("xllamacpp") is None or packaged_model() is None,
        reason="no small model is installed: make test-slow brings it",
    ),
]


class PlainText(OpenAIChat):
    """The same model, as if its server knew no JSON schema."""

    def keeps_schema(self, count: Count = uncounted) -> bool:  # noqa: ARG002 - nobody is asked
        return False


@pytest.fixture(scope="module")
def endpoint() -> Iterator[Endpoint]:
    with small_model() as url:
        yield Endpoint(f"{url}/v1", "none", timeout=120, retries=0)


@pytest.fixture(scope="module")
def chapter(request: pytest.FixtureRequest) -> str:
    """The first chapter of *Alice's Adventures in Wonderland*, else as much of our own story."""
    try:
        (book,) = (request.getfixturevalue("data_root") / "books").glob("Alice's*.md")
    except pytest.skip.Exception:
        book = FOLDER / "the_tide_book.md"
    with book.open(encoding="utf-8", newline="") as file:
        text = file.read()
    starts = [heading.start() for heading in re.finditer(r"^## Chapter", text, re.MULTILINE)]
    return Span(starts[0], next(start for start in starts if start - starts[0] > 9_000)).of(text)


def assert_tiled(text: str, spans: list[Span]) -> None:
    ends = [0, *(span.end for span in spans)]
    starts = [*(span.start for span in spans), len(text)]
    assert all(end <= start for end, start in zip(ends, starts, strict=True))
    assert not any(text[end:start].strip() for end, start in zip(ends, starts, strict=True))


def test_held_to_a_schema_every_reply_of_a_small_model_is_a_pick(endpoint: Endpoint, chapter: str) -> None:
    chat = OpenAIChat("smollm2", endpoint)
    cut = Lumber(ChatPicker(chat)).cut(chapter, unwatched)
    assert_tiled(chapter, list(cut.spans))
    assert chat.notices() == (f"smollm2 at {endpoint.base_url} keeps to a JSON schema: it is asked for JSON",)
    assert cut.counts["asked"] == cut.counts["calls"] > 3
    assert cut.counts["probed"] == 1
    assert not [name for name in cut.counts if name.startswith("reply:")]
    assert cut.counts.get("asked again", 0) == cut.counts["kept whole"] == 0


def test_asked_for_text_its_replies_are_picks_or_counted(endpoint: Endpoint, chapter: str) -> None:
    cut = Lumber(ChatPicker(PlainText("smollm2", endpoint)), on_failure="keep").cut(chapter, unwatched)
    assert_tiled(chapter, list(cut.spans))
    counts = cut.counts
    assert counts["asked"] == counts["calls"] > 3
    unusable = sum(number for name, number in counts.items() if name.startswith("reply:"))
    assert unusable == counts.get("asked again", 0) + counts.get("no pick", 0)
    assert counts.get("asked again", 0) <= 2 * counts["asked"]
    assert counts["kept whole"] == counts.get("no pick", 0)
    assert any("stayed whole" in notice for notice in cut.notices) == (counts["kept whole"] > 0)
