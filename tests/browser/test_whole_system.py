from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from service.sample import FOLDER
from tests.browser.conftest import served
from tests.browser.test_chat_page import (
    HOSTILE_LINES,
    HOSTILE_NAME,
    assert_nothing_was_rendered,
    hostile_book,
)
from tests.browser.visit import Visit

pytestmark = pytest.mark.browser

Open = Callable[..., Visit]
EVIDENCE = {
    line["question"]: line["evidence"]
    for line in map(json.loads, (FOLDER / "questions.jsonl").read_text(encoding="utf-8").splitlines())
}


@pytest.fixture(scope="module")
def data_directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("whole")


@pytest.fixture(scope="module")
def server(data_directory: Path) -> Iterator[str]:
    command = ["-m", "service.cli", "serve", "--port", "0", "--data-dir", str(data_directory)]
    with served(command, data_directory / "uploads") as url:
        yield url


def test_a_first_visit_asks_reads_adds_and_survives_what_goes_wrong(visit: Open, server: str) -> None:
    here = visit(server)
    examples = here.page.locator("#sawyer-examples button")
    assert examples.count() == 3
    for example in examples.all():
        answer = here.press(example)
        sentence = answer.locator(".sawyer-sentence").inner_text()
        assert answer.locator("mark").inner_text() == sentence
        assert "The Tide Book" in answer.locator(".sawyer-source").inner_text()
        evidence = EVIDENCE[example.inner_text()]
        assert evidence in sentence or sentence in evidence

    refused = here.ask("What was the name of Mr. Quince's wife?")
    assert refused.locator(".sawyer-verdict").inner_text() == "Not in this text"
    assert refused.locator(".sawyer-closest").count() == 3

    failed, added = here.upload(("program.txt", b"\x7fELF\x00\x01"), (HOSTILE_NAME, hostile_book("zebra")))
    assert failed.startswith("program.txt was not added: ")
    assert added.startswith(f"{HOSTILE_NAME} is ready")
    assert not examples.first.is_visible()
    question = "What did the zebra say of window.taken, script, style, href and the pixel elsewhere.invalid?"
    shown = here.ask(question).inner_text()
    assert [line for line in HOSTILE_LINES if line not in shown] == []
    assert_nothing_was_rendered(here)


def test_a_page_of_its_own_finds_the_running_server(
    visit: Open, server: str, data_directory: Path, tmp_path: Path
) -> None:
    port = server.rsplit(":", 1)[1]
    command = ["gradio_app.py", "--data-dir", str(data_directory), "--port", port]
    with served(command, tmp_path / "uploads") as url:
        assert url != server
        here = visit(url)
        (report,) = here.upload(("heron.md", b"# Herons\n\nThe heron stood in Lake Quillon all night."))
        assert report.startswith("heron.md is ready")
        answer = here.ask("Where did the heron stand all night?")
        assert answer.locator("mark").inner_text() == "The heron stood in Lake Quillon all night."
        here.close()
