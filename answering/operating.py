"""From what probability to answer, by an objective that can be said in a sentence."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from core.errors import InvalidValue

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
    from scipy.stats import beta

    for name, value in (("precision", precision), ("delta", delta)):
        if not 0 < value < 1:
            raise InvalidValue(f"a promised {name} must be in (0, 1), got {value}")
    falling = -np.sort(-probabilities)
    found = None
    for share in np.arange(LEAST_SHARE, 1 + _STEP / 2, _STEP):
        threshold = (
            falling[min(max(math.ceil(share * len(falling)), 1), len(falling)) - 1] if len(falling) else 1
        )
        given = probabilities >= threshold
        hits, many = int(right[given].sum()), int(given.sum())
        if not hits or float(beta.ppf(delta, hits, many - hits + 1)) < precision:
            break
        found = float(threshold)
    return found
