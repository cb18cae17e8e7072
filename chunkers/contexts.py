"""What stands before and after many places of a text, as sums of the vectors of its pieces."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.int64]
Range = tuple[Places, Places]


class Contexts:
    """Pieces of a text, each with a row of numbers; a range's row is the sum over the pieces in it.

    A piece counts by its characters, and one that a range cuts by those inside.

    Args:
        starts: (m,) of the pieces, ascending.
        ends: (m,) each at most the next piece's start.
        rows: (m, d).
    """

    def __init__(self, starts: Places, ends: Places, rows: NDArray[np.float32]) -> None:
        self._starts, self._lengths = starts, ends - starts
        self._rows = rows

    def cosines(self, left: Range, right: Range) -> NDArray[np.float64]:
        """(n,) cosine of the sums over n pairs of ranges ``[from, to)``; 0 where one of them is empty."""
        first, second = self._sums(left), self._sums(right)
        lengths = np.sqrt(np.einsum("nd,nd->n", first, first) * np.einsum("nd,nd->n", second, second))
        shared = np.einsum("nd,nd->n", first, second)
        cosines = np.zeros(len(shared))
        np.divide(shared, lengths, out=cosines, where=lengths > 1e-6)
        return cosines

    def _sums(self, bounds: Range) -> NDArray[np.float64]:
        """(n, d) of the ranges."""
        low, high = (self._upto(places) for places in bounds)
        return high - low

    def _upto(self, places: Places) -> NDArray[np.float64]:
        """(n, d) over all that stands before each place."""
        at = np.clip(np.searchsorted(self._starts, places, side="right") - 1, 0, None)
        inside = np.clip(places - self._starts[at], 0, self._lengths[at])
        found = self._before[at]
        found += inside[:, None] * self._rows[at]
        return found

    @cached_property
    def _before(self) -> NDArray[np.float64]:
        """(m, d) the sum over the pieces before each piece."""
        sums = np.zeros(self._rows.shape)
        np.cumsum(self._rows[:-1] * self._lengths[:-1, None], axis=0, out=sums[1:], dtype=np.float64)
        return sums
