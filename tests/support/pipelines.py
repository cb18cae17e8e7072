"""Pipelines over a directory, small and quick, and embedders that fail or see little on demand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import chunkers
from answering import Selector
from answering.selector import OverlapSelector
from answering.trigger import Trigger
from core.protocols import Vectors
from core.values import Span
from service.pipeline import Pipeline
from service.values import Answer, IngestReport, Retrieval, Source
from tests.support.fakes import HashEmbedder

# The quick one, whatever is shipped, for most tests are of other things; threshold for a `HashEmbedder`.
SELECTOR = Selector("overlap", OverlapSelector, Trigger(8.0, -4.0, 0.5))
HARBOUR = """# The Harbour

## Night

The lamp was lit by Maren at dusk. It burned until the fishing boats were home.

## Morning

Nobody saw the stranger leave. He had paid the innkeeper with a Portuguese coin.
"""


def pipeline(directory: Path, *, size: int = 120, chunker: str = "recursive", **options: Any) -> Pipeline:
    """A pipeline with a `HashEmbedder`, unless ``options`` name another.

    Args:
        size: of chunks, in characters.
        options: handed to `Pipeline`.
    """
    defaults = {"embedder": HashEmbedder(), "selector": SELECTOR}
    return Pipeline(directory, chunker=chunkers.build(chunker, size=size), **{**defaults, **options})


def tell(sawyer: Pipeline, text: str, name: str = "a.md", *, collection: str = "default") -> IngestReport:
    """Ingest a text that can be read."""
    report = sawyer.ingest(Source(name, text.encode()), collection=collection)
    assert report.state != "failed", report.reason
    return report


def ids(found: Retrieval | Answer) -> list[str]:
    """The chunk ids of the hits, best first."""
    return [hit.chunk.id for hit in found.hits]


def scores(found: Retrieval) -> list[tuple[str, float]]:
    """Chunk ids with their scores, best first."""
    return [(hit.chunk.id, hit.score) for hit in found.hits]


def cites(answer: Answer, text: str) -> None:
    """Every hit and every candidate is the slice of the text that it names."""
    for hit in answer.hits:
        assert hit.chunk.text == hit.chunk.span.of(text)
    for scored in answer.decision.ranked:
        candidate = scored.candidate
        assert candidate.text == candidate.span.of(text)
    assert [hit.rank for hit in answer.hits] == list(range(1, len(answer.hits) + 1))


class FailingEmbedder(HashEmbedder):
    """Fails at a batch of passages, once or from then on.

    Args:
        error: what it raises.
        at: the batch, counted from 1.
        mends: whether the batches after it go through.
    """

    def __init__(self, error: BaseException, *, at: int = 1, mends: bool = True, **shape: Any) -> None:
        super().__init__(**shape)
        self.error = error
        self.at = at
        self.mends = mends
        self.batches = 0

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        self.batches += 1
        if self.batches == self.at or (self.batches > self.at and not self.mends):
            raise self.error
        return super().embed_passages(texts)


class NearsightedEmbedder(HashEmbedder):
    """Reads the first ``limit`` characters of a text and not one more, as a model with a token limit does."""

    def __init__(self, limit: int, **shape: Any) -> None:
        super().__init__(**shape)
        self.limit = limit

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return super().embed_passages([Span(0, min(self.limit, len(text))).of(text) for text in texts])
