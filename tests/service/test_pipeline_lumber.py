"""Ingest with content-driven chunkers: one embedding of each window, and what was done is on record."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from chunkers.windows import window_spans
from service.indexer import CHUNKING
from service.pipeline import Pipeline, build
from service.settings import Settings
from service.values import Source
from tests.support.chat_rules import by_hash, picking
from tests.support.fakes import HashEmbedder
from tests.support.openai_server import OpenAIServer, completion

TEXT = "\n\n".join(
    f"On day {day} the ferry crossed the river again, and the water rose a little more than it had before."
    for day in range(120)
)
Opened = Callable[..., Pipeline]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    pipelines: list[Pipeline] = []

    def open_one(embedder: HashEmbedder, **settings: object) -> Pipeline:
        for one in pipelines:
            one.close()
        pipelines.append(build(Settings.load(data_dir=tmp_path / "data", **settings), embedder=embedder))
        return pipelines[-1]

    yield open_one
    pipelines[-1].close()


@pytest.mark.parametrize("chunker", ["lumber", "recursive"])
def test_windows_are_embedded_once_for_chunker_and_index(opened: Opened, chunker: str) -> None:
    embedder = HashEmbedder()
    report = opened(embedder, chunker=chunker).ingest(Source("ferry.txt", TEXT.encode()))
    assert report.state == "ready", report.reason
    assert embedder.calls == len(window_spans(TEXT))


def test_another_chunker_embeds_nothing_anew(opened: Opened) -> None:
    opened(HashEmbedder(), chunker="recursive").ingest(Source("ferry.txt", TEXT.encode()))
    embedder = HashEmbedder()
    pipeline = opened(embedder, chunker="lumber")
    assert pipeline.reindex() == 1
    assert embedder.calls == 0
    assert "Lumber" in pipeline.documents()[0].strategy


def test_what_the_chunker_did_otherwise_than_asked_is_a_notice_told_anew_by_each_generation(
    opened: Opened,
) -> None:
    pipeline = opened(HashEmbedder(), chunker="lumber")
    report = pipeline.ingest(Source("ferry.txt", TEXT.encode()))
    said = [notice.detail for notice in report.notices if notice.code == CHUNKING]
    assert any("no chat model is set" in one for one in said)
    pipeline.reindex()
    again = pipeline.documents()[0].notices
    assert [notice.detail for notice in again if notice.code == CHUNKING] == said
    fixed = opened(HashEmbedder(), chunker="fixed")
    fixed.reindex()
    assert not fixed.documents()[0].notices


def test_a_chat_model_that_is_set_picks_and_a_failing_one_fails_the_document(opened: Opened) -> None:
    with OpenAIServer() as server:
        server.always(picking(by_hash))
        chat = {
            "chunker": "lumber",
            "chat_model": "rule",
            "chat_base_url": server.base_url,
            "chat_api_key": "sk-test",
        }
        pipeline = opened(HashEmbedder(), **chat)
        told: list[tuple[str, int, int]] = []
        report = pipeline.ingest(Source("ferry.txt", TEXT.encode()), progress=lambda *step: told.append(step))
        assert report.state == "ready", report.reason
        assert "chat" in report.document.strategy.lower()
        steps = [step for step in told if step[0] == "chunking"]
        assert steps[-1] == ("chunking", len(TEXT), len(TEXT))
        assert len(steps) > 5
        server.always(completion("It was a dark and stormy night."))
        report = pipeline.ingest(Source("ferry.txt", (TEXT + " The end.").encode()))
        assert (report.state, report.error_code) == ("failed", "unusable_reply")
        assert "--on-failure keep or local" in report.reason
        assert pipeline.retrieve("Who crossed the river?").hits, "the old generation stays"
