"""A baseline is a row that there is, and rows are compared with the one of the same kind."""

from __future__ import annotations

import pytest

from core.errors import InvalidValue
from eval.baselines import Baseline, table_compared
from eval.table import TableRow

ROWS = {("fixed", "bm25"), ("fixed", "dense"), ("even as a/b.jsonl", "bm25")}


def row(chunker: str, retriever: str, shape: str, values: list[float]) -> TableRow:
    labels = {"shape": shape, "chunker": chunker, "retriever": retriever}
    return TableRow(labels, {}, values={"dcg@20": dict(zip("abc", values, strict=True))})


def test_a_baseline_is_a_chunker_or_one_row_of_it() -> None:
    assert Baseline.named("fixed", ROWS) == Baseline("fixed")
    assert Baseline.named("fixed/dense", ROWS) == Baseline("fixed", "dense")
    assert Baseline.named("even as a/b.jsonl", ROWS) == Baseline("even as a/b.jsonl")
    with pytest.raises(InvalidValue, match=r"\(even as a/b.jsonl, fixed\), got 'fixed/hybrid'"):
        Baseline.named("fixed/hybrid", ROWS)


def test_a_row_is_compared_on_the_same_questions_with_the_baselines_row_of_its_kind() -> None:
    rows = [
        row("fixed", "bm25", "story", [0, 0, 0]),
        row("recursive", "bm25", "story", [1, 0, 1]),
        row("fixed", "bm25", "joined", [1, 1, 1]),
        row("recursive", "bm25", "joined", [1, 0, 1]),
    ]
    found = table_compared(rows, Baseline("fixed"), ["dcg@20", "er@500"])
    means = [one.differences["dcg@20"].mean if one.differences else None for one in found]
    assert means == [None, pytest.approx(2 / 3), None, pytest.approx(-1 / 3)]
    assert found[1].differences["dcg@20"].low < 2 / 3 < found[1].differences["dcg@20"].high


def test_one_row_may_be_the_baseline_of_every_retriever() -> None:
    rows = [row("fixed", "bm25", "story", [0, 0, 1]), row("fixed", "dense", "story", [1, 1, 1])]
    first, second = table_compared(rows, Baseline("fixed", "dense"), ["dcg@20"])
    assert first.differences["dcg@20"].mean == pytest.approx(-2 / 3)
    assert not second.differences
