"""How far a mean, or a difference of means, could have fallen otherwise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.errors import InvalidValue

SEED = 20240617
RESAMPLES = 2_000
LEVEL = 0.95

# For each book the value of each query, by its id.
Books = Sequence[Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Difference:
    """A mean difference to a baseline, and its 95 % interval."""

    mean: float
    low: float
    high: float

    @property
    def shown(self) -> bool:
        """Whether the interval leaves 0 out."""
        return self.low > 0 or self.high < 0

    def __str__(self) -> str:
        return f"{self.mean:+.3f} ({self.low:+.3f} to {self.high:+.3f})"


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
        means += _drawn_means(generator, values, RESAMPLES) / len(filled)
    return _middle(means)


def ratio_interval(
    parts: Sequence[float], wholes: Sequence[float], *, seed: int = SEED
) -> tuple[float, float]:
    """Percentile interval of ``sum(parts) / sum(wholes)``, pairs drawn with replacement, at 95 %.

    A draw whose wholes sum to 0 counts as 0; no pairs give (0, 0).

    Raises:
        InvalidValue: unless each part has its whole.

    Source: Efron and Tibshirani 1993, chapter 13 (percentile interval).
    """
    if len(parts) != len(wholes):
        raise InvalidValue(f"each part must have its whole, got {len(parts)} and {len(wholes)}")
    if not parts:
        return 0.0, 0.0
    over, under = np.asarray(parts, dtype=np.float64), np.asarray(wholes, dtype=np.float64)
    drawn = np.random.default_rng(seed).integers(len(over), size=(RESAMPLES, len(over)))
    sums = under[drawn].sum(axis=1)
    ratios = np.divide(over[drawn].sum(axis=1), sums, out=np.zeros(RESAMPLES), where=sums != 0)
    return _middle(ratios)


def paired_difference(ours: Books, baseline: Books, *, seed: int = SEED) -> Difference:
    """Our mean less the baseline's, both over each book's queries, then over books, with its interval.

    Books are drawn with replacement, and within each drawn book its questions, each with its two values:
    the interval speaks for other books and questions of the kind. Of one book only questions are drawn.
    Both sides need the same books and queries; the same values and seed give the same interval; nothing
    gives (0, 0, 0).

    Raises:
        InvalidValue: the two sides have other books or queries.

    Source: Davison and Hinkley 1997, section 3.8 (both levels drawn with replacement).
    """
    books = _differences(ours, baseline)
    if not books:
        return Difference(0.0, 0.0, 0.0)
    generator = np.random.default_rng(seed)
    chosen = generator.integers(len(books), size=(RESAMPLES, len(books)))
    means = np.zeros(RESAMPLES)
    for place in range(len(books)):
        for at, values in enumerate(books):
            here = np.flatnonzero(chosen[:, place] == at)
            means[here] += _drawn_means(generator, values, len(here)) / len(books)
    return Difference(_mean(books), *_middle(means))


def permutation_p(ours: Books, baseline: Books, *, seed: int = SEED) -> float:
    """Two-sided p of the paired permutation test: how often chance parts the means as far.

    Under the null each question's two values could as well stand the other way round; the observed
    order is counted among those drawn, so that p is at least 1 / 2,001. Nothing gives 1.

    Raises:
        InvalidValue: the two sides have other books or queries.

    Source: Smucker, Allan and Carterette 2007 (Fisher's randomisation test), on the mean over books.
    """
    books = _differences(ours, baseline)
    generator = np.random.default_rng(seed)
    means = np.zeros(RESAMPLES)
    for values in books:
        signs = generator.integers(2, size=(RESAMPLES, len(values)), dtype=np.int8) * 2 - 1
        means += signs @ values / (len(values) * len(books))
    # Sums of the same numbers in another order differ in their last bits.
    as_far = np.abs(means) >= abs(_mean(books)) - 1e-12
    return float((1 + np.count_nonzero(as_far)) / (1 + RESAMPLES))


def holm(ps: Sequence[float]) -> list[float]:
    """The p-values of several tests, raised so that together they err as seldom as one.

    Source: Holm 1979.
    """
    adjusted, largest = [0.0] * len(ps), 0.0
    for place, at in enumerate(sorted(range(len(ps)), key=ps.__getitem__)):
        largest = max(largest, min(1.0, (len(ps) - place) * ps[at]))
        adjusted[at] = largest
    return adjusted


def _differences(ours: Books, baseline: Books) -> list[NDArray[np.float64]]:
    if len(ours) != len(baseline):
        raise InvalidValue(f"a baseline must have the same books, got {len(baseline)} for {len(ours)}")
    for book, (one, other) in enumerate(zip(ours, baseline, strict=True)):
        if one.keys() != other.keys():
            alone = min(one.keys() ^ other.keys())
            raise InvalidValue(
                f"a baseline must have the same queries, {alone} in book {book} is in one alone"
            )
    pairs = zip(ours, baseline, strict=True)
    return [np.array([one[query] - other[query] for query in one]) for one, other in pairs if one]


def _drawn_means(
    generator: np.random.Generator, values: NDArray[np.float64], times: int
) -> NDArray[np.float64]:
    """(times,) means of as many values, drawn with replacement."""
    drawn = generator.integers(len(values), size=(times, len(values)))
    means: NDArray[np.float64] = values[drawn].mean(axis=1)
    return means


def _mean(books: Sequence[NDArray[np.float64]]) -> float:
    return float(np.mean([values.mean() for values in books])) if books else 0.0


def _middle(means: NDArray[np.float64]) -> tuple[float, float]:
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(means, [tail, 1 - tail])
    return float(low), float(high)
