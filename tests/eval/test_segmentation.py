"""Boundary measures against plain readings of their definitions."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InvalidValue
from core.values import Span
from eval.metrics import PrecisionRecall, boundary_scores, pk, unit_boundaries, window_diff

Case = tuple[int, set[int], set[int]]
CASES = st.integers(2, 14).flatmap(
    lambda units: st.tuples(
        st.just(units),
        st.sets(st.integers(1, units - 1)),
        st.sets(st.integers(1, units - 1)),
    )
)


def segments(boundaries: set[int], units: int) -> list[int]:
    """For each unit, which segment it lies in."""
    return list(itertools.accumulate(int(unit in boundaries) for unit in range(units)))


def half_mean(reference: set[int], units: int) -> int:
    return max(1, int(Fraction(units, 2 * (len(reference) + 1)) + Fraction(1, 2)))


@given(CASES, st.none() | st.integers(1, 13))
def test_pk_is_the_share_of_pairs_on_which_the_sides_differ(case: Case, asked: int | None) -> None:
    units, reference, found = case
    k = None if asked is None else min(asked, units - 1)
    width = k or half_mean(reference, units)
    ours, theirs = segments(reference, units), segments(found, units)
    differ = [
        (ours[at] == ours[at + width]) != (theirs[at] == theirs[at + width]) for at in range(units - width)
    ]
    assert pk(reference, found, units, k=k) == pytest.approx(sum(differ) / len(differ))


@given(CASES, st.none() | st.integers(1, 13))
def test_window_diff_counts_the_boundaries_between_each_pair(case: Case, asked: int | None) -> None:
    units, reference, found = case
    k = None if asked is None else min(asked, units - 1)
    width = k or half_mean(reference, units)
    differ = [
        len([b for b in reference if at < b <= at + width]) != len([b for b in found if at < b <= at + width])
        for at in range(units - width)
    ]
    assert window_diff(reference, found, units, k=k) == pytest.approx(sum(differ) / len(differ))


@given(CASES)
def test_a_segmentation_agrees_with_itself(case: Case) -> None:
    units, reference, _ = case
    assert pk(reference, reference, units) == 0.0
    assert window_diff(reference, reference, units) == 0.0
    assert boundary_scores(reference, reference).f1 == 1.0


def test_window_diff_sees_what_pk_does_not() -> None:
    # Pevzner and Hearst's complaint: a second boundary inside the window costs nothing under Pk.
    assert pk({5}, {4, 5}, 10, k=4) < window_diff({5}, {4, 5}, 10, k=4)


def test_one_unit_and_no_boundaries() -> None:
    assert pk(set(), set(), 1) == window_diff(set(), set(), 1) == 0.0
    assert pk(set(), set(), 5) == 0.0
    assert pk({1, 2, 3, 4}, set(), 5) == window_diff({1, 2, 3, 4}, set(), 5) == 1.0


@given(st.sets(st.integers(1, 12), max_size=5), st.sets(st.integers(1, 12), max_size=5), st.integers(0, 4))
def test_boundaries_are_matched_as_well_as_can_be(
    reference: set[int], found: set[int], tolerance: int
) -> None:
    few, many = sorted((sorted(reference), sorted(found)), key=len)
    best = max(
        sum(abs(one - other) <= tolerance for one, other in zip(few, partners, strict=True))
        for partners in itertools.permutations(many, len(few))
    )
    scores = boundary_scores(reference, found, tolerance=tolerance)
    if not reference and not found:
        assert scores == PrecisionRecall(1.0, 1.0)
    else:
        assert scores.precision == (best / len(found) if found else 0.0)
        assert scores.recall == (best / len(reference) if reference else 0.0)


def test_one_boundary_matches_one_alone() -> None:
    assert boundary_scores({5}, {4, 5, 6}, tolerance=1) == PrecisionRecall(1 / 3, 1.0)
    assert boundary_scores({5}, set()) == boundary_scores(set(), {5}) == PrecisionRecall(0.0, 0.0)


UNITS = [Span(0, 10), Span(11, 20), Span(22, 30), Span(31, 40)]


@pytest.mark.parametrize(
    ("starts", "expected"),
    [
        ([0, 11, 31], (1, 3)),  # at unit starts
        ([0, 13, 29], (1, 3)),  # inside units: the nearest start
        ([0, 2], ()),  # nearest to the first unit: it parts nothing
        ([0, 23, 24], (2,)),  # two chunks at one boundary are one
        ([0, 100], (3,)),  # past the last unit
        ([0], ()),
        ([], ()),
    ],
)
def test_chunk_starts_become_boundaries_between_units(starts: list[int], expected: tuple[int, ...]) -> None:
    chunks = [Span(start, start + 5) for start in starts]
    assert unit_boundaries(chunks, UNITS) == expected


def test_of_two_unit_starts_as_near_the_earlier_counts() -> None:
    assert unit_boundaries([Span(0, 5), Span(15, 20)], [Span(0, 9), Span(10, 19), Span(20, 29)]) == (1,)


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(InvalidValue, match=r"a boundary must be in \[1, units\) = \[1, 5\), got 5"):
        pk({5}, set(), 5)
    with pytest.raises(InvalidValue, match=r"got 0"):
        window_diff(set(), {0}, 5)
    with pytest.raises(InvalidValue, match=r"k must be in \[1, units\) = \[1, 5\), got 5"):
        pk({1}, {1}, 5, k=5)
    with pytest.raises(InvalidValue, match=r"k must be in .*got 0"):
        window_diff({1}, {1}, 5, k=0)
    with pytest.raises(InvalidValue, match="tolerance must be at least 0 units, got -1"):
        boundary_scores({1}, {1}, tolerance=-1)
