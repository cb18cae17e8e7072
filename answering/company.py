"""A candidate beside the other candidates of its question, in ways that irrelevant ones do not move."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]

# How many of the best make the company: WikiQA has about ten candidates a question, a book a hundred.
BEST = 5
WAYS = ("below best", "above best five", "how many better")


def beside_the_best(columns: Matrix) -> Matrix:
    """(n, 3 d): value less the group's best, value less the mean of its `BEST` best, and how many are better.

    Columns must not be negative. A group of fewer than `BEST` is filled up with zeros and the count ends at
    `BEST`, so that candidates with 0 in a column change nothing in it, however many they are.
    """
    falling = np.sort(columns, axis=0)[::-1][:BEST]  # (up to BEST, d)
    top = np.zeros((BEST, columns.shape[1]))
    top[: len(falling)] = falling
    # (n, d): never more than BEST are looked at.
    better = np.add.reduce(columns[:, None, :] < top[None, :, :], axis=1, dtype=np.float64)
    mean = top.sum(axis=0) / BEST
    return np.concatenate([columns - top[0], columns - mean, better], axis=1)
