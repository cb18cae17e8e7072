"""Methods x retrievers over the books of a question set: what each book gives, and rows of figures."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.errors import InvalidValue, NotFound
from core.protocols import Embedder
from eval.costs import Cost
from eval.datasets.base import QuestionSet
from eval.embedders import Embedders
from eval.methods import Method
from eval.metrics import Metric, evaluate
from eval.relevance import Rule, first_relevant, judge, rule_for
from eval.report import Row
from eval.retrievers import BookRetrieval, Retriever
from eval.rows import METRICS, Cell, rows_of
from eval.significance import SEED
from eval.values import ChunkedBook, Query

# Called with what is done or about to be; one line of text.
Report = Callable[[str], None]


@dataclass(frozen=True)
class Experiment:
    """What is scored.

    Attributes:
        rule: None judges each book by ``span`` where it can be, else by ``substring``.
        limit: questions a book at most, chosen by ``seed`` and asked in file order; None asks all.

    Raises:
        InvalidValue: a limit below 1.
        NotFound: a method has none of the books.
    """

    questions: QuestionSet
    books: tuple[str, ...]
    methods: tuple[Method, ...]
    retrievers: tuple[Retriever, ...]
    rule: Rule | None = None
    limit: int | None = None
    seed: int = SEED

    def __post_init__(self) -> None:
        if self.limit is not None and self.limit < 1:
            raise InvalidValue(f"limit must be at least 1 question a book, got {self.limit}")
        for method in self.methods:
            if not any(method.has(book) for book in self.books):
                raise NotFound(
                    f"{method.strategy} holds no chunks of {', '.join(self.books)}; choose its books"
                )

    def queries(self, book: str) -> Sequence[Query]:
        """The book's questions, as many as the limit lets in."""
        queries = self.questions.queries(book)
        if self.limit is None or self.limit >= len(queries):
            return queries
        chosen = random.Random(f"{self.seed}-{book}")  # noqa: S311 - a sample, no secret
        return [queries[at] for at in sorted(chosen.sample(range(len(queries)), self.limit))]

    def rule_of(self, method: Method, book: str) -> Rule:
        """The rule by which the method's chunks of the book are judged.

        Raises:
            InvalidValue: the rule that is asked for cannot be applied.
        """
        rewritten = method.rewritten(book, self.questions)
        return rule_for(self.rule, self.queries(book), placed=method.placed, rewritten=rewritten)


def score(
    questions: QuestionSet,
    books: Sequence[str],
    methods: Sequence[Method],
    retrievers: Sequence[str],
    *,
    rule: Rule | None,
    embedder: Embedder | None,
    report: Report,
) -> list[Row]:
    """A row for every method, retriever and rule, in that order; nothing is kept on disk.

    Books that are judged by different rules stand in different rows: their figures have no common mean.

    Args:
        rule: None judges each book by ``span`` where it can be, else by ``substring``.
        embedder: may be None when no retriever needs vectors.

    Raises:
        NotFound: a method has none of the books.
        InvalidValue: the rule cannot be applied to a book.
    """
    parsed = tuple(Retriever.parse(retriever) for retriever in retrievers)
    experiment = Experiment(questions, tuple(books), tuple(methods), parsed, rule)
    cells: list[Cell] = []
    for book in books:
        # Anew for each book, so that one book's vectors are in memory at a time.
        models = None if embedder is None else Embedders.around(embedder, None, report)
        for at, method in enumerate(methods):
            if not method.has(book):
                report(f"{method.name} has no chunks of {book}: left out of its row")
                continue
            cells += score_method(experiment, book, at, parsed, models, report)
    return rows_of(methods, parsed, cells)


def score_method(
    experiment: Experiment,
    book: str,
    at: int,
    retrievers: Sequence[Retriever],
    with_: Embedders | None,
    report: Report,
) -> Iterator[Cell]:
    """One book cut one way, under each of the retrievers.

    Args:
        at: the method's place in the experiment.
    """
    method, queries = experiment.methods[at], experiment.queries(book)
    rule = experiment.rule_of(method, book)
    started = time.perf_counter()
    chunked = method.cut(book, experiment.questions)
    cutting = Cost(time.perf_counter() - started)
    retrieval = (
        BookRetrieval(chunked, None)
        if with_ is None
        else BookRetrieval(chunked, with_.windows, reading=with_.reading)
    )
    for retriever in retrievers:
        report(f"{book}: {method.name}, {len(chunked.texts)} chunks, {retriever}")
        before = with_.cost if with_ is not None else Cost()
        started = time.perf_counter()
        rank = retrieval.ranker(retriever)
        orders = {query.id: rank(query) for query in queries}
        ranking = Cost(time.perf_counter() - started)
        models = with_.cost - before if with_ is not None else Cost()
        yield _cell(book, at, retriever, rule, queries, chunked, orders, cutting + ranking + models)


def _cell(
    book: str,
    at: int,
    retriever: Retriever,
    rule: Rule,
    queries: Sequence[Query],
    chunked: ChunkedBook,
    orders: Mapping[str, Sequence[int]],
    cost: Cost,
) -> Cell:
    # The whole ranking, so that evidence recall can go as deep as its budget reaches.
    run = {
        query: {str(at): -float(place) for place, at in enumerate(order)} for query, order in orders.items()
    }
    qrels = judge(rule, queries, chunked)
    first = first_relevant(qrels, run)
    words = {str(at): len(text.split()) for at, text in enumerate(chunked.texts)}
    values: dict[Metric, Mapping[str, float]] = {
        metric: evaluate(metric, first, run, words) for metric in METRICS
    }
    return Cell(
        book=book,
        method=at,
        retriever=retriever,
        rule=rule,
        values=values,
        reachable={query: float(bool(gains)) for query, gains in qrels.items()},
        words=tuple(words.values()),
        cost=cost,
    )
