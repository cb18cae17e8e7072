"""Rows are what a plain reading of the published metric gives."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import pytest

import chunkers
from core.errors import InvalidValue, NotFound
from core.values import Span
from eval.datasets.gutenqa import ChunkFile
from eval.datasets.sample import BOOK, Sample
from eval.methods import ByChunker, FromFile
from eval.metrics import Metric
from eval.rankers import BookRankers
from eval.scoring import score
from eval.values import Query
from tests.support.fakes import HashEmbedder

FIXED = ByChunker("fixed", chunkers.build("fixed", size=300, overlap=150))


def silent(_: str) -> None:
    """Progress nobody reads."""


def test_a_row_is_a_plain_reading_of_the_published_metric() -> None:
    sample = Sample()
    (row,) = score(sample, [BOOK], [FIXED], ["bm25"], rule="substring", embedder=None, report=silent)
    book = FIXED.cut(BOOK, sample)
    ranker = BookRankers(book, None).ranker("bm25")
    dcg = dict.fromkeys((1, 2, 5, 10, 20), 0.0)
    found = within = held = 0
    for query in sample.queries(BOOK):
        tokens = 0.0
        for rank, at in enumerate(ranker.rank(query.text), start=1):
            tokens += 1.3 * len(book.texts[at].split())
            if query.gold.lower() in book.texts[at].lower():
                for k in dcg:
                    dcg[k] += 1 / math.log2(rank + 1) if rank <= k else 0
                found += rank <= 20
                within += tokens <= 1000
                held += 1
                break
    assert row.questions == 20
    for k, total in dcg.items():
        assert row.means[Metric("dcg", k)] == pytest.approx(total / 20)
    assert row.means[Metric("recall", 20)] == pytest.approx(found / 20)
    assert row.means[Metric("er", 1000)] == pytest.approx(within / 20)
    assert row.ceiling == held / 20
    assert 0 < row.ceiling < 1
    assert row.tokens_per_chunk == pytest.approx(
        1.3 * sum(len(text.split()) for text in book.texts) / len(book.texts)
    )
    low, high = row.intervals[Metric("dcg", 20)]
    assert low < row.means[Metric("dcg", 20)] < high


def test_rows_come_by_method_then_retriever_as_asked() -> None:
    methods = [ByChunker(name, chunkers.build(name)) for name in ("recursive", "fixed")]
    embedder = HashEmbedder()
    rows = score(
        Sample(), [BOOK], methods, ["hybrid", "bm25", "dense"], rule=None, embedder=embedder, report=silent
    )
    assert [(row.chunker, row.retriever) for row in rows] == [
        (name, retriever) for name in ("recursive", "fixed") for retriever in ("hybrid", "bm25", "dense")
    ]
    assert {row.rule for row in rows} == {"span"}
    assert rows[0].strategy == repr(chunkers.build("recursive"))
    # The windows of the book, once for two chunkers and two retrievers.
    assert embedder.calls == len(set(methods[0].cut(BOOK, Sample()).windows))


@dataclass(frozen=True)
class TwoBooks:
    """One book with spans, one with gold strings alone."""

    name: str = "two"

    def books(self) -> tuple[str, ...]:
        return "Spanned", "Strings"

    def queries(self, book: str) -> tuple[Query, ...]:
        span = Span(0, 8) if book == "Spanned" else None
        asked = (("Spanned", "What turned?"), ("Strings", "What turned?"), ("Strings", "Who spoke?"))
        return tuple(
            Query(f"{book}/{at}", text, "", "The tide" if "turned" in text else "nobody", span)
            for at, (of, text) in enumerate(asked)
            if of == book
        )

    def text(self, book: str) -> str:  # noqa: ARG002 - both tell the same
        return "The tide turned.\n\nA rope lay there."

    def files(self, book: str) -> tuple[Path, ...]:  # noqa: ARG002 - none is read
        return ()


def test_books_under_different_rules_share_no_row() -> None:
    paragraph = ByChunker("paragraph", chunkers.build("paragraph"))
    rows = score(
        TwoBooks(), TwoBooks().books(), [paragraph], ["bm25"], rule=None, embedder=None, report=silent
    )
    assert [(row.rule, row.books, row.questions, row.ceiling) for row in rows] == [
        ("span", ("Spanned",), 1, 1.0),
        ("substring", ("Strings",), 2, 0.5),
    ]


def test_one_rule_for_all_makes_one_row_in_which_books_weigh_the_same() -> None:
    paragraph = ByChunker("paragraph", chunkers.build("paragraph"))
    (row,) = score(
        TwoBooks(), TwoBooks().books(), [paragraph], ["bm25"], rule="substring", embedder=None, report=silent
    )
    assert row.books == ("Spanned", "Strings")
    assert row.questions == 3
    assert row.ceiling == row.means[Metric("dcg", 1)] == 0.75


def test_a_rule_that_one_book_cannot_have_is_refused() -> None:
    with pytest.raises(InvalidValue, match="rule span needs questions with start and end"):
        score(TwoBooks(), ["Strings"], [FIXED], ["bm25"], rule="span", embedder=None, report=silent)


def test_chunks_from_a_file_are_scored_on_the_books_that_it_has() -> None:
    mine = FromFile("mine", ChunkFile("mine.jsonl", "0" * 64), {"Strings": ("The tide turned.", "A rope.")})
    said: list[str] = []
    (row,) = score(
        TwoBooks(),
        TwoBooks().books(),
        [mine],
        ["lexical"],
        rule=None,
        embedder=HashEmbedder(),
        report=said.append,
    )
    assert (row.chunker, row.books, row.rule, row.picker) == ("mine", ("Strings",), "substring", None)
    assert row.strategy.startswith("ChunkFile(name='mine.jsonl', sha256='000")
    assert "mine has no chunks of Spanned: left out of its row" in said


def test_a_file_with_none_of_the_books_is_refused() -> None:
    mine = FromFile("mine", ChunkFile("mine.jsonl", "0" * 64), {"Other": ("The tide turned.",)})
    with pytest.raises(NotFound, match=r"mine.jsonl.* holds no chunks of Spanned, Strings"):
        score(TwoBooks(), TwoBooks().books(), [mine], ["bm25"], rule=None, embedder=None, report=silent)


def test_a_chunker_that_asks_a_picker_names_it() -> None:
    @dataclass(frozen=True)
    class Picker:
        name: str

    @dataclass(frozen=True)
    class Asking:
        picker: Picker

        def split(self, text: str) -> list[Span]:
            return [Span(0, len(text))]

    asking = ByChunker("lumber", Asking(Picker("chat:small")))
    (row,) = score(Sample(), [BOOK], [asking], ["bm25"], rule=None, embedder=None, report=silent)
    assert (row.picker, row.label) == ("chat:small", "lumber[chat:small]")
