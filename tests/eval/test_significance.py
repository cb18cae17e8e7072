"""Intervals are repeatable, keep every book's weight and narrow with more questions."""

from __future__ import annotations

import numpy as np
import pytest

from eval.significance import bootstrap_interval


def test_the_same_seed_gives_the_same_interval() -> None:
    books = [[0.0, 1.0, 0.5, 0.25], [1.0, 1.0, 0.0]]
    assert bootstrap_interval(books) == bootstrap_interval(books)
    assert bootstrap_interval(books, seed=1) != bootstrap_interval(books, seed=2)


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
