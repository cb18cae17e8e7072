"""Methods x retrievers over the books of a question set, as rows of figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from core.errors import NotFound
from core.protocols import Embedder
from eval.datasets.base import QuestionSet
from eval.methods import Method
from eval.metrics import TOKENS_PER_WORD, Metric, book_mean, evaluate
from eval.rankers import BookRankers, EvalRetriever, Ranker
from eval.relevance import Rule, first_relevant, judge, rule_for
from eval.remembering import RememberingEmbedder
from eval.report import Row
from eval.significance import bootstrap_interval
from eval.values import ChunkedBook, Query

METRICS = (*(Metric("dcg", k) for k in (1, 2, 5, 10, 20)), Metric("recall", 20), Metric("er", 1000))
BOUNDED = (Metric("dcg", 20),)

# Called with what is about to be done; one line of text.
Report = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class BookScores:
    """One book under one method, retriever and rule.

    Attributes:
        values: metric to the value of each query.
        reachable: for each query, 1 when some chunk can hold its gold, else 0.
    """

    book: str
    values: Mapping[Metric, Mapping[str, float]]
    reachable: Mapping[str, float]
    words: int
    chunks: int


def score(
    questions: QuestionSet,
    books: Sequence[str],
    methods: Sequence[Method],
    retrievers: Sequence[EvalRetriever],
    *,
    rule: Rule | None,
    embedder: Embedder | None,
    report: Report,
) -> list[Row]:
    """A row for every method, retriever and rule, in that order.

    Books that are judged by different rules stand in different rows: their figures have no common mean.

    Args:
        rule: None judges each book by ``span`` where it can be, else by ``substring``.
        embedder: may be None when no retriever needs vectors.

    Raises:
        NotFound: a method has none of the books.
        InvalidValue: the rule cannot be applied to a book.
    """
    for method in methods:
        if not any(method.has(book) for book in books):
            raise NotFound(f"{method.strategy} holds no chunks of {', '.join(books)}; choose its books")
    cells: dict[tuple[int, EvalRetriever, Rule], list[BookScores]] = {}
    for book in books:
        queries = questions.queries(book)
        # Anew for each book, so that one book's vectors are in memory at a time.
        remembering = None if embedder is None else RememberingEmbedder(embedder)
        for at, method in enumerate(methods):
            if not method.has(book):
                report(f"{method.name} has no chunks of {book}: left out of its row")
                continue
            applied = rule_for(rule, queries, placed=method.placed)
            chunked = method.cut(book, questions)
            rankers = BookRankers(chunked, remembering)
            for retriever in retrievers:
                report(f"{book}: {method.name}, {len(chunked.texts)} chunks, {retriever}")
                scores = _score_book(book, queries, chunked, rankers.ranker(retriever), applied)
                cells.setdefault((at, retriever, applied), []).append(scores)
    order = {retriever: place for place, retriever in enumerate(retrievers)}
    keys = sorted(cells, key=lambda key: (key[0], order[key[1]], key[2]))
    return [_row(methods[at], retriever, by, cells[at, retriever, by]) for at, retriever, by in keys]


def _score_book(
    book: str,
    queries: Sequence[Query],
    chunked: ChunkedBook,
    ranker: Ranker,
    rule: Rule,
) -> BookScores:
    # The whole ranking, so that evidence recall can go as deep as its budget reaches.
    run = {
        query.id: {str(at): -float(place) for place, at in enumerate(ranker.rank(query.text))}
        for query in queries
    }
    qrels = judge(rule, queries, chunked)
    first = first_relevant(qrels, run)
    words = {str(at): len(text.split()) for at, text in enumerate(chunked.texts)}
    return BookScores(
        book=book,
        values={metric: evaluate(metric, first, run, words) for metric in METRICS},
        reachable={query: float(bool(gains)) for query, gains in qrels.items()},
        words=sum(words.values()),
        chunks=len(chunked.texts),
    )


def _row(method: Method, retriever: str, rule: Rule, books: Sequence[BookScores]) -> Row:
    return Row(
        chunker=method.name,
        picker=method.picker,
        strategy=method.strategy,
        retriever=retriever,
        rule=rule,
        books=tuple(scores.book for scores in books),
        questions=sum(len(scores.reachable) for scores in books),
        means={metric: book_mean(scores.values[metric] for scores in books) for metric in METRICS},
        tokens_per_chunk=TOKENS_PER_WORD
        * sum(scores.words for scores in books)
        / sum(scores.chunks for scores in books),
        ceiling=book_mean(scores.reachable for scores in books),
        intervals={
            metric: bootstrap_interval([list(scores.values[metric].values()) for scores in books])
            for metric in BOUNDED
        },
    )
