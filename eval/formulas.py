"""What each ranking metric computes from one query's gains, best first."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

TOKENS_PER_WORD = 1.3  # white-space words; the rule of thumb for English


@dataclass(frozen=True, slots=True)
class Judged:
    """One query's ranking as a metric sees it.

    Attributes:
        gains: the gain of each ranked id, best first, 0 when it is not judged; none is below 0.
        words: white-space words of each ranked id; empty when nobody counted them.
        ideal: the gains above 0 of all ids, ranked or not, falling: what the best ranking starts with.
    """

    gains: Sequence[int]
    words: Sequence[int]
    ideal: Sequence[int]


@dataclass(frozen=True, slots=True)
class Formula:
    """A metric's computation.

    Attributes:
        compute: the value at a cutoff, or over the whole ranking at None.
        uncut: whether the metric may stand without a cutoff.
    """

    compute: Callable[[Judged, int | None], float]
    uncut: bool = False


def linear(gain: int) -> float:
    """The gain itself (Järvelin and Kekäläinen 2002)."""
    return float(gain)


def exponential(gain: int) -> float:
    """``2^gain - 1`` (Burges et al. 2005)."""
    return 2.0**gain - 1


def discount(rank: int) -> float:
    """``1 / log2(rank + 1)``, ranks from 1."""
    return 1 / math.log2(rank + 1)


def dcg(gains: Sequence[int], k: int | None, gained: Callable[[int], float]) -> float:
    """Sum of discounted gains over ranks 1..k."""
    return math.fsum(gained(gain) * discount(rank) for rank, gain in enumerate(gains[:k], start=1))


def ratio(part: float, whole: float) -> float:
    """Their quotient; 0 when there is no whole."""
    return part / whole if whole else 0.0


def within_budget(words: int, tokens: int) -> bool:
    """Whether so many words are at most so many tokens, at 1.3 tokens a word."""
    return words * 13 <= tokens * 10  # whole numbers: a rounded product must not decide what fits


def _dcg(gained: Callable[[int], float]) -> Callable[[Judged, int | None], float]:
    return lambda judged, k: dcg(judged.gains, k, gained)


def _ndcg(gained: Callable[[int], float]) -> Callable[[Judged, int | None], float]:
    return lambda judged, k: ratio(dcg(judged.gains, k, gained), dcg(judged.ideal, k, gained))


def _reciprocal_rank(judged: Judged, k: int | None) -> float:
    return next((1 / rank for rank, gain in enumerate(judged.gains[:k], start=1) if gain > 0), 0.0)


def _average_precision(judged: Judged, k: int | None) -> float:
    ranks = [rank for rank, gain in enumerate(judged.gains[:k], start=1) if gain > 0]
    return ratio(math.fsum(found / rank for found, rank in enumerate(ranks, start=1)), len(judged.ideal))


def _found(judged: Judged, k: int | None) -> int:
    return sum(gain > 0 for gain in judged.gains[:k])


def _evidence_recall(judged: Judged, budget: int | None) -> float:
    total = 0
    for gain, words in zip(judged.gains, judged.words, strict=True):
        total += words
        if budget is not None and not within_budget(total, budget):
            return 0.0
        if gain > 0:
            return 1.0
    return 0.0


FORMULAS: dict[str, Formula] = {
    "dcg": Formula(_dcg(linear)),
    "dcg-exp": Formula(_dcg(exponential)),
    "ndcg": Formula(_ndcg(linear), uncut=True),
    "ndcg-exp": Formula(_ndcg(exponential), uncut=True),
    "mrr": Formula(_reciprocal_rank, uncut=True),
    "map": Formula(_average_precision, uncut=True),
    "recall": Formula(lambda judged, k: ratio(_found(judged, k), len(judged.ideal))),
    "success": Formula(lambda judged, k: float(_found(judged, k) > 0)),
    "p": Formula(lambda judged, k: ratio(_found(judged, k), k or 0)),
    "er": Formula(_evidence_recall),
}
