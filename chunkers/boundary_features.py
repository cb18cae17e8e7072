"""What tells whether the content shifts right before a passage, as numbers.

Headings and rules between scenes are no part of the passages here: a model that reads these features knows
a shift by its content alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from chunkers.contexts import Contexts, cosines
from chunkers.names import NewNames, names_in_play
from chunkers.openings import OPENING_FEATURES, opening_features
from core.protocols import Vectors
from core.values import Span

NEAR, FAR = 400, 1_600  # characters before and after a place that are compared

Column = NDArray[np.float64]
Ints = NDArray[np.int64]

WORD_FEATURES = (
    "length",
    "length before",
    "length two before",
    "length after",
    "length around",
    "names new",
    "names met",
    "names before",
    *OPENING_FEATURES,
)
VECTOR_FEATURES = (
    "likeness near",
    "likeness far",
    "likeness beyond",
    "leans on",
    "left leaning back",
    "into its window",
    "rest of its window",
)

# Places looked at together: bounds the memory on texts of any length.
_TOGETHER = 4_096


def word_features(text: str, units: Sequence[Span]) -> NDArray[np.float64]:
    """(n, len(WORD_FEATURES)): what is found right before each of n units; the first has no meaning.

    Args:
        units: passages of prose in reading order, without overlap.
    """
    passages = [unit.of(text) for unit in units]
    names = names_in_play(passages, units)
    columns = {**_lengths(units), **_names(names), **opening_features(passages)}
    return _table(columns, WORD_FEATURES)


def vector_features(units: Sequence[Span], windows: Sequence[Span], vectors: Vectors) -> NDArray[np.float64]:
    """(n, len(VECTOR_FEATURES)), as `word_features`.

    Args:
        windows: what was embedded, in reading order, without overlap.
        vectors: (m, d) of the windows.
    """
    starts, ends = _bounds(units)
    edges, stops = _bounds(windows)
    parts = [
        _vector_columns(starts[low:high], ends[low:high], _last(starts, low, high), edges, stops, vectors)
        for low, high in pairwise([*range(0, len(units), _TOGETHER), len(units)])
    ]
    tables = [_table(part, VECTOR_FEATURES) for part in parts]
    return np.concatenate(tables) if tables else np.zeros((0, len(VECTOR_FEATURES)))


def _vector_columns(
    starts: Ints, ends: Ints, last: Ints, edges: Ints, stops: Ints, vectors: Vectors
) -> dict[str, Column]:
    """Of places that follow one another; ``last`` is where the unit before each starts."""
    within = slice(
        int(np.searchsorted(stops, last[0] - FAR, side="right")),
        int(np.searchsorted(edges, ends[-1] + 2 * FAR, side="left")) or 1,
    )
    contexts = Contexts(edges[within], stops[within], vectors[within])
    here, ended = contexts.upto(starts), contexts.upto(ends)
    far_before, far_after = here - contexts.upto(starts - FAR), contexts.upto(starts + FAR) - here
    left = contexts.upto(last)
    beyond = contexts.upto(starts + FAR + FAR // 2) - contexts.upto(starts + FAR // 2)
    its_window = np.clip(np.searchsorted(edges, starts, side="right") - 1, 0, None)
    return {
        "likeness near": cosines(here - contexts.upto(starts - NEAR), contexts.upto(starts + NEAR) - here),
        "likeness far": cosines(far_before, far_after),
        # Half a context on: whether the text comes back to what it left.
        "likeness beyond": cosines(far_before, beyond),
        # The passage itself, and the one before it: each with what follows it against what precedes it.
        "leans on": cosines(ended - here, contexts.upto(ends + FAR) - ended)
        - cosines(far_before, ended - here),
        "left leaning back": cosines(left - contexts.upto(last - FAR), here - left)
        - cosines(here - left, far_after),
        # A window across the place belongs to both sides and makes them alike.
        "into its window": (starts - edges[its_window]).astype(np.float64),
        "rest of its window": np.maximum(stops[its_window] - starts, 0).astype(np.float64),
    }


def _lengths(units: Sequence[Span]) -> dict[str, Column]:
    starts, ends = _bounds(units)
    lengths = np.log(np.maximum(ends - starts, 1).astype(np.float64))
    return {
        "length": lengths,
        "length before": _earlier(lengths, 1),
        "length two before": _earlier(lengths, 2),
        "length after": np.concatenate([lengths[1:], lengths[-1:]]),
        "length around": _mean_around(lengths, starts),
    }


def _names(names: NewNames) -> dict[str, Column]:
    return {
        "names new": names.new,
        "names met": names.met,
        "names before": _earlier(names.new + names.met, 1),
    }


def _mean_around(values: Column, starts: Ints) -> Column:
    """(n,) mean over the units that start at most `FAR` characters off."""
    total = np.concatenate([[0.0], np.cumsum(values)])
    low = np.searchsorted(starts, starts - FAR, side="left")
    high = np.searchsorted(starts, starts + FAR, side="right")
    return np.asarray((total[high] - total[low]) / np.maximum(high - low, 1), np.float64)


def _earlier(values: Column, by: int) -> Column:
    """(n,) the value of the unit so many before; the first one's where there is none."""
    return values[np.maximum(np.arange(len(values)) - by, 0)]


def _last(starts: Ints, low: int, high: int) -> Ints:
    return starts[np.maximum(np.arange(low, high) - 1, 0)]


def _bounds(spans: Sequence[Span]) -> tuple[Ints, Ints]:
    starts = np.fromiter((span.start for span in spans), np.int64, len(spans))
    ends = np.fromiter((span.end for span in spans), np.int64, len(spans))
    return starts, ends


def _table(columns: Mapping[str, Column], names: Sequence[str]) -> NDArray[np.float64]:
    return np.column_stack([columns[name] for name in names])
