"""The interval of a ratio of sums."""

from __future__ import annotations

import numpy as np
import pytest

from core.errors import InvalidValue
from eval.significance import bootstrap_interval, ratio_interval


def test_of_wholes_of_one_it_is_the_interval_of_the_mean() -> None:
    values = np.random.default_rng(5).random(200).tolist()
    assert ratio_interval(values, [1.0] * 200) == pytest.approx(bootstrap_interval([values]))


def test_it_holds_the_ratio_and_repeats() -> None:
    parts, wholes = [2.0, 0.0, 0.0, 2.0] * 20, [2.0, 1.0, 1.0, 3.0] * 20
    low, high = ratio_interval(parts, wholes)
    assert low < sum(parts) / sum(wholes) < high
    assert ratio_interval(parts, wholes) == (low, high)


def test_nothing_and_wholes_of_nothing_give_zero() -> None:
    assert ratio_interval([], []) == (0.0, 0.0)
    assert ratio_interval([1.0, 1.0], [0.0, 0.0]) == (0.0, 0.0)
    with pytest.raises(InvalidValue, match="each part must have its whole, got 1 and 0"):
        ratio_interval([1.0], [])
