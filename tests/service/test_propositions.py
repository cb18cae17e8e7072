"""Propositions are found and lead to their chunk, which stays the text's own slice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

import chunkers
from chunkers.base import Chunker
from chunkers.proposition import PropositionChunker
from service.pipeline import Pipeline
from service.values import IndexMode
from tests.support.fakes import HashEmbedder
from tests.support.openai_server import OpenAIServer, completion
from tests.support.pipelines import HARBOUR, SELECTOR, ids, scores, tell
from tests.support.terminal import Terminal

# Words that the text does not hold: only a proposition can be found by them.
QUESTION = "Which keeper kindles the beacon every evening?"
STATED = ["A keeper kindles the beacon every evening.", "The beacon warms."]
RECURSIVE = chunkers.build("recursive", size=120)


@dataclass(frozen=True)
class Explains:
    """A rewriter that says of one passage what its text does not."""

    name: str = "explains"

    def rewrite(self, passage: str) -> Sequence[str]:
        return STATED if "lamp" in passage else []


STATING = PropositionChunker(RECURSIVE, Explains())


def pipeline(
    directory: Path,
    chunker: Chunker,
    embedder: HashEmbedder | None = None,
    index: IndexMode = "windows",
) -> Pipeline:
    return Pipeline(
        directory, embedder=embedder or HashEmbedder(), chunker=chunker, selector=SELECTOR, index=index
    )


@pytest.mark.parametrize("index", ["windows", "chunks"])
def test_a_chunk_is_found_by_what_it_states_in_other_words(tmp_path: Path, index: IndexMode) -> None:
    with pipeline(tmp_path / "plain", RECURSIVE, index=index) as sawyer:
        tell(sawyer, HARBOUR)
        before = sawyer.retrieve(QUESTION, retriever="dense")
    with pipeline(tmp_path / "stating", STATING, index=index) as sawyer:
        tell(sawyer, HARBOUR)
        after = sawyer.retrieve(QUESTION, retriever="dense")
    assert "lamp" in after.hits[0].chunk.text
    assert after.hits[0].score > 0.7 > before.hits[0].score
    for hit in after.hits:
        assert hit.chunk.text == hit.chunk.span.of(HARBOUR)
    assert len(set(ids(after))) == len(after.hits)


def test_what_was_stated_is_found_after_a_restart_too(tmp_path: Path) -> None:
    with pipeline(tmp_path, STATING) as sawyer:
        tell(sawyer, HARBOUR)
        found = scores(sawyer.retrieve(QUESTION, retriever="dense"))
    with pipeline(tmp_path, STATING) as sawyer:
        assert scores(sawyer.retrieve(QUESTION, retriever="dense")) == found


def test_with_another_chunker_the_windows_are_kept_and_the_propositions_are_not(tmp_path: Path) -> None:
    with pipeline(tmp_path / "plain", RECURSIVE) as sawyer:
        tell(sawyer, HARBOUR)
        plain = scores(sawyer.retrieve(QUESTION, retriever="dense"))
        windows = sawyer.documents()[0].windows

    with pipeline(tmp_path / "a", RECURSIVE) as sawyer:
        tell(sawyer, HARBOUR)
    embedder = HashEmbedder()
    with pipeline(tmp_path / "a", STATING, embedder) as sawyer:
        sawyer.reindex()
        assert embedder.calls == len(STATED), "the windows were embedded before"
        assert sawyer.documents()[0].windows == windows + len(STATED)
        assert sawyer.retrieve(QUESTION, retriever="dense").hits[0].score > plain[0][1]
    embedder = HashEmbedder()
    with pipeline(tmp_path / "a", RECURSIVE, embedder) as sawyer:
        sawyer.reindex()
        assert embedder.calls == 0
        assert sawyer.documents()[0].windows == windows
        assert scores(sawyer.retrieve(QUESTION, retriever="dense")) == plain


# -- the command line, over the real protocol -----------------------------------------------------


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer() as running:
        running.always(completion('{"propositions": [{"ids": [1], "text": "A keeper kindles it."}]}'))
        yield running


@pytest.fixture
def terminal(capsys: pytest.CaptureFixture[str]) -> Terminal:
    return Terminal(capsys)


@pytest.fixture
def story(tmp_path: Path) -> Path:
    path = tmp_path / "harbour.md"
    path.write_bytes(HARBOUR.encode())
    return path


CHUNK = ("chunk", "--chunker", "proposition", "--size", "120")


@pytest.mark.usefixtures("_chat")
def test_the_command_shows_what_each_chunk_states_and_of_which_part(
    terminal: Terminal, server: OpenAIServer, story: Path
) -> None:
    assert terminal(*CHUNK, str(story)) == 0, terminal.err
    chunks = terminal.json_lines()
    assert [(chunk["start"], chunk["end"]) for chunk in chunks] == [
        (span.start, span.end) for span in RECURSIVE.split(HARBOUR)
    ]
    for chunk in chunks:
        (stated,) = chunk["propositions"]
        assert stated["text"] == "A keeper kindles it."
        assert chunk["start"] <= stated["start"] < stated["end"] <= chunk["end"]
    assert terminal(*CHUNK, "--chunker", "recursive", str(story)) == 0
    assert all(chunk["propositions"] == [] for chunk in terminal.json_lines())
    assert len(server.requests) > len(chunks)


@pytest.mark.usefixtures("_chat")
def test_its_plan_says_what_will_be_sent_and_sends_nothing(
    terminal: Terminal, server: OpenAIServer, story: Path
) -> None:
    assert terminal(*CHUNK, "--plan", str(story)) == 0, terminal.err
    (plan,) = terminal.json_lines()
    assert plan["calls"] == len(RECURSIVE.split(HARBOUR))
    assert plan["most"] == 2 * plan["calls"]
    assert plan["tokens_in"] > plan["tokens_out"] > 0
    assert f"{plan['calls']} calls" in terminal.err
    assert server.requests == []


def test_without_a_chat_model_it_says_what_to_set(terminal: Terminal, story: Path) -> None:
    assert terminal(*CHUNK, str(story)) == 2
    assert "proposition needs a chat model, got none; set SAWYER_CHAT_MODEL" in terminal.err


@pytest.fixture
def _chat(server: OpenAIServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SAWYER_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("SAWYER_CHAT_MODEL", "small")
    monkeypatch.setenv("SAWYER_CHAT_BASE_URL", server.base_url)
    monkeypatch.setenv("SAWYER_CHAT_API_KEY", "sk-test")
