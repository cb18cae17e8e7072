"""The retrievers that a command compares, each as a ranking of all chunks of one book.

``dense``, ``lexical`` and ``hybrid`` are the service's own `Searcher`, over an index in memory; ``bm25`` is
the plain one of other people's tables.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, Protocol, get_args

import numpy as np

from core.errors import InvalidValue
from core.protocols import Embedder
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


class BookRankers:
    """The rankers of one book under one way of cutting it; they share its index.

    Args:
        embedder: one that remembers, where several rankings are asked for; None serves ``bm25`` alone.
    """

    def __init__(self, book: ChunkedBook, embedder: Embedder | None) -> None:
        self._book = book
        self._embedder = embedder
        # Padded, so that the lexical index, which breaks ties by id, breaks them in text order.
        self._ids = [f"{at:09d}" for at in range(len(book.texts))]

    def ranker(self, retriever: EvalRetriever) -> Ranker:
        """The ranker of that name.

        Raises:
            InvalidValue: it needs an embedder and there is none.
        """
        if retriever == "bm25":
            return PlainBm25(self._book.texts)
        return _ServiceRanker(self.searcher(embedded=needs_vectors(retriever)), retriever)

    def searcher(self, *, embedded: bool = True) -> Searcher:
        """The service's own, over an index in memory.

        Args:
            embedded: whether the windows are embedded; without, it can rank by ``lexical`` alone.

        Raises:
            InvalidValue: there is no embedder.
        """
        if self._embedder is None:
            raise InvalidValue("a retriever other than bm25 needs an embedder, got none")
        return Searcher(self._table(self._embedder, embedded=embedded), self._index, self._embedder)

    @cached_property
    def _index(self) -> TantivyIndex:
        index = TantivyIndex()
        index.add(zip(self._ids, self._book.texts, strict=True))
        return index

    def _table(self, embedder: Embedder, *, embedded: bool) -> ChunkTable:
        return ChunkTable(
            revision=1,
            chunk_ids=self._ids,
            window_ids=[str(at) for at in range(len(self._book.windows))],
            pairs=self._book.pairs,
            vectors=embedder.embed_passages(self._book.windows) if embedded else None,
            fingerprint=embedder.fingerprint,
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
