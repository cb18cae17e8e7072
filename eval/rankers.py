"""The retrievers that a command compares, each as a ranking of all chunks of one book.

``dense``, ``lexical`` and ``hybrid`` are the service's own `Searcher`, over an index in memory; ``bm25`` is
the plain one of other people's tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, Protocol, get_args

import numpy as np

from core.errors import InvalidValue
from core.protocols import Embedder, Vectors
from eval.bm25 import PlainBm25
from eval.values import ChunkedBook
from service.lexical import TantivyIndex
from service.retrieval import Searcher
from service.stores import ChunkTable
from service.values import RetrieverName

EvalRetriever = Literal["dense", "lexical", "hybrid", "bm25"]
RETRIEVERS: tuple[EvalRetriever, ...] = get_args(EvalRetriever)


class Ranker(Protocol):
    """A book's chunks, ready to be ranked."""

    def rank(self, question: str) -> list[int]:
        """Every chunk's place in the book, best first; equals keep text order."""


class WindowVectors:
    """Embeds each text once, however many chunkers and retrievers ask for it."""

    def __init__(self, embedder: Embedder) -> None:
        self.embedder = embedder
        self._rows: dict[str, Vectors] = {}

    def of(self, texts: Sequence[str]) -> Vectors:
        """(n, dim) float32, in the order of ``texts``."""
        new = [text for text in dict.fromkeys(texts) if text not in self._rows]
        if new:
            self._rows.update(zip(new, self.embedder.embed_passages(new), strict=True))
        return np.array([self._rows[text] for text in texts], np.float32).reshape(-1, self.embedder.dim)


class BookRankers:
    """The rankers of one book under one way of cutting it; they share its index.

    Args:
        vectors: None serves ``bm25`` alone.
    """

    def __init__(self, book: ChunkedBook, vectors: WindowVectors | None) -> None:
        self._book = book
        self._vectors = vectors
        # Padded, so that the lexical index, which breaks ties by id, breaks them in text order.
        self._ids = [f"{at:09d}" for at in range(len(book.texts))]

    def ranker(self, retriever: EvalRetriever) -> Ranker:
        """The ranker of that name.

        Raises:
            InvalidValue: it needs an embedder and there is none.
        """
        if retriever == "bm25":
            return PlainBm25(self._book.texts)
        if self._vectors is None:
            raise InvalidValue(f"retriever {retriever} needs an embedder, got none")
        table = self._table(self._vectors, embedded=needs_vectors(retriever))
        return _ServiceRanker(Searcher(table, self._index, self._vectors.embedder), retriever)

    @cached_property
    def _index(self) -> TantivyIndex:
        index = TantivyIndex()
        index.add(zip(self._ids, self._book.texts, strict=True))
        return index

    def _table(self, vectors: WindowVectors, *, embedded: bool) -> ChunkTable:
        return ChunkTable(
            revision=1,
            chunk_ids=self._ids,
            window_ids=[str(at) for at in range(len(self._book.windows))],
            pairs=self._book.pairs,
            vectors=vectors.of(self._book.windows) if embedded else None,
            fingerprint=vectors.embedder.fingerprint,
        )


@dataclass(frozen=True)
class _ServiceRanker:
    searcher: Searcher
    retriever: RetrieverName

    def rank(self, question: str) -> list[int]:
        scores = self.searcher.scores(question, self.retriever)
        # What nothing speaks for has the score -inf: last, in text order.
        return [int(at) for at in np.argsort(-scores, kind="stable")]


def needs_vectors(retriever: EvalRetriever) -> bool:
    """Whether the retriever's ranking depends on the embedder."""
    return retriever in ("dense", "hybrid")
