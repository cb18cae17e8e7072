"""Whether a confidence tells right from wrong, and whether it means what it says.

Each function takes one confidence and one verdict an answer. Answers of equal confidence are accepted
together, or weighed as in a random order; no figure depends on the order in which they come.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from core.errors import InvalidValue
from eval.formulas import ratio

BINS = 15

# Bins of equal width in probability, or of about equally many answers.
Binning = Literal["width", "mass"]


@dataclass(frozen=True, slots=True)
class RiskCoverage:
    """One point for every threshold that accepts other answers than the one before, coverage rising.

    Attributes:
        thresholds: answers with at least this confidence are accepted.
        coverage: share of all answers that is accepted.
        risk: share of the accepted answers that is wrong.
    """

    thresholds: tuple[float, ...]
    coverage: tuple[float, ...]
    risk: tuple[float, ...]


def risk_coverage(confidences: Sequence[float], right: Sequence[bool]) -> RiskCoverage:
    """The risk at each coverage that a threshold can reach; no answers give no points.

    Source: El-Yaniv and Wiener 2010, section 2.
    """
    thresholds, accepted, wrong = _steps(*_checked(confidences, right))
    return RiskCoverage(
        tuple(thresholds.tolist()),
        tuple((accepted / max(1, len(confidences))).tolist()),
        tuple((wrong / accepted).tolist()),
    )


def aurc(confidences: Sequence[float], right: Sequence[bool]) -> float | None:
    """Area under the risk-coverage curve: the mean risk of accepting the best 1, 2, ... n answers.

    Among equals the expected risk counts, as if they came in random order. None without answers.

    Source: Geifman, Uziel and El-Yaniv 2019, section 3.
    """
    _, accepted, wrong = _steps(*_checked(confidences, right))
    if not len(accepted):
        return None
    ranks = np.arange(1, len(confidences) + 1)
    # Linear between two thresholds: a random part of equals holds its share of their errors.
    expected = np.interp(ranks, np.concatenate(([0], accepted)), np.concatenate(([0], wrong)))
    return float(np.mean(expected / ranks))


def auroc(confidences: Sequence[float], right: Sequence[bool]) -> float | None:
    """Probability that a right answer has more confidence than a wrong one, equals counted half.

    None unless there are both.

    Source: Fawcett 2006, section 7 (the Mann-Whitney statistic).
    """
    thresholds, accepted, wrong = _steps(*_checked(confidences, right))
    errors = int(wrong[-1]) if len(wrong) else 0
    hits = len(confidences) - errors
    if not len(thresholds) or not errors or not hits:
        return None
    new_wrong = np.diff(wrong, prepend=0)
    new_right = np.diff(accepted, prepend=0) - new_wrong
    below = errors - wrong  # wrong answers with less confidence
    return float(np.sum(new_right * (below + new_wrong / 2)) / (errors * hits))


def calibration_error(
    probabilities: Sequence[float], right: Sequence[bool], *, bins: int = BINS, binning: Binning = "width"
) -> float | None:
    """Expected calibration error: ``sum over bins of n_b / n * |share right - mean probability|``.

    ``width`` (the default) cuts [0, 1] into ``((b - 1) / bins, b / bins]``, the first bin taking 0 too;
    ``mass`` cuts the sorted answers into ``bins`` parts of about the same number, equals staying
    together. None without answers.

    Raises:
        InvalidValue: a probability outside [0, 1], or bins below 1.

    Source: Guo et al. 2017, section 2 (``width``); Nixon et al. 2019, section 3 (``mass``).
    """
    if bins < 1:
        raise InvalidValue(f"bins must be at least 1, got {bins}")
    values, verdicts = _checked(probabilities, right)
    outside = values[(values < 0) | (values > 1)]
    if len(outside):
        raise InvalidValue(f"a probability must be in [0, 1], got {outside[0]}")
    if not len(values):
        return None
    order = np.argsort(values, kind="stable")
    values, verdicts = values[order], verdicts[order]
    if binning == "width":
        edges = np.arange(1, bins + 1) / bins  # not p * bins, whose rounding would move 0.07 of 100 bins
        ends = np.searchsorted(values, edges, side="right")
    else:
        last = np.ceil(np.arange(1, bins + 1) * len(values) / bins).astype(int) - 1
        ends = np.searchsorted(values, values[last], side="right")
    error, start = 0.0, 0
    for end in ends.tolist():
        if end > start:
            error += abs(float(np.sum(verdicts[start:end]) - np.sum(values[start:end])))
            start = end
    return error / len(values)


def coverage_at(precision: float, confidences: Sequence[float], right: Sequence[bool]) -> float:
    """The greatest share of answers that a threshold accepts with at least this precision; 0 if none does.

    Fitted on these answers: a promise must be checked on others.

    Raises:
        InvalidValue: unless ``0 < precision <= 1``.
    """
    if not 0 < precision <= 1:
        raise InvalidValue(f"a promised precision must be in (0, 1], got {precision}")
    _, accepted, wrong = _steps(*_checked(confidences, right))
    kept = accepted[(accepted - wrong) / accepted >= precision]
    return ratio(int(kept[-1]) if len(kept) else 0, len(confidences))


def _checked(
    confidences: Sequence[float], right: Sequence[bool]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    values, verdicts = np.asarray(confidences, np.float64), np.asarray(right, np.bool_)
    if values.shape != verdicts.shape:
        raise InvalidValue(f"each confidence must have a verdict, got {len(values)} and {len(verdicts)}")
    if np.isnan(values).any():
        raise InvalidValue("a confidence must be a number, got nan")
    return values, verdicts


def _steps(
    values: NDArray[np.float64], verdicts: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    """Falling distinct confidences, and how many answers, and wrong ones, each accepts as a threshold."""
    order = np.argsort(-values, kind="stable")
    falling, wrong = values[order], np.cumsum(~verdicts[order], dtype=np.int64)
    last = np.flatnonzero(np.append(falling[1:] != falling[:-1], [True] * (len(falling) > 0)))
    return falling[last], last + 1, wrong[last]
