"""What stands before and after many places of a text, as sums of the vectors of its pieces."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.int64]
Sums = NDArray[np.float64]


class Contexts:
    """Pieces of a text, each with a row of numbers; what stands between two places is ``upto(b) - upto(a)``.

    A piece counts by its characters, and one that a place cuts by those before it.

    Args:
        starts: (m,) of the pieces, ascending.
        ends: (m,) each at most the next piece's start.
        rows: (m, d).
    """

    def __init__(self, starts: Places, ends: Places, rows: NDArray[np.float32]) -> None:
        self._starts, self._lengths = starts, ends - starts
        self._rows = rows

    def upto(self, places: Places) -> Sums:
        """(n, d) the sum over all that stands before each place."""
        at = np.clip(np.searchsorted(self._starts, places, side="right") - 1, 0, None)
        inside = np.clip(places - self._starts[at], 0, self._lengths[at])
        found = self._before[at]
        found += inside[:, None] * self._rows[at]
        return found

    @cached_property
    def _before(self) -> Sums:
        """(m, d) the sum over the pieces before each piece."""
        sums = np.zeros(self._rows.shape)
        np.cumsum(self._rows[:-1] * self._lengths[:-1, None], axis=0, out=sums[1:], dtype=np.float64)
        return sums


def cosines(left: Sums, right: Sums) -> NDArray[np.float64]:
    """(n,) of the rows of two tables; 0 where one of the two holds nothing."""
    lengths = np.sqrt(np.einsum("nd,nd->n", left, left) * np.einsum("nd,nd->n", right, right))
    found = np.zeros(len(left))
    np.divide(np.einsum("nd,nd->n", left, right), lengths, out=found, where=lengths > 1e-6)
    return found
