"""Books cut into chunks and windows: by a chunker, or by somebody else beforehand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from chunkers.base import Chunker, chunk_document
from chunkers.windows import window_chunks, window_spans
from core.errors import EmptyDocument
from core.identity import content_digest
from core.values import Document
from eval.values import ChunkedBook


def cut_book(book: str, text: str, chunker: Chunker) -> ChunkedBook:
    """The book as the service would index it: windows of the whole text, chunks by the chunker.

    Raises:
        EmptyDocument: the text gives no chunk.
    """
    document = Document(id=book, text=text, title=book)
    chunks = chunk_document(document, chunker, content_digest=content_digest(text.encode("utf-8")))
    if not chunks:
        raise EmptyDocument(f"a book must hold some text, {book} holds nothing but white space")
    spans = tuple(chunk.span for chunk in chunks)
    windows = window_spans(text)
    return ChunkedBook(
        texts=tuple(chunk.text for chunk in chunks),
        spans=spans,
        windows=tuple(window.of(text) for window in windows),
        pairs=window_chunks(windows, spans, text),
    )


def given_chunks(texts: Sequence[str]) -> ChunkedBook:
    """Chunks that are slices of nothing we know: each is a small text with windows of its own."""
    windows: list[str] = []
    pairs: list[tuple[int, int]] = []
    for at, text in enumerate(texts):
        # A chunk without a visible character has no window; it is one itself, so that it has a score.
        own = [span.of(text) for span in window_spans(text)] or [text]
        pairs.extend((len(windows) + offset, at) for offset in range(len(own)))
        windows.extend(own)
    return ChunkedBook(tuple(texts), None, tuple(windows), np.array(pairs, np.int32).reshape(-1, 2))
