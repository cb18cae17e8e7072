"""Retrieval judged by whole sections: which chunks tell of one, and how much of it a budget holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from core.errors import InvalidValue
from core.protocols import Embedder
from core.values import Span
from eval.metrics import TOKENS_PER_WORD, Metric, evaluate, passage_scores, within_budget
from eval.placed import Cut, PlacedQuestion, PlacedText
from eval.relevance import first_relevant
from eval.retrievers import BookRetrieval, Retriever
from eval.significance import bootstrap_interval
from eval.table import TableRow
from eval.values import ChunkedBook, Qrels

# Of the first relevant chunk alone, as in GutenQA: many small chunks of one section must not add up.
FIRST = (*(Metric("dcg", k) for k in (1, 5, 20)), *(Metric("recall", k) for k in (5, 20)))
BUDGETS = (500, 1_000, 2_000, 4_000)


@dataclass(frozen=True, slots=True)
class SectionScores:
    """Texts under one cut and one retriever.

    Attributes:
        values: metric to question to value, questions in the order of the texts.
        words: white-space words of all chunks.
    """

    cut: Cut
    retriever: Retriever
    values: Mapping[str, Mapping[str, float]]
    words: int
    chunks: int

    def row(self, labels: Mapping[str, str | int]) -> TableRow:
        """Means over questions, each question counting once, with intervals over them."""
        values = {metric: list(of.values()) for metric, of in self.values.items()}
        return TableRow(
            labels={
                **labels,
                "chunker": self.cut.name,
                "retriever": str(self.retriever),
                "n": len(next(iter(values.values()))),
            },
            figures={
                **{metric: fmean(of) for metric, of in values.items()},
                "tokens/chunk": TOKENS_PER_WORD * self.words / self.chunks,
            },
            intervals={metric: bootstrap_interval([of]) for metric, of in values.items()},
            details={"strategy": self.cut.strategy, "chunks": self.chunks},
            values=self.values,
        )


def score_sections(
    texts: Sequence[PlacedText],
    cut: Cut,
    retrievers: Sequence[Retriever],
    embedder: Embedder | None,
    *,
    reading: Embedder | None = None,
) -> list[SectionScores]:
    """Every text's questions asked of that text alone, under each retriever.

    Args:
        embedder: may be None when ``bm25`` is the only retriever.
        reading: as in `BookRetrieval`.

    Raises:
        InvalidValue: there is no question.
    """
    if not any(text.questions for text in texts):
        raise InvalidValue("a score needs at least one question, got none")
    values: dict[Retriever, dict[str, dict[str, float]]] = {retriever: {} for retriever in retrievers}
    words = chunks = 0
    for text in texts:
        book = cut.cut(text)
        words += sum(len(chunk.split()) for chunk in book.texts)
        chunks += len(book.texts)
        rankers = BookRetrieval(book, embedder, reading=reading)
        for retriever in retrievers if text.questions else ():
            rank = rankers.ranker(retriever)
            rankings = {question.id: rank(question.query) for question in text.questions}
            for metric, of in _score_text(text.questions, book, rankings).items():
                values[retriever].setdefault(metric, {}).update(of)
    return [SectionScores(cut, retriever, values[retriever], words, chunks) for retriever in retrievers]


def overlaps_half(chunk: Span, section: Span) -> bool:
    """Whether they share at least half of the shorter of the two."""
    return 2 * chunk.overlap(section) >= min(len(chunk), len(section))


def judge_sections(questions: Sequence[PlacedQuestion], chunks: Sequence[Span]) -> Qrels:
    """Gain 1 for every chunk that overlaps a gold section by half of the shorter; all are present."""
    return {
        question.id: {
            str(at): 1
            for at, chunk in enumerate(chunks)
            if any(overlaps_half(chunk, gold) for gold in question.golds)
        }
        for question in questions
    }


def section_recall(
    golds: Sequence[Span], ranked: Sequence[int], chunks: Sequence[Span], words: Sequence[int], budget: int
) -> float:
    """Share of the gold sections' characters in the chunks that fit a budget.

    Chunks are taken whole, best first, until one would take the total over ``budget`` tokens, 1.3 to a
    white-space word. A character in two chunks counts once as found and twice as retrieved.
    """
    taken: list[Span] = []
    total = 0
    for at in ranked:
        total += words[at]
        if not within_budget(total, budget):
            break
        taken.append(chunks[at])
    return passage_scores(golds, taken).recall


def _score_text(
    questions: Sequence[PlacedQuestion], book: ChunkedBook, rankings: Mapping[str, Sequence[int]]
) -> dict[str, dict[str, float]]:
    if book.spans is None:
        raise InvalidValue("section golds need chunks cut from the text, got a chunk file")
    qrels = judge_sections(questions, book.spans)
    run = {
        question: {str(at): -float(place) for place, at in enumerate(ranked)}
        for question, ranked in rankings.items()
    }
    first = first_relevant(qrels, run)
    values = {str(metric): evaluate(metric, first, run) for metric in FIRST}
    ndcg = Metric("ndcg", 10)
    values[str(ndcg)] = evaluate(ndcg, qrels, run)
    words = [len(chunk.split()) for chunk in book.texts]
    for budget in BUDGETS:
        values[f"er@{budget}"] = {
            question.id: section_recall(question.golds, rankings[question.id], book.spans, words, budget)
            for question in questions
        }
    return values
