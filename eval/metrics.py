"""Retrieval metrics. A metric is a value whose text form round-trips: ``Metric.parse("dcg@10")``."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from core.errors import InvalidValue
from eval.values import Qrels, Run

TOKENS_PER_WORD = 1.3  # white-space words; the rule of thumb for English


@dataclass(frozen=True, slots=True)
class Judged:
    """One query's ranking as a metric sees it, best first.

    Attributes:
        gains: the gain of each ranked id, 0 when it is not judged.
        words: white-space words of each ranked id; empty when nobody counted them.
        relevant: how many ids have a gain above 0, ranked or not.
    """

    gains: Sequence[int]
    words: Sequence[int]
    relevant: int


def _dcg(judged: Judged, k: int) -> float:
    return math.fsum(gain / math.log2(rank + 1) for rank, gain in enumerate(judged.gains[:k], start=1))


def _recall(judged: Judged, k: int) -> float:
    found = sum(gain > 0 for gain in judged.gains[:k])
    return found / judged.relevant if judged.relevant else 0.0


def _evidence_recall(judged: Judged, budget: int) -> float:
    total = 0
    for gain, words in zip(judged.gains, judged.words, strict=True):
        total += words
        if not within_budget(total, budget):
            return 0.0
        if gain > 0:
            return 1.0
    return 0.0


_FORMULAS: dict[str, Callable[[Judged, int], float]] = {
    "dcg": _dcg,
    "recall": _recall,
    "er": _evidence_recall,
}


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric at one cutoff.

    ``dcg@k``     sum of ``gain / log2(rank + 1)`` over ranks 1..k (Järvelin and Kekäläinen 2002, linear gain)
    ``recall@k``  share of the relevant ids among the first k; 0 when nothing is relevant
    ``er@B``      evidence recall at B tokens: 1 when a relevant id is reached while the running total of
                  tokens, that id's included, is at most B, else 0

    Raises:
        InvalidValue: an unknown name, or a cutoff below 1.
    """

    name: str
    cutoff: int

    def __post_init__(self) -> None:
        if self.name not in _FORMULAS:
            raise InvalidValue(f"a metric must be one of {', '.join(_FORMULAS)}, got {self.name!r}")
        if self.cutoff < 1:
            raise InvalidValue(f"a metric's cutoff must be at least 1, got {self.cutoff}")

    def __str__(self) -> str:
        return f"{self.name}@{self.cutoff}"

    @staticmethod
    def parse(text: str) -> Metric:
        """The metric that ``str`` wrote.

        Raises:
            InvalidValue: unless ``text`` is ``NAME@CUTOFF``.
        """
        name, at, cutoff = text.partition("@")
        if not at or not (cutoff.isascii() and cutoff.isdecimal()):
            raise InvalidValue(f"a metric must be written NAME@CUTOFF, as in dcg@10, got {text!r}")
        return Metric(name, int(cutoff))

    @property
    def needs_words(self) -> bool:
        """Whether `evaluate` must be told how many words each id has."""
        return self.name == "er"


def evaluate(
    metric: Metric, qrels: Qrels, run: Run, words: Mapping[str, int] | None = None
) -> dict[str, float]:
    """The metric of every query in ``qrels``, in their order.

    A query that ``run`` does not answer counts 0; one that ``qrels`` does not know is left out.

    Args:
        words: white-space words of every ranked id, for the metrics that need them.

    Raises:
        InvalidValue: the metric needs words and there are none.
    """
    if metric.needs_words and words is None:
        raise InvalidValue(f"{metric} needs the number of words of each id, got none; pass words=")
    formula = _FORMULAS[metric.name]
    values: dict[str, float] = {}
    for query, gains in qrels.items():
        ids = ranking(run.get(query, {}))
        judged = Judged(
            gains=[gains.get(id_, 0) for id_ in ids],
            words=[words[id_] for id_ in ids] if words is not None else [],
            relevant=sum(gain > 0 for gain in gains.values()),
        )
        values[query] = formula(judged, metric.cutoff)
    return values


def ranking(scores: Mapping[str, float]) -> list[str]:
    """Ids by falling score; equal scores keep their order."""
    return sorted(scores, key=scores.__getitem__, reverse=True)


def book_mean(books: Iterable[Mapping[str, float]]) -> float:
    """Mean over each book's queries, then over the books that have any; nothing gives 0."""
    means = [fmean(book.values()) for book in books if book]
    return fmean(means) if means else 0.0


def within_budget(words: int, tokens: int) -> bool:
    """Whether so many words are at most so many tokens, at 1.3 tokens a word."""
    return words * 13 <= tokens * 10  # whole numbers: a rounded product must not decide what fits
