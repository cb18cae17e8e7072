"""Every metric of the laboratory; the place to import them from.

A ranking metric is a value whose text form round-trips: ``Metric.parse("ndcg@10")``. Its formulas stand
in `eval.formulas`, what ties do to it in `eval.ties`; answers are measured in `eval.triggering`,
confidences in `eval.calibration`, boundaries in `eval.segmentation`, passages in `eval.passages`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import fmean

from core.errors import InvalidValue
from eval.calibration import RiskCoverage, aurc, auroc, calibration_error, coverage_at, risk_coverage
from eval.formulas import FORMULAS, TOKENS_PER_WORD, Judged, within_budget
from eval.passages import PassageScores, passage_scores, precision_omega
from eval.segmentation import boundary_scores, pk, unit_boundaries, window_diff
from eval.ties import EXPECTED, TieBounds
from eval.triggering import PrecisionRecall, TopCandidate, best_threshold, triggering
from eval.values import Qrels, Run

__all__ = [
    "TOKENS_PER_WORD",
    "Metric",
    "PassageScores",
    "PrecisionRecall",
    "RiskCoverage",
    "TieBounds",
    "TopCandidate",
    "aurc",
    "auroc",
    "best_threshold",
    "book_mean",
    "boundary_scores",
    "calibration_error",
    "coverage_at",
    "evaluate",
    "evaluate_ties",
    "passage_scores",
    "pk",
    "precision_omega",
    "ranking",
    "risk_coverage",
    "triggering",
    "unit_boundaries",
    "window_diff",
    "within_budget",
]


_CUTOFF = re.compile("0|[1-9][0-9]{0,8}")  # as ``str`` writes it


@dataclass(frozen=True, slots=True)
class Metric:
    """One ranking metric, at one cutoff or over the whole ranking.

    An id is relevant when its gain is above 0; a gain below 0 counts as 0.

    ``dcg@k``      sum of ``gain / log2(rank + 1)`` over ranks 1..k (Järvelin and Kekäläinen 2002)
    ``dcg-exp@k``  the same with ``2^gain - 1`` (Burges et al. 2005)
    ``ndcg``       ``dcg`` over that of the best possible ranking; also ``ndcg@k``, ``ndcg-exp``
    ``mrr``        1 / rank of the first relevant id, 0 when there is none; also ``mrr@k``
    ``map``        precision at each relevant id's rank, summed, over the number of relevant ids,
                   ranked or not; also ``map@k``
    ``recall@k``   share of the relevant ids among the first k
    ``success@k``  1 when a relevant id is among the first k, else 0
    ``p@k``        share of relevant ids in k places, empty ones counted
    ``er@B``       evidence recall at B tokens: 1 when a relevant id is reached while the running total
                   of tokens, that id's included, is at most B, else 0

    Each is 0 when nothing is relevant.

    Raises:
        InvalidValue: an unknown name, a cutoff below 1, or none where the metric needs one.
    """

    name: str
    cutoff: int | None = None

    def __post_init__(self) -> None:
        if self.name not in FORMULAS:
            raise InvalidValue(f"a metric must be one of {', '.join(FORMULAS)}, got {self.name!r}")
        if self.cutoff is None and not FORMULAS[self.name].uncut:
            raise InvalidValue(f"{self.name} must be written with a cutoff, as in {self.name}@10, got none")
        if self.cutoff is not None and self.cutoff < 1:
            raise InvalidValue(f"a metric's cutoff must be at least 1, got {self.cutoff}")

    def __str__(self) -> str:
        return self.name if self.cutoff is None else f"{self.name}@{self.cutoff}"

    @staticmethod
    def parse(text: str) -> Metric:
        """The metric that ``str`` wrote.

        Raises:
            InvalidValue: unless ``text`` is ``NAME@CUTOFF``, or ``NAME`` of a metric that needs none.
        """
        name, at, cutoff = text.partition("@")
        if not at:
            return Metric(name)
        if not _CUTOFF.fullmatch(cutoff):
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
    formula = FORMULAS[metric.name]
    values: dict[str, float] = {}
    for query, gains in qrels.items():
        ids = ranking(run.get(query, {}))
        judged = Judged(
            gains=[max(0, gains.get(id_, 0)) for id_ in ids],
            words=[words[id_] for id_ in ids] if words is not None else [],
            ideal=_ideal(gains),
        )
        values[query] = formula.compute(judged, metric.cutoff)
    return values


def evaluate_ties(metric: Metric, qrels: Qrels, run: Run) -> dict[str, TieBounds]:
    """As `evaluate`, over all orders of ids of equal score: the least, expected and greatest value.

    Raises:
        InvalidValue: the metric is ``er``, whose value in a random order has no closed form.

    Source: McSherry and Najork 2008.
    """
    if metric.name not in EXPECTED:
        raise InvalidValue(f"a tie-aware metric must be one of {', '.join(EXPECTED)}, got {metric}")
    compute, expected = FORMULAS[metric.name].compute, EXPECTED[metric.name]
    values: dict[str, TieBounds] = {}
    for query, gains in qrels.items():
        groups, ideal = list(_tied(gains, run.get(query, {}))), _ideal(gains)
        # Every metric here rises when a better id changes places with a worse one above it.
        worst = [gain for group in groups for gain in sorted(group)]
        best = [gain for group in groups for gain in sorted(group, reverse=True)]
        values[query] = TieBounds(
            least=compute(Judged(worst, (), ideal), metric.cutoff),
            expected=expected(groups, ideal, metric.cutoff),
            greatest=compute(Judged(best, (), ideal), metric.cutoff),
        )
    return values


def ranking(scores: Mapping[str, float]) -> list[str]:
    """Ids by falling score; equal scores keep their order."""
    return sorted(scores, key=scores.__getitem__, reverse=True)


def book_mean(books: Iterable[Mapping[str, float]]) -> float:
    """Mean over each book's queries, then over the books that have any; nothing gives 0."""
    means = [fmean(book.values()) for book in books if book]
    return fmean(means) if means else 0.0


def _ideal(gains: Mapping[str, int]) -> Sequence[int]:
    return sorted((gain for gain in gains.values() if gain > 0), reverse=True)


def _tied(gains: Mapping[str, int], scores: Mapping[str, float]) -> Iterator[list[int]]:
    for _, ids in groupby(ranking(scores), key=scores.__getitem__):
        yield [max(0, gains.get(id_, 0)) for id_ in ids]
