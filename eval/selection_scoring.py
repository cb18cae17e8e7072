"""How well sentences are ranked for their questions, and whether the right questions are answered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from core.errors import InvalidValue
from eval.datasets.selection import Denominator, SelectionQuery
from eval.metrics import (
    Metric,
    PrecisionRecall,
    TopCandidate,
    aurc,
    auroc,
    calibration_error,
    evaluate,
    ranking,
    triggering,
)
from eval.significance import ratio_interval
from eval.values import Qrels, Run

DENOMINATORS: tuple[Denominator, ...] = ("filtered", "answerable", "all")
MEASURES = tuple(map(Metric.parse, ("map", "mrr", "p@1")))


def judgements(queries: Sequence[SelectionQuery]) -> dict[str, dict[str, int]]:
    """The queries as judgements: a right sentence gains 1."""
    return {query.id: {sentence.id: int(sentence.right) for sentence in query.sentences} for query in queries}


def run_of(
    queries: Sequence[SelectionQuery], scores: Sequence[Sequence[float]]
) -> dict[str, dict[str, float]]:
    """The queries' scores as a run, sentences in the order of the file: the first of equals wins.

    Raises:
        InvalidValue: unless there is one score a sentence.
    """
    run: dict[str, dict[str, float]] = {}
    for query, values in zip(queries, scores, strict=True):
        if len(values) != len(query.sentences):
            raise InvalidValue(
                f"each of the {len(query.sentences)} sentences of {query.id} must have one score, "
                f"got {len(values)}"
            )
        run[query.id] = {one.id: float(value) for one, value in zip(query.sentences, values, strict=True)}
    return run


def counted(qrels: Qrels, denominator: Denominator) -> Qrels:
    """The queries that count: ``all``, those with a right sentence, or those that also have a wrong one."""
    if denominator == "all":
        return qrels
    kept = {query: gains for query, gains in qrels.items() if any(gains.values())}
    if denominator == "filtered":
        kept = {query: gains for query, gains in kept.items() if not all(gains.values())}
    return kept


def selection(qrels: Qrels, run: Run, denominator: Denominator) -> dict[str, float | int]:
    """``map``, ``mrr``, ``p@1`` and ``n``, means over the queries that count; 0 over none."""
    kept = counted(qrels, denominator)
    figures: dict[str, float | int] = {
        str(metric): fmean(evaluate(metric, kept, run).values()) if kept else 0.0 for metric in MEASURES
    }
    return {**figures, "n": len(kept)}


def tops(qrels: Qrels, run: Run) -> list[TopCandidate]:
    """Each query's best scored sentence, the only one that counts in triggering."""
    found = []
    for query, gains in qrels.items():
        scores = run.get(query, {})
        best = next(iter(ranking(scores)), None)
        right = best is not None and gains.get(best, 0) > 0
        found.append(TopCandidate(None if best is None else scores[best], right, any(gains.values())))
    return found


@dataclass(frozen=True, slots=True)
class Triggering:
    """Triggering at a threshold, under both conventions of the literature.

    Attributes:
        official: recall over all answerable questions (Yang, Yih and Meek 2015).
        alternative: recall over the answerable questions that were answered.
        interval: of the official F1, 95 %, questions drawn with replacement.
        answered: how many questions were answered.
    """

    threshold: float
    official: PrecisionRecall
    alternative: PrecisionRecall
    interval: tuple[float, float]
    answered: int

    @staticmethod
    def of(found: Sequence[TopCandidate], threshold: float) -> Triggering:
        """The figures of these questions."""
        given = [one.answered(threshold) for one in found]
        right = [2.0 * (answered and one.right) for answered, one in zip(given, found, strict=True)]
        whole = [float(answered + one.answerable) for answered, one in zip(given, found, strict=True)]
        return Triggering(
            threshold,
            triggering(found, threshold),
            triggering(found, threshold, convention="answered"),
            ratio_interval(right, whole),  # F1 is 2 right / (answered + answerable)
            sum(given),
        )

    def as_json(self) -> dict[str, Any]:
        """``{"official": {p, r, f1, threshold, ci}, "alternative": {p, r, f1, threshold}}``."""
        return {
            "official": {
                **_plain(self.official),
                "threshold": self.threshold,
                "ci": list(self.interval),
            },
            "alternative": {**_plain(self.alternative), "threshold": self.threshold},
        }


def confidence(found: Sequence[TopCandidate]) -> Mapping[str, float | None]:
    """``aurc``, ``auroc`` and ``ece`` of the probability that a question's best sentence is right.

    Raises:
        InvalidValue: a score is no probability.
    """
    values = [one.score for one in found if one.score is not None]
    right = [one.right for one in found if one.score is not None]
    return {
        "aurc": aurc(values, right),
        "auroc": auroc(values, right),
        "ece": calibration_error(values, right),
    }


def _plain(scores: PrecisionRecall) -> dict[str, float]:
    return {"p": scores.precision, "r": scores.recall, "f1": scores.f1}
