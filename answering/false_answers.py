"""From what probability to answer, so that few questions without an answer get one."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from answering.operating import DELTA
from core.errors import InvalidValue

MOST = 0.1  # of the questions of a kind that has no answer, those that `careful` may answer


def seldom(kinds: Iterable[NDArray[np.float64]], most: float = MOST, *, delta: float = DELTA) -> float | None:
    """The least probability from which at most that share of each kind is answered; None if unreachable.

    Of each kind the upper Clopper-Pearson bound is held below ``most``, so that on questions of the same kind
    the promise is broken with probability ``delta`` at most; a kind of too few questions promises nothing.

    Args:
        kinds: of each kind of questions without an answer, the probabilities of their top sentences.

    Raises:
        InvalidValue: unless most and delta are in (0, 1).

    Source: Clopper and Pearson 1934.
    """
    for name, value in (("share of false answers", most), ("delta", delta)):
        if not 0 < value < 1:
            raise InvalidValue(f"a promised {name} must be in (0, 1), got {value}")
    found = [_least(probabilities, most, delta) for probabilities in kinds]
    return None if None in found else max((one for one in found if one is not None), default=0.0)


def _least(probabilities: NDArray[np.float64], most: float, delta: float) -> float | None:
    from scipy.stats import beta

    count = len(probabilities)
    answered = np.arange(count)
    allowed = np.flatnonzero(beta.ppf(1 - delta, answered + 1, count - answered) <= most)
    if not len(allowed):
        return None
    # The first that may not be answered, and everything that ties with it, stays below.
    first = np.sort(probabilities)[::-1][allowed[-1]]
    return float(np.nextafter(first, 2.0))
