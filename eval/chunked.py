"""Books cut into chunks and windows: by a chunker, or by somebody else beforehand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from chunkers.base import Chunker, chunks_of, cut
from chunkers.windows import proposition_chunks, window_chunks, window_spans
from core.errors import EmptyDocument
from core.identity import content_digest
from core.values import Document
from eval.values import ChunkedBook


def cut_book(book: str, text: str, chunker: Chunker) -> ChunkedBook:
    """The book as the service would index it: windows of the whole text, chunks by the chunker.

    The propositions that a chunker states of its chunks are embedded behind the windows.

    Raises:
        EmptyDocument: the text gives no chunk.
    """
    document = Document(id=book, text=text, title=book)
    made = cut(text, chunker)
    chunks = chunks_of(document, chunker, made.spans, content_digest=content_digest(text.encode("utf-8")))
    if not chunks:
        raise EmptyDocument(f"a book must hold some text, {book} holds nothing but white space")
    spans = tuple(chunk.span for chunk in chunks)
    windows = window_spans(text)
    propositions, of_chunk = proposition_chunks(made.propositions, len(windows))
    return ChunkedBook(
        texts=tuple(chunk.text for chunk in chunks),
        spans=spans,
        windows=(*(window.of(text) for window in windows), *(one.text for one in propositions)),
        pairs=np.concatenate([window_chunks(windows, spans, text), of_chunk]),
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
