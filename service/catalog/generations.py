"""What one ingest makes of a document, and how retrieval sees all of a collection's at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.errors import InvalidValue
from core.protocols import Vectors
from core.values import Chunk, Span
from service.values import IndexMode, Notice


@dataclass(frozen=True)
class Generation:
    """One reading of a document's bytes under one chunker and one embedder; stored whole or not at all.

    Attributes:
        strategy: ``repr`` of the chunker.
        embedder: what a person calls the embedder; ``fingerprint`` is what decides its vectors.
        index_mode: whether the embedded rows are windows of the text or the chunks themselves.
        windows: spans of the embedded rows.
        vectors: (len(windows), dim) float32, finite.
        window_chunks: (m, 2) int32: a window's index and the index of a chunk that it counts for.

    Raises:
        InvalidValue: rows that do not belong together.
    """

    document_id: str
    collection: str
    source: str
    title: str
    content_digest: str
    text: str
    metadata: Mapping[str, str]
    notices: Sequence[Notice]
    strategy: str
    embedder: str
    fingerprint: str
    index_mode: IndexMode
    chunks: Sequence[Chunk]
    windows: Sequence[Span]
    vectors: Vectors
    window_chunks: NDArray[np.int32]

    def __post_init__(self) -> None:
        rows = len(self.windows)
        if self.vectors.ndim != 2 or len(self.vectors) != rows or self.vectors.dtype != np.float32:
            raise InvalidValue(
                f"vectors must be float32 with one row for each of {rows} windows, "
                f"got {self.vectors.dtype} {self.vectors.shape}"
            )
        if not np.isfinite(self.vectors).all():
            raise InvalidValue("vectors must be finite, got NaN or infinity from the embedder")
        pairs = self.window_chunks
        if pairs.ndim != 2 or pairs.shape[1] != 2 or (pairs < 0).any():
            raise InvalidValue(f"window_chunks must be (m, 2) indices, got {pairs.shape}")
        if len(pairs) and (pairs.max(axis=0) >= (rows, len(self.chunks))).any():
            raise InvalidValue(f"window_chunks must index {rows} windows and {len(self.chunks)} chunks")
        for chunk in self.chunks:
            if chunk.text != chunk.span.of(self.text):
                raise InvalidValue(
                    f"a chunk's text must be the slice of its span, got another at {chunk.span}"
                )


@dataclass(frozen=True)
class ChunkTable:
    """One collection's retrievable generations, joined row by row.

    Attributes:
        revision: grows with every change of what is retrievable in the collection; 0 for none.
        pairs: (m, 2) int32: window row, chunk row.
        vectors: (n_windows, dim) float32, read-only; None above the exact limit, where `Stores.nearest`
            searches instead, and None for a collection of more than one fingerprint.
        fingerprint: of the vectors; None when the collection is empty or holds more than one.
    """

    revision: int
    chunk_ids: Sequence[str]
    window_ids: Sequence[str]
    pairs: NDArray[np.int32]
    vectors: Vectors | None
    fingerprint: str | None
