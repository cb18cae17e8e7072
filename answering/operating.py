"""From what probability to answer, by an objective that can be said in a sentence."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from answering.trigger import CAREFUL, EAGER
from core.errors import InvalidValue

PROMISE = 0.6  # the precision of `careful`
RECALL = 2.0  # how many times as much recall counts at `eager`
DELTA = 0.1
# A promise is tried on the surest tenth of the questions first, then on ever more of them.
LEAST_SHARE = 0.1
_STEP = 0.01


def best_f(
    probabilities: NDArray[np.float64], right: NDArray[np.bool_], answerable: int, *, beta: float = 1.0
) -> float:
    """The probability at which F-beta of triggering is greatest, the highest of equals.

    Args:
        probabilities: (n,) of each question's top sentence.
        right: (n,) whether it is right.
        answerable: how many of the questions have an answer, of which recall is the share.
        beta: how many times as much recall counts.

    Raises:
        InvalidValue: there are no questions.
    """
    if not len(probabilities):
        raise InvalidValue("a threshold needs at least one question, got none")
    order = np.argsort(-probabilities, kind="stable")
    falling, hits = probabilities[order], np.cumsum(right[order])
    weight = beta**2
    values = (1 + weight) * hits / (np.arange(1, len(hits) + 1) + weight * max(answerable, 1))
    last = np.append(falling[1:] != falling[:-1], True)
    return float(falling[last][np.argmax(values[last])])


def promised(
    probabilities: NDArray[np.float64], right: NDArray[np.bool_], precision: float, *, delta: float = DELTA
) -> float | None:
    """The least probability from which at least ``precision`` of the answers are right, None if unreachable.

    Shares of the questions are tried from `LEAST_SHARE` on, one hundredth more at a time, until the lower
    Clopper-Pearson bound of the share that is right falls below; since the order of tries is fixed
    beforehand, the promise is broken with probability ``delta`` at most on questions of the same kind.

    Raises:
        InvalidValue: unless precision and delta are in (0, 1).

    Source: Clopper and Pearson 1934; Angelopoulos et al. 2021, "Learn then Test", fixed sequence testing.
    """
    for name, value in (("precision", precision), ("delta", delta)):
        if not 0 < value < 1:
            raise InvalidValue(f"a promised {name} must be in (0, 1), got {value}")
    found = None
    for share in np.arange(LEAST_SHARE, 1 + _STEP / 2, _STEP):
        threshold = _surest(probabilities, share)
        if _bound(right[probabilities >= threshold], delta) < precision:
            break
        found = threshold
    return found


def promisable(
    probabilities: NDArray[np.float64], right: NDArray[np.bool_], *, delta: float = DELTA
) -> float:
    """The highest precision, in hundredths, that `promised` does not call unreachable; 0 without any."""
    surest = right[probabilities >= _surest(probabilities, LEAST_SHARE)]
    return math.floor(100 * _bound(surest, delta)) / 100


def points(
    probabilities: NDArray[np.float64], right: NDArray[np.bool_], answerable: int, balanced: float
) -> tuple[dict[str, float], dict[str, str]]:
    """Thresholds of the operating points beside ``balanced``, rounded down; and why one cannot be had.

    ``careful`` promises a precision of `PROMISE` and is never below ``balanced``, for what is promised of a
    threshold is promised of every higher one that was tried; ``eager`` is the best F with recall counted
    `RECALL` times as much, and never above ``balanced``, which may come from other questions.
    """
    eager = min(best_f(probabilities, right, answerable, beta=RECALL), balanced)
    found = {EAGER: rounded_down(eager)}
    careful = promised(probabilities, right, PROMISE)
    if careful is not None:
        return {CAREFUL: rounded_down(max(careful, balanced)), **found}, {}
    least = "a tenth of the questions"
    why = f"a precision of {PROMISE} cannot be promised on {least}, only {promisable(probabilities, right)}"
    return found, {CAREFUL: why}


def rounded_down(threshold: float) -> float:
    """To six places, so that the question whose probability it is stays answered."""
    return math.floor(threshold * 1e6) / 1e6


def _surest(probabilities: NDArray[np.float64], share: float) -> float:
    """The least probability of that share of the questions, the surest first; 1 without questions."""
    falling = -np.sort(-probabilities)
    place = min(max(math.ceil(share * len(falling)), 1), len(falling)) - 1
    return float(falling[place]) if len(falling) else 1.0


def _bound(right: NDArray[np.bool_], delta: float) -> float:
    """The lower Clopper-Pearson bound of the share that is right, 0 when none is."""
    from scipy.stats import beta

    hits = int(right.sum())
    return float(beta.ppf(delta, hits, len(right) - hits + 1)) if hits else 0.0
