"""From what probability few questions without an answer get one."""

from __future__ import annotations

import numpy as np
import pytest

from answering.false_answers import seldom
from core.errors import InvalidValue


def test_few_of_each_kind_reach_the_threshold_and_fewer_than_promised() -> None:
    easy, hard = np.linspace(0, 0.3, 500), np.linspace(0, 0.9, 500)
    threshold = seldom([easy, hard])
    assert threshold is not None
    assert not (easy >= threshold).any()
    assert 0.06 < (hard >= threshold).mean() < 0.1
    alone = seldom([easy])
    assert alone is not None
    assert alone < threshold


def test_the_promise_is_kept_nine_times_in_ten_on_other_questions_of_the_kind() -> None:
    chance = np.random.default_rng(5)
    kept = []
    for _ in range(200):
        threshold = seldom([chance.random(300)])
        assert threshold is not None
        kept.append(1 - threshold <= 0.1)  # the share of uniform probabilities that reach it
    assert np.mean(kept) >= 0.85


def test_equals_are_answered_together_or_not_at_all() -> None:
    threshold = seldom([np.array([0.5] * 50 + [0.2] * 350)])
    assert threshold is not None
    assert threshold > 0.5


def test_too_few_questions_promise_nothing_and_no_kind_forbids_nothing() -> None:
    assert seldom([np.linspace(0, 1, 400), np.zeros(5)]) is None
    assert seldom([]) == 0.0


@pytest.mark.parametrize("most", [0.0, 1.0])
def test_a_share_is_between_none_and_all(most: float) -> None:
    with pytest.raises(InvalidValue, match="share of false answers must be in"):
        seldom([np.zeros(9)], most)
