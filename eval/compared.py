"""Chunkers and retrievers on one text, judged by whole answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from core.protocols import Embedder
from eval.metrics import TOKENS_PER_WORD, Metric, evaluate
from eval.placed import Cut, PlacedQuestion, PlacedText
from eval.relevance import first_relevant
from eval.retrievers import BookRetrieval, Retriever
from eval.significance import bootstrap_interval
from eval.table import TableRow
from eval.values import ChunkedBook, Qrels

BUDGETS = tuple(Metric("er", tokens) for tokens in (500, 1_000, 2_000, 4_000))
METRICS = (Metric("dcg", 1), Metric("dcg", 5), Metric("dcg", 20), *BUDGETS)


@dataclass(frozen=True, slots=True)
class Compared:
    """One chunker and one retriever: metric to question to value."""

    chunker: str
    retriever: Retriever
    strategy: str
    values: Mapping[str, Mapping[str, float]]
    tokens_per_chunk: float
    ceiling: float

    @property
    def name(self) -> str:
        """What a person calls it."""
        return f"{self.chunker} + {self.retriever}"

    def interval(self, metric: str) -> tuple[float, float]:
        """95 % interval of the metric's mean."""
        return bootstrap_interval([list(self.values[metric].values())])

    def row(self) -> TableRow:
        """Means over questions."""
        return TableRow(
            labels={
                "chunker": self.chunker,
                "retriever": str(self.retriever),
                "n": len(next(iter(self.values.values()))),
            },
            figures={
                **{metric: fmean(values.values()) for metric, values in self.values.items()},
                "ceiling": self.ceiling,
                "tokens/chunk": self.tokens_per_chunk,
            },
            intervals={metric: self.interval(metric) for metric in self.values},
            details={"strategy": self.strategy},
            values=self.values,
        )


def compare(
    text: PlacedText,
    cut: Cut,
    retrievers: Sequence[Retriever],
    embedder: Embedder | None,
    *,
    reading: Embedder | None = None,
) -> list[Compared]:
    """One way of cutting the text under each retriever.

    Args:
        embedder: may be None when ``bm25`` is the only retriever.
        reading: as in `BookRetrieval`.
    """
    book = cut.cut(text)
    qrels = _judge(text.questions, book)
    words = {str(at): len(chunk.split()) for at, chunk in enumerate(book.texts)}
    rankers = BookRetrieval(book, embedder, reading=reading)
    found = []
    for retriever in retrievers:
        rank = rankers.ranker(retriever)
        run = {
            question.id: {str(at): -float(place) for place, at in enumerate(rank(question.query))}
            for question in text.questions
        }
        first = first_relevant(qrels, run)
        found.append(
            Compared(
                chunker=cut.name,
                retriever=retriever,
                strategy=cut.strategy,
                values={str(metric): evaluate(metric, first, run, words) for metric in METRICS},
                tokens_per_chunk=TOKENS_PER_WORD * sum(words.values()) / len(words),
                ceiling=fmean(bool(gains) for gains in qrels.values()),
            )
        )
    return found


def _judge(questions: Sequence[PlacedQuestion], book: ChunkedBook) -> Qrels:
    return {
        question.id: {
            str(at): 1
            for at, chunk in enumerate(book.spans or ())
            if any(chunk.holds(gold) for gold in question.golds)
        }
        for question in questions
    }
