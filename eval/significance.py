"""How far a mean could have fallen otherwise: bootstrap intervals over questions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

SEED = 20240617
RESAMPLES = 2_000
LEVEL = 0.95


def bootstrap_interval(books: Sequence[Sequence[float]], *, seed: int = SEED) -> tuple[float, float]:
    """Percentile interval of the mean over books of each book's mean, at 95 %.

    Questions are drawn with replacement within their own book, so that every book keeps its weight;
    books are not drawn: they are the sample that the row names. The same values and seed give the
    same interval; no values give (0, 0).

    Source: Efron and Tibshirani 1993, chapter 13 (percentile interval, here stratified by book).
    """
    filled = [np.asarray(values, dtype=np.float64) for values in books if len(values)]
    if not filled:
        return 0.0, 0.0
    generator = np.random.default_rng(seed)
    means = np.zeros(RESAMPLES)
    for values in filled:
        drawn = generator.integers(len(values), size=(RESAMPLES, len(values)))
        means += values[drawn].mean(axis=1) / len(filled)
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(means, [tail, 1 - tail])
    return float(low), float(high)
