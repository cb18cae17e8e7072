"""Intervals of shares and of AUROC where questions come in groups: a story's, a book's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eval.significance import LEVEL, RESAMPLES, SEED

Interval = tuple[float, float]


@dataclass(frozen=True)
class GroupDraws:
    """How often each question was drawn, when groups are drawn with replacement and questions within them.

    Attributes:
        counts: (`RESAMPLES`, n).

    Source: Davison and Hinkley 1997, section 3.8 (both levels drawn with replacement).
    """

    counts: NDArray[np.float64]

    @staticmethod
    def of(groups: Sequence[str], *, seed: int = SEED) -> GroupDraws:
        """Draws of n questions, each of a group; of one group only questions are drawn."""
        names, members = np.unique(np.asarray(groups, dtype=str), return_inverse=True)
        generator = np.random.default_rng(seed)
        counts = np.zeros((RESAMPLES, len(groups)))
        if not len(groups):
            return GroupDraws(counts)
        times = generator.multinomial(len(names), np.full(len(names), 1 / len(names)), size=RESAMPLES)
        for group in range(len(names)):
            inside = np.flatnonzero(members == group)
            even = np.full(len(inside), 1 / len(inside))
            counts[:, inside] = generator.multinomial(times[:, group] * len(inside), even)
        return GroupDraws(counts)

    def share(self, parts: ArrayLike, wholes: ArrayLike) -> Interval:
        """Of ``sum(parts) / sum(wholes)``, at 95 %; draws whose wholes are 0 are left out."""
        over, under = (self.counts @ np.asarray(values, dtype=np.float64) for values in (parts, wholes))
        return _middle(over, under)

    def auroc(self, confidences: ArrayLike, positive: ArrayLike, negative: ArrayLike) -> Interval:
        """Of the probability that one of ``positive`` has more confidence than one of ``negative``, at 95 %.

        Args:
            positive: (n,) bool; so is ``negative``, and some may be neither.
        """
        values = np.asarray(confidences, dtype=np.float64)
        ours, others = np.asarray(positive, dtype=bool), np.asarray(negative, dtype=bool)
        beaten = np.sign(values[ours, None] - values[None, others]) / 2 + 0.5  # (positives, negatives)
        drawn, against = self.counts[:, ours], self.counts[:, others]
        wins = ((drawn @ beaten) * against).sum(axis=1)
        return _middle(wins, drawn.sum(axis=1) * against.sum(axis=1))


def _middle(over: NDArray[np.float64], under: NDArray[np.float64]) -> Interval:
    drawn = under > 0
    if not drawn.any():
        return 0.0, 0.0
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(over[drawn] / under[drawn], [tail, 1 - tail])
    return float(low), float(high)
