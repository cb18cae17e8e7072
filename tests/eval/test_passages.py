"""Passage scores against a reading of their definition character by character."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InvalidValue
from core.values import Span
from eval.metrics import PassageScores, passage_scores, precision_omega

SPANS = st.tuples(st.integers(0, 30), st.integers(1, 12)).map(lambda one: Span(one[0], one[0] + one[1]))


def characters(spans: list[Span]) -> set[int]:
    return {at for span in spans for at in range(span.start, span.end)}


@given(st.lists(SPANS, min_size=1, max_size=4), st.lists(SPANS, max_size=6), st.integers(0, 20))
def test_scores_equal_their_definition(references: list[Span], chunks: list[Span], elsewhere: int) -> None:
    held = characters(chunks)
    found = len(characters(references) & held)
    missed = sum(at not in held for span in references for at in range(span.start, span.end))
    retrieved = sum(map(len, chunks)) + elsewhere
    scores = passage_scores(references, chunks, elsewhere=elsewhere)
    assert scores.recall == pytest.approx(found / sum(map(len, references)))
    assert scores.precision == pytest.approx(found / retrieved if retrieved else 0.0)
    assert scores.iou == pytest.approx(found / (retrieved + missed) if retrieved + missed else 0.0)


@given(st.lists(SPANS, min_size=1, max_size=4), st.lists(SPANS, max_size=6))
def test_precision_omega_is_the_iou_of_all_that_meets_a_reference(
    references: list[Span], chunks: list[Span]
) -> None:
    meeting = [
        chunk
        for chunk in chunks
        if any(chunk.start <= one.end and one.start <= chunk.end for one in references)
    ]
    wanted, held = characters(references), characters(meeting)
    assert precision_omega(references, chunks) == pytest.approx(len(wanted & held) / len(wanted | held))


def test_what_is_retrieved_twice_counts_once_as_found_and_twice_as_retrieved() -> None:
    found = passage_scores([Span(0, 10)], [Span(0, 10), Span(0, 10)])
    assert found == PassageScores(recall=1.0, precision=0.5, iou=0.5)


def test_a_chunk_that_is_the_reference_is_perfect_and_none_is_nothing() -> None:
    assert passage_scores([Span(5, 9)], [Span(5, 9)]) == PassageScores(1.0, 1.0, 1.0)
    assert passage_scores([Span(5, 9)], []) == PassageScores(0.0, 0.0, 0.0)
    assert passage_scores([Span(5, 9)], [Span(9, 20)]) == PassageScores(0.0, 0.0, 0.0)
    assert precision_omega([Span(5, 9)], []) == 0.0


def test_references_without_a_character_are_refused() -> None:
    with pytest.raises(InvalidValue, match="references must hold at least one character, got none"):
        passage_scores([], [Span(0, 5)])
    with pytest.raises(InvalidValue, match="references must hold"):
        passage_scores([Span(3, 3)], [Span(0, 5)])
