"""Intervals where questions come in groups."""

from __future__ import annotations

import numpy as np
import pytest

from eval.group_draws import GroupDraws
from eval.metrics import auroc


def test_a_group_is_drawn_whole_so_that_alike_questions_widen_the_interval() -> None:
    values = [1.0] * 20 + [0.0] * 20
    alone = GroupDraws.of([str(at) for at in range(40)]).share(values, [1] * 40)
    grouped = GroupDraws.of(["a"] * 20 + ["b"] * 20).share(values, [1] * 40)
    assert alone[0] > 0.3
    assert grouped == (0.0, 1.0)


def test_the_interval_of_auroc_holds_the_value_and_what_is_drawn_is_the_same_every_time() -> None:
    chance = np.random.default_rng(1)
    positive = chance.random(200) < 0.5
    confidences = np.round(chance.random(200) + positive * 0.4, 1)
    groups = [str(at % 20) for at in range(200)]
    low, high = GroupDraws.of(groups).auroc(confidences, positive, ~positive)
    value = auroc(confidences.tolist(), positive.tolist())
    assert value is not None
    assert low < value < high
    assert high - low < 0.25
    assert (low, high) == GroupDraws.of(groups).auroc(confidences, positive, ~positive)


def test_parted_values_have_an_auroc_of_one_and_no_questions_an_interval_of_nothing() -> None:
    draws = GroupDraws.of(["a", "b", "a", "b"])
    assert draws.auroc([1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 1]) == pytest.approx((1.0, 1.0))
    assert GroupDraws.of([]).share([], []) == (0.0, 0.0)
