"""How well boundaries agree with those of a reference.

A text is a row of *units* (sentences or paragraphs), counted from 0. A boundary ``b`` in ``[1, units)``
stands before unit ``b``.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from core.errors import InvalidValue
from core.values import Span
from eval.formulas import ratio
from eval.triggering import PrecisionRecall


def pk(reference: Collection[int], found: Collection[int], units: int, *, k: int | None = None) -> float:
    """Share of pairs of units, k apart, of which only one side says that they lie in one segment.

    0 is perfect; a text of one unit gives 0.

    Args:
        k: units between the two of a pair; None takes half the mean segment of the reference, rounded
            half up, 1 at the least.

    Raises:
        InvalidValue: a boundary outside ``[1, units)``; unless ``1 <= k < units``.

    Source: Beeferman, Berger and Lafferty 1999, section 4.2, over ``units - k`` pairs.
    """
    ours, theirs = _crossed(reference, found, units, k)
    return float(np.mean((ours > 0) != (theirs > 0))) if len(ours) else 0.0


def window_diff(
    reference: Collection[int], found: Collection[int], units: int, *, k: int | None = None
) -> float:
    """Share of pairs of units, k apart, between which both sides have different numbers of boundaries.

    0 is perfect; a text of one unit gives 0. ``k`` and errors as in `pk`.

    Source: Pevzner and Hearst 2002, section 4.
    """
    ours, theirs = _crossed(reference, found, units, k)
    return float(np.mean(ours != theirs)) if len(ours) else 0.0


def boundary_scores(
    reference: Collection[int], found: Collection[int], *, tolerance: int = 0
) -> PrecisionRecall:
    """Boundaries matched one to one, at most ``tolerance`` units apart, as many as can be.

    Without any boundary on either side both agree: 1 and 1.

    Raises:
        InvalidValue: a tolerance below 0.
    """
    if tolerance < 0:
        raise InvalidValue(f"tolerance must be at least 0 units, got {tolerance}")
    ours, theirs = sorted(set(reference)), sorted(set(found))
    if not ours and not theirs:
        return PrecisionRecall(1.0, 1.0)
    matched = at = 0
    for boundary in ours:  # the earliest free partner leaves most for the later ones
        while at < len(theirs) and theirs[at] < boundary - tolerance:
            at += 1
        if at < len(theirs) and theirs[at] <= boundary + tolerance:
            matched += 1
            at += 1
    return PrecisionRecall(ratio(matched, len(theirs)), ratio(matched, len(ours)))


def unit_boundaries(chunks: Sequence[Span], units: Sequence[Span]) -> tuple[int, ...]:
    """Where chunks of a text part its units: before the unit whose start is nearest to a chunk's start.

    Of two as near the earlier counts. The first chunk opens the text and makes no boundary, nor does a
    chunk that starts nearest to the first unit.

    Args:
        units: in reading order.
    """
    starts = [unit.start for unit in units]
    found = set()
    for chunk in chunks[1:]:
        after = bisect_left(starts, chunk.start)
        near = [at for at in (after - 1, after) if 0 <= at < len(starts)]
        found.update(sorted(near, key=lambda at: abs(starts[at] - chunk.start))[:1])
    return tuple(sorted(found - {0}))


def _crossed(
    reference: Collection[int], found: Collection[int], units: int, k: int | None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """How many boundaries lie between unit i and unit i + k, for every i: the reference's, the found."""
    for boundary in (*reference, *found):
        if not 1 <= boundary < units:
            raise InvalidValue(f"a boundary must be in [1, units) = [1, {units}), got {boundary}")
    if units < 2:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    if k is None:
        k = max(1, (units + len(set(reference)) + 1) // (2 * (len(set(reference)) + 1)))
    if not 1 <= k < units:
        raise InvalidValue(f"k must be in [1, units) = [1, {units}), got {k}")
    return _between(reference, units, k), _between(found, units, k)


def _between(boundaries: Collection[int], units: int, k: int) -> NDArray[np.int64]:
    marks = np.zeros(units, np.int64)
    marks[sorted(set(boundaries))] = 1
    upto = np.cumsum(marks)  # boundaries before unit i or earlier ones
    return upto[k:] - upto[:-k]
