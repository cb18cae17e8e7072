"""Confidence measures against scikit-learn and against plain readings of their definitions."""

from __future__ import annotations

import itertools
import math
import random
from statistics import fmean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from core.errors import InvalidValue
from eval.metrics import aurc, auroc, calibration_error, coverage_at, risk_coverage

Answers = list[tuple[float, bool]]
ANSWERS = st.lists(st.tuples(st.integers(0, 6).map(lambda n: n / 6), st.booleans()), max_size=14)


def parted(answers: Answers) -> tuple[list[float], list[bool]]:
    return [confidence for confidence, _ in answers], [right for _, right in answers]


@given(ANSWERS)
def test_auroc_equals_scikit_learn(answers: Answers) -> None:
    confidences, right = parted(answers)
    if len(set(right)) < 2:
        assert auroc(confidences, right) is None
    else:
        assert auroc(confidences, right) == pytest.approx(roc_auc_score(right, confidences))


@given(ANSWERS)
def test_risk_and_coverage_are_those_of_every_threshold(answers: Answers) -> None:
    confidences, right = parted(answers)
    curve = risk_coverage(confidences, right)
    assert curve.thresholds == tuple(sorted(set(confidences), reverse=True))
    for threshold, coverage, risk in zip(curve.thresholds, curve.coverage, curve.risk, strict=True):
        accepted = [verdict for confidence, verdict in answers if confidence >= threshold]
        assert coverage == pytest.approx(len(accepted) / len(answers))
        assert risk == pytest.approx(accepted.count(False) / len(accepted))


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2).map(float), st.booleans()), min_size=1, max_size=6))
def test_aurc_is_the_mean_over_every_order_of_equals(answers: Answers) -> None:
    areas = []
    for order in itertools.permutations(answers):
        verdicts = [right for _, right in sorted(order, key=lambda answer: -answer[0])]
        areas.append(fmean(verdicts[:n].count(False) / n for n in range(1, len(verdicts) + 1)))
    assert aurc(*parted(answers)) == pytest.approx(fmean(areas))


@given(ANSWERS, st.integers(1, 8))
def test_calibration_error_by_width_equals_its_definition(answers: Answers, bins: int) -> None:
    error = 0.0
    for at in range(bins):
        inside = [
            one for one in answers if at / bins < one[0] <= (at + 1) / bins or (at == 0 and one[0] == 0)
        ]
        if inside:
            gap = abs(fmean(right for _, right in inside) - fmean(p for p, _ in inside))
            error += len(inside) / len(answers) * gap
    found = calibration_error(*parted(answers), bins=bins)
    assert found == (pytest.approx(error) if answers else None)


@given(st.lists(st.booleans(), min_size=1, max_size=30), st.integers(1, 8))
def test_calibration_error_by_mass_parts_distinct_answers_evenly(right: list[bool], bins: int) -> None:
    n = len(right)
    answers = [((at + 0.5) / n, verdict) for at, verdict in enumerate(right)]
    edges = [math.ceil(part * n / bins) for part in range(bins + 1)]
    error = sum(
        abs(sum(verdict - p for p, verdict in answers[low:high])) for low, high in itertools.pairwise(edges)
    )
    assert calibration_error(*parted(answers), bins=bins, binning="mass") == pytest.approx(error / n)


def test_calibration_error_by_mass_keeps_equals_together() -> None:
    # Two bins of two would part the three equals by the order in which they came.
    probabilities, right = [0.5, 0.5, 0.5, 1.0], [True, False, False, True]
    expected = (abs(1 - 1.5) + 0) / 4
    for order in itertools.permutations(range(4)):
        shuffled = [probabilities[at] for at in order], [right[at] for at in order]
        assert calibration_error(*shuffled, bins=2, binning="mass") == pytest.approx(expected)


def test_a_probability_on_an_edge_lies_in_the_lower_bin() -> None:
    # 0.07 * 100 is 7.000000000000001 in floats: a bin too high.
    alone = calibration_error([0.07, 0.0701], [True, False], bins=100)
    assert alone == pytest.approx((0.93 + 0.0701) / 2)
    assert calibration_error([0.065, 0.07], [True, False], bins=100) == pytest.approx(abs(1 - 0.135) / 2)


@given(ANSWERS, st.sampled_from([0.25, 0.5, 0.8, 0.9, 1.0]))
def test_coverage_at_a_precision_is_the_best_of_all_thresholds(answers: Answers, precision: float) -> None:
    best = 0.0
    for threshold in {confidence for confidence, _ in answers}:
        accepted = [right for confidence, right in answers if confidence >= threshold]
        if accepted.count(True) / len(accepted) >= precision:
            best = max(best, len(accepted) / len(answers))
    assert coverage_at(precision, *parted(answers)) == pytest.approx(best)


def test_nine_of_ten_keep_a_promise_of_nine_tenths() -> None:
    assert coverage_at(0.9, [1.0] * 10, [True] * 9 + [False]) == 1.0
    assert coverage_at(0.9, [1.0] * 10, [True] * 8 + [False] * 2) == 0.0


def test_no_figure_depends_on_the_order_of_the_answers() -> None:
    generator = random.Random(7)
    answers = [(generator.randint(0, 9) / 9, generator.random() < 0.6) for _ in range(60)]
    before = parted(answers)
    generator.shuffle(answers)
    after = parted(answers)
    assert aurc(*after) == pytest.approx(aurc(*before))
    assert auroc(*after) == auroc(*before)
    assert risk_coverage(*after) == risk_coverage(*before)
    for binning in ("width", "mass"):
        first = calibration_error(*before, binning=binning)
        assert calibration_error(*after, binning=binning) == pytest.approx(first)


def test_no_answers_have_no_figure() -> None:
    assert aurc([], []) is None
    assert auroc([], []) is None
    assert calibration_error([], []) is None
    assert calibration_error([], [], binning="mass") is None
    assert coverage_at(0.9, [], []) == 0.0
    assert risk_coverage([], []).coverage == ()


def test_all_right_and_all_wrong() -> None:
    assert aurc([0.9, 0.1], [True, True]) == 0.0
    assert aurc([0.9, 0.1], [False, False]) == 1.0
    assert calibration_error([1.0, 1.0], [True, True]) == 0.0
    assert calibration_error([1.0, 1.0], [False, False]) == 1.0
    assert coverage_at(1.0, [0.9, 0.1], [True, True]) == 1.0


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(InvalidValue, match=r"a probability must be in \[0, 1\], got 1\.5"):
        calibration_error([1.5], [True])
    with pytest.raises(InvalidValue, match="bins must be at least 1, got 0"):
        calibration_error([0.5], [True], bins=0)
    with pytest.raises(InvalidValue, match=r"must be in \(0, 1\], got 0"):
        coverage_at(0, [0.5], [True])
    with pytest.raises(InvalidValue, match="each confidence must have a verdict, got 1 and 2"):
        aurc([0.5], [True, False])
    with pytest.raises(InvalidValue, match="must be a number, got nan"):
        auroc([math.nan, 0.1], [True, False])
