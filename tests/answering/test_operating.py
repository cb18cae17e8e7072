"""Thresholds with a stated objective: F, and a precision that is promised or said to be out of reach."""

from __future__ import annotations

import re

import numpy as np
import pytest

from answering.operating import LEAST_SHARE, PROMISE, best_f, points, promisable, promised
from core.errors import InvalidValue

pytest.importorskip("scipy", reason="scipy is not installed: make test installs it")


def drawn(seed: int, n: int = 500) -> tuple[np.ndarray, np.ndarray]:
    """Calibrated probabilities and what became of them."""
    rng = np.random.default_rng(seed)
    probabilities = rng.beta(1.2, 2.0, size=n)
    return probabilities, rng.random(n) < probabilities


def test_the_best_threshold_is_the_best_of_all() -> None:
    probabilities, right = drawn(1)
    answerable = int(right.sum()) + 40
    for beta in (1.0, 2.0):
        chosen = best_f(probabilities, right, answerable, beta=beta)

        def worth(threshold: float, beta: float = beta) -> float:
            given = probabilities >= threshold
            return (1 + beta**2) * int(right[given].sum()) / (int(given.sum()) + beta**2 * answerable)

        assert worth(chosen) == max(worth(one) for one in probabilities)
    assert best_f(probabilities, right, answerable, beta=2.0) <= best_f(probabilities, right, answerable)


def test_equals_are_answered_together() -> None:
    assert best_f(np.array([0.5, 0.5, 0.5]), np.array([True, False, False]), 1) == 0.5
    with pytest.raises(InvalidValue, match="at least one question"):
        best_f(np.empty(0), np.empty(0, dtype=bool), 0)


def test_a_promise_is_kept_on_other_questions_as_often_as_it_says() -> None:
    world, truth = drawn(0, n=200_000)
    broken = found = 0
    for seed in range(1, 101):
        threshold = promised(*drawn(seed), 0.6)
        if threshold is not None:
            found += 1
            broken += bool(truth[world >= threshold].mean() < 0.6)
    assert found > 50  # it can be promised here, and is
    assert broken <= 20  # of 100, where 10 are expected at most


def test_what_cannot_be_promised_is_said_to_be_unreachable() -> None:
    probabilities, right = drawn(2)
    assert promised(probabilities, right, 0.99) is None
    assert promised(probabilities, np.zeros(len(right), dtype=bool), 0.1) is None
    assert promised(np.empty(0), np.empty(0, dtype=bool), 0.6) is None


def test_a_promise_covers_the_least_share_of_questions() -> None:
    probabilities, right = drawn(3)
    threshold = promised(probabilities, right, 0.6)
    assert threshold is not None
    assert (probabilities >= threshold).mean() >= LEAST_SHARE


@pytest.mark.parametrize("precision", [0.0, 1.0, -1.0])
def test_a_promise_must_be_a_share(precision: float) -> None:
    with pytest.raises(InvalidValue, match=r"a promised precision must be in \(0, 1\)"):
        promised(np.array([0.5]), np.array([True]), precision)
    with pytest.raises(InvalidValue, match=r"a promised delta must be in \(0, 1\)"):
        promised(np.array([0.5]), np.array([True]), 0.5, delta=precision)


def test_what_could_be_promised_instead_is_the_most_that_is_not_out_of_reach() -> None:
    for seed in range(5):
        probabilities, right = drawn(seed)
        most = promisable(probabilities, right)
        assert promised(probabilities, right, most) is not None
        assert promised(probabilities, right, most + 0.011) is None
    assert promisable(np.array([0.5, 0.4]), np.array([False, False])) == 0.0
    assert promisable(np.empty(0), np.empty(0, dtype=bool)) == 0.0


def test_every_point_is_there_or_says_why_not() -> None:
    probabilities, right = drawn(3)
    answerable = int(right.sum()) + 40
    balanced = best_f(probabilities, right, answerable)
    found, unreachable = points(probabilities, right, answerable, balanced)
    assert found["eager"] <= balanced <= found["careful"] + 1e-6
    assert unreachable == {}
    given = right[probabilities >= found["careful"]]
    assert given.mean() >= PROMISE
    found, unreachable = points(probabilities, right & (np.arange(len(right)) % 3 > 0), answerable, balanced)
    assert set(found) == {"eager"}
    assert re.fullmatch(
        r"a precision of 0.6 cannot be promised on a tenth of the questions, only 0\.\d+",
        unreachable["careful"],
    )


def test_eager_is_never_above_a_balance_that_was_found_on_other_questions() -> None:
    probabilities, right = drawn(3)
    found, _ = points(probabilities, right, int(right.sum()), 1e-3)
    assert found["eager"] == 1e-3
