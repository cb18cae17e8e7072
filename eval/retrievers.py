"""What ranks a book's chunks for a question, as a value whose text form round-trips.

``dense``, ``lexical``, ``hybrid`` and ``bm25`` rank by the question; ``hyde`` is ``dense`` asked with the
hypothetical answer that the data set stores for the question (Gao et al. 2023). Any of them may be followed
by ``+rerank:SCORER``: the first chunks are put into the order that the Scorer gives them. Every selector of
the service is one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from answering import SELECTORS, SelectorOf
from answering.background import with_background
from core.errors import InvalidValue, NotFound
from core.protocols import Embedder
from core.text import IdfTable, question_terms, terms
from eval.rankers import RETRIEVERS, BookRankers, EvalRetriever, needs_vectors
from eval.values import ChunkedBook, Query

HYDE = "hyde"
RERANK = "+rerank:"
DEPTH = 50  # chunks that a Scorer reads for a question; those below keep their places

# Scorer by name; its artefact is read when it is first made.
SCORERS: Mapping[str, SelectorOf] = SELECTORS


@dataclass(frozen=True, slots=True)
class Retriever:
    """A way of ranking, and a Scorer that reorders its first chunks, or None.

    Raises:
        InvalidValue: no such ranking or Scorer.
    """

    first: str
    scorer: str | None = None

    def __post_init__(self) -> None:
        if self.first not in (*RETRIEVERS, HYDE):
            raise InvalidValue(f"a retriever must be one of {known()}, got {self.first!r}")
        if self.scorer is not None and self.scorer not in SCORERS:
            raise InvalidValue(f"a Scorer must be one of {', '.join(SCORERS)}, got {self.scorer!r}")

    def __str__(self) -> str:
        return self.first if self.scorer is None else f"{self.first}{RERANK}{self.scorer}"

    @staticmethod
    def parse(text: str) -> Retriever:
        """The retriever that ``str`` wrote.

        Raises:
            InvalidValue: unless ``text`` is ``RETRIEVER`` or ``RETRIEVER+rerank:SCORER``.
        """
        first, plus, scorer = text.partition(RERANK)
        return Retriever(first, scorer if plus else None)

    @property
    def ranking(self) -> EvalRetriever:
        """The ranking that ``first`` stands for."""
        return next((name for name in RETRIEVERS if name == self.first), "dense")

    @property
    def needs_vectors(self) -> bool:
        """Whether an embedder decides its ranking."""
        return needs_vectors(self.ranking) or self.scorer is not None

    def asked(self, query: Query) -> str:
        """The text that the ranking is asked with.

        Raises:
            NotFound: it is a stored one, and the data set stores none for the query.
        """
        if self.first != HYDE:
            return query.text
        if not query.hyde:
            raise NotFound(
                f"retriever hyde needs a stored text for every question, {query.id} has none; choose books "
                "whose questions have one (Emma's do), or another retriever"
            )
        return query.hyde


def known() -> str:
    """The forms that `Retriever.parse` reads, for people."""
    return f"{', '.join((*RETRIEVERS, HYDE))}, each with {RERANK}SCORER ({', '.join(SCORERS)}) or without"


class BookRetrieval:
    """Every retriever over one book under one way of cutting it; they share its index.

    Args:
        embedder: of windows and questions; None serves ``bm25`` alone.
        reading: the embedder that Scorers read chunks with; None makes it the same.
    """

    def __init__(
        self, book: ChunkedBook, embedder: Embedder | None, *, reading: Embedder | None = None
    ) -> None:
        self._book = book
        self._rankers = BookRankers(book, embedder)
        self._reading = reading or embedder

    def ranker(self, retriever: Retriever) -> Callable[[Query], list[int]]:
        """Ranks every chunk's place in the book for a query, best first; equals keep the order before.

        Raises:
            InvalidValue: the retriever needs an embedder and there is none.
        """
        first = self._rankers.ranker(retriever.ranking)
        if retriever.scorer is None:
            return lambda query: first.rank(retriever.asked(query))
        if self._reading is None:
            raise InvalidValue(f"retriever {retriever} needs an embedder, got none")
        scorer_of, reading = SCORERS[retriever.scorer], self._reading

        def rank(query: Query) -> list[int]:
            order = first.rank(retriever.asked(query))
            read = order[:DEPTH]
            scorer = scorer_of(reading, self._weights(query))
            scores = scorer.score(query.text, [self._book.texts[at] for at in read])
            return [read[at] for at in np.argsort(-scores, kind="stable")] + order[DEPTH:]

        return rank

    def _weights(self, query: Query) -> IdfTable:
        """Of the query's terms, as the service gives them to a selector."""
        return with_background(question_terms(query.text), self._idf)

    @cached_property
    def _idf(self) -> IdfTable:
        return IdfTable.of(terms(text) for text in self._book.texts)
