"""Intervals are repeatable, keep every book's weight and narrow with more questions."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from core.errors import InvalidValue
from eval.significance import Difference, bootstrap_interval, holm, paired_difference, permutation_p


def test_the_same_seed_gives_the_same_interval() -> None:
    values = [[0.0, 1.0, 0.5, 0.25], [1.0, 1.0, 0.0]]
    assert bootstrap_interval(values) == bootstrap_interval(values)
    assert bootstrap_interval(values, seed=1) != bootstrap_interval(values, seed=2)


def test_the_interval_of_a_large_book_is_the_normal_one() -> None:
    values = np.random.default_rng(5).random(900)
    low, high = bootstrap_interval([values.tolist()])
    half = 1.96 * values.std() / np.sqrt(len(values))
    assert low == pytest.approx(values.mean() - half, abs=half / 8)
    assert high == pytest.approx(values.mean() + half, abs=half / 8)


def test_books_are_not_drawn_and_weigh_the_same() -> None:
    # Within each book nothing varies, so neither does the mean of the two, whatever their sizes.
    low, high = bootstrap_interval([[1.0] * 50, [0.0] * 2])
    assert low == pytest.approx(0.5)
    assert high == pytest.approx(0.5)


def test_no_values_give_zero() -> None:
    assert bootstrap_interval([]) == (0.0, 0.0)
    assert bootstrap_interval([[]]) == (0.0, 0.0)


def books(*columns: list[float]) -> list[dict[str, float]]:
    return [{f"q{at}": value for at, value in enumerate(column)} for column in columns]


def test_a_difference_is_that_of_the_means_over_books() -> None:
    ours, baseline = books([1.0, 0.0], [1.0]), books([0.0, 0.0], [0.5])
    found = paired_difference(ours, baseline)
    assert found.mean == pytest.approx(0.5)
    assert found.low <= found.mean <= found.high
    assert paired_difference(ours, baseline) == found
    swapped = paired_difference(baseline, ours)
    assert (swapped.mean, swapped.low, swapped.high) == pytest.approx((-found.mean, -found.high, -found.low))


def test_a_constant_gain_is_shown_however_much_questions_vary() -> None:
    base = np.random.default_rng(3).random(60).tolist()
    gained = books([value + 0.1 for value in base])
    found = paired_difference(gained, books(base))
    assert (found.low, found.high) == pytest.approx((0.1, 0.1))
    assert found.shown
    # Unpaired, the two intervals would overlap widely.
    assert bootstrap_interval([base])[1] > bootstrap_interval([[value + 0.1 for value in base]])[0]


def test_questions_are_paired_by_their_ids() -> None:
    ours, baseline = [{"a": 1.0, "b": 0.0}] * 3, [{"b": 0.0, "a": 1.0}] * 3
    assert paired_difference(ours, baseline) == Difference(0.0, 0.0, 0.0)
    assert not paired_difference(ours, baseline).shown


def test_books_are_drawn_too() -> None:
    # Within each book nothing varies: what is left is the drawing of books.
    gains = [[0.0] * 9, [1.0] * 9, [0.0] * 9, [1.0] * 9]
    found = paired_difference(books(*gains), books(*[[0.0] * 9] * 4))
    assert (found.mean, found.low, found.high) == (0.5, 0.0, 1.0)


def test_the_interval_of_many_questions_is_the_normal_one() -> None:
    values = np.random.default_rng(5).normal(0.1, 1, 900)
    found = paired_difference(books(values.tolist()), books([0.0] * 900))
    half = 1.96 * values.std() / np.sqrt(len(values))
    assert found.low == pytest.approx(values.mean() - half, abs=half / 8)
    assert found.high == pytest.approx(values.mean() + half, abs=half / 8)


def test_the_permutation_test_is_near_the_share_of_all_sign_flips() -> None:
    gains = [[0.3, -0.1, 0.4, 0.2], [0.1, 0.25, -0.05]]
    observed = np.mean([np.mean(gain) for gain in gains])
    means = [
        np.mean([np.mean([s * v for s, v in zip(signs[:4], gains[0], strict=True)]),
                 np.mean([s * v for s, v in zip(signs[4:], gains[1], strict=True)])])
        for signs in itertools.product([1, -1], repeat=7)
    ]  # fmt: skip
    exact = np.mean([abs(mean) >= abs(observed) - 1e-12 for mean in means])
    zeros = books([0.0] * 4, [0.0] * 3)
    assert permutation_p(books(*gains), zeros) == pytest.approx(exact, abs=0.03)
    assert permutation_p(books(*gains), zeros) == permutation_p(zeros, books(*gains))


def test_no_difference_has_a_p_of_one_and_a_large_one_the_least_there_is() -> None:
    assert permutation_p(books([0.5] * 9), books([0.5] * 9)) == 1.0
    assert permutation_p(books([1.0] * 40), books([0.0] * 40)) == pytest.approx(1 / 2_001)
    assert permutation_p([], []) == 1.0
    assert paired_difference([], []) == Difference(0.0, 0.0, 0.0)
    assert paired_difference([{}], [{}]) == Difference(0.0, 0.0, 0.0)


def test_sides_that_cannot_be_paired_are_refused() -> None:
    with pytest.raises(InvalidValue, match="same books, got 2 for 1"):
        paired_difference(books([1.0]), books([1.0], [1.0]))
    with pytest.raises(InvalidValue, match="same queries, q1 in book 0 is in one alone"):
        permutation_p(books([1.0, 0.0]), books([1.0]))


def test_holm_raises_the_smallest_most_and_keeps_the_order() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []
