"""Judgements follow the rule that the report prints."""

from __future__ import annotations

import numpy as np
import pytest

from core.errors import InvalidValue
from core.values import Span
from eval.relevance import first_relevant, gold_of, judge, rule_for
from eval.values import ChunkedBook, Query

TEXT = "The Sow lay across the bay. Nobody crossed it at low water."


def book(*spans: tuple[int, int]) -> ChunkedBook:
    placed = tuple(Span(*span) for span in spans)
    return ChunkedBook(tuple(span.of(TEXT) for span in placed), placed, (), np.empty((0, 2), np.int32))


def query(gold: str, span: Span | None = None) -> Query:
    return Query("q", "Which?", "", gold, span)


def test_substring_ignores_case_and_nothing_else() -> None:
    cut = book((0, 27), (28, 59))
    assert judge("substring", [query("THE SOW lay")], cut) == {"q": {"0": 1}}
    assert judge("substring", [query("the  sow")], cut) == {"q": {}}


def test_substring_finds_every_repeat() -> None:
    assert judge("substring", [query("a")], book((0, 27), (28, 59))) == {"q": {"0": 1, "1": 1}}


def test_span_wants_the_whole_evidence_inside_one_chunk() -> None:
    straddling = query("bay. Nobody", Span(23, 34))
    assert judge("span", [straddling], book((0, 27), (28, 59))) == {"q": {}}
    assert judge("span", [straddling], book((0, 34), (23, 59))) == {"q": {"0": 1, "1": 1}}


def test_span_is_not_fooled_by_the_same_words_elsewhere() -> None:
    assert judge("span", [query("a", Span(24, 25))], book((0, 20), (20, 59))) == {"q": {"1": 1}}


def test_a_proposition_is_relevant_by_the_golds_own_words_for_propositions() -> None:
    asked = Query("q", "Which?", "", "Nobody crossed it", proposition="the sow LAY across")
    assert judge("proposition", [asked], book((0, 27), (28, 59))) == {"q": {"0": 1}}
    with pytest.raises(InvalidValue, match="q has none"):
        gold_of("proposition", query("a"))


def test_only_the_first_relevant_id_of_a_ranking_counts() -> None:
    qrels = {"q": {"a": 1, "b": 1, "c": 0}, "unranked": {"x": 1, "y": 1}, "none": {}}
    run = {"q": {"c": 3.0, "b": 2.0, "a": 1.0}}
    assert first_relevant(qrels, run) == {"q": {"b": 1}, "unranked": {"x": 1}, "none": {}}


def test_the_rule_is_span_where_questions_and_chunks_have_spans() -> None:
    spanned, plain = [query("a", Span(24, 25))], [query("a")]
    assert rule_for(None, spanned, placed=True) == "span"
    assert rule_for(None, spanned, placed=False) == "substring"
    assert rule_for(None, plain, placed=True) == "substring"
    assert rule_for("substring", spanned, placed=True) == "substring"


def test_the_rule_is_proposition_where_chunks_are_rewritten_and_questions_have_such_golds() -> None:
    plain, told = [query("a")], [Query("q", "", "", "a", proposition="b")]
    assert rule_for(None, told, placed=False, rewritten=True) == "proposition"
    assert rule_for(None, told, placed=False) == "substring"
    assert rule_for(None, plain, placed=False, rewritten=True) == "substring"
    assert rule_for("substring", told, placed=False, rewritten=True) == "substring"
    with pytest.raises(InvalidValue, match="Proposition Answer for every question"):
        rule_for("proposition", plain, placed=False, rewritten=True)


@pytest.mark.parametrize(
    ("queries", "placed", "missing"),
    [
        ([query("a")], True, "questions with start and end"),
        ([query("a", Span(24, 25))], False, "cut from the book"),
    ],
)
def test_a_span_rule_that_cannot_be_applied_is_refused(
    queries: list[Query], placed: bool, missing: str
) -> None:
    with pytest.raises(InvalidValue, match=missing):
        rule_for("span", queries, placed=placed)
