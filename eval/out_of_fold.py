"""A selector measured on questions that it did not see, calibrated and with a threshold from other folds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from answering.operating import PROMISE, best_f, promised
from answering.trigger import Trigger
from answering.trigger import fit as fit_trigger
from eval.datasets.selection import SelectionQuery
from eval.metrics import Metric, TopCandidate, auroc, calibration_error, evaluate
from eval.selection_scoring import counted, judgements, run_of, tops
from eval.significance import bootstrap_interval, ratio_interval

FOLDS = 5
OUT_OF_REACH = 0.99

Fold = tuple[list[int], list[int]]
# One value a sentence, by query.
Values = list[NDArray[np.float64]]


def folds_of(queries: Sequence[SelectionQuery], seed: int, count: int = FOLDS) -> list[Fold]:
    """Places of the queries to learn from and of those held out, groups kept together."""
    from sklearn.model_selection import GroupKFold

    groups = [query.group for query in queries]
    parted = GroupKFold(count, shuffle=True, random_state=seed).split(groups, groups=groups)
    return [(inside.tolist(), held.tolist()) for inside, held in parted]


def held_out(
    folds: Sequence[Fold], scorer_of: Callable[[list[int]], Callable[[int], NDArray[np.float64]]]
) -> Values:
    """Each query's scores by what ``scorer_of`` learnt from the other folds."""
    found: Values = [np.empty(0)] * sum(len(held) for _, held in folds)
    for inside, held in folds:
        score = scorer_of(inside)
        for at in held:
            found[at] = score(at)
    return found


@dataclass(frozen=True)
class Tops:
    """Each question's best sentence, as arrays: score, right, and whether the question has an answer."""

    score: NDArray[np.float64]
    right: NDArray[np.bool_]
    answerable: NDArray[np.bool_]

    @staticmethod
    def of(queries: Sequence[SelectionQuery], scores: Values) -> Tops:
        """Those of scored questions, each of which has sentences."""
        found = tops(judgements(queries), run_of(queries, [one.tolist() for one in scores]))
        return Tops(
            np.array([one.score for one in found], dtype=np.float64),
            np.array([one.right for one in found]),
            np.array([one.answerable for one in found]),
        )

    def only(self, places: Sequence[int]) -> Tops:
        """Those at some places."""
        return Tops(self.score[places], self.right[places], self.answerable[places])

    def probabilities(self) -> Trigger:
        """The head of being right; its threshold means nothing yet."""
        return fit_trigger(self.score, self.right, threshold=0.5)

    def candidates(self, values: NDArray[np.float64]) -> list[TopCandidate]:
        """With these values for scores."""
        return [
            TopCandidate(float(value), bool(right), bool(answerable))
            for value, right, answerable in zip(values, self.right, self.answerable, strict=True)
        ]


@dataclass(frozen=True)
class HeldOut:
    """What a selector is worth on questions it did not see.

    Attributes:
        map, mrr: over the questions with both kinds of sentence, with 95 % intervals.
        f1: of triggering over all questions, each at the threshold that is best on the other folds.
        ece: of probabilities that were fitted on the other folds.
        kept: the share right of the answers given under a promise of `PROMISE`, and the share of questions
            that were answered; None where a fold says that it cannot be reached.
        sure: whether the other folds let a precision of `OUT_OF_REACH` be promised.
        exists_auroc: of the other head, on whether the question has an answer.
    """

    questions: int
    map: tuple[float, float, float]
    mrr: tuple[float, float, float]
    f1: tuple[float, float, float]
    ece: float
    kept: tuple[float, float] | None
    sure: bool
    exists_auroc: float

    def row(self) -> str:
        """Cells of a Markdown table, in the order of `HEADER`, the first left out."""
        cells = [f"{value:.4f} ({low:.3f}-{high:.3f})" for value, low, high in (self.map, self.mrr, self.f1)]
        kept = "unreachable" if self.kept is None else f"{self.kept[0]:.3f} of {self.kept[1]:.1%}"
        sure = "reached" if self.sure else "unreachable"
        return " | ".join(
            [str(self.questions), *cells, f"{self.ece:.3f}", kept, sure, f"{self.exists_auroc:.3f}"]
        )


_CELLS = (
    "columns",
    "questions",
    "MAP",
    "MRR",
    "F1",
    "ECE",
    f"right under a promise of {PROMISE}",
    f"a promise of {OUT_OF_REACH}",
    "AUROC of an answer's being there",
)
HEADER = f"| {' | '.join(_CELLS)} |\n{'|---' * len(_CELLS)}|"


def measured(queries: Sequence[SelectionQuery], scores: Values, folds: Sequence[Fold]) -> HeldOut:
    """The figures of scores that were held out over the same folds."""
    found = Tops.of(queries, scores)
    probability, given = np.zeros(len(queries)), np.zeros(len(queries), dtype=bool)
    promise = np.zeros(len(queries), dtype=bool)
    reachable = sure = True
    for inside, held in folds:
        other, here = found.only(inside), found.only(held)
        head = other.probabilities()
        theirs, probability[held] = head.probability(other.score), head.probability(here.score)
        given[held] = probability[held] >= best_f(theirs, other.right, int(other.answerable.sum()))
        threshold = promised(theirs, other.right, PROMISE)
        reachable &= threshold is not None
        promise[held] = probability[held] >= (2.0 if threshold is None else threshold)
        sure &= promised(theirs, other.right, OUT_OF_REACH) is not None
    kept = float(found.right[promise].mean()) if promise.any() else 0.0
    hits, whole = 2.0 * (given & found.right), given.astype(float) + found.answerable
    return HeldOut(
        len(queries),
        _mean(queries, scores, "map"),
        _mean(queries, scores, "mrr"),
        (float(hits.sum() / whole.sum()), *ratio_interval(hits.tolist(), whole.tolist())),
        calibration_error(probability.tolist(), found.right.tolist()) or 0.0,
        (kept, float(promise.mean())) if reachable else None,
        sure,
        auroc(found.score.tolist(), found.answerable.tolist()) or 0.5,
    )


def _mean(queries: Sequence[SelectionQuery], scores: Values, metric: str) -> tuple[float, float, float]:
    run = run_of(queries, [one.tolist() for one in scores])
    values = list(evaluate(Metric.parse(metric), counted(judgements(queries), "filtered"), run).values())
    return (fmean(values), *bootstrap_interval([values])) if values else (0.0, 0.0, 0.0)
