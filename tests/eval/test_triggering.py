"""Triggering against a plain reading of its definition and scikit-learn."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import precision_recall_fscore_support

from core.errors import InvalidValue
from eval.metrics import PrecisionRecall, TopCandidate, best_threshold, triggering


def _candidate(score: int | None, kind: str) -> TopCandidate:
    right = kind == "right" and score is not None
    return TopCandidate(None if score is None else score / 4, right, kind != "unanswerable")


CANDIDATES = st.builds(
    _candidate, st.none() | st.integers(0, 4), st.sampled_from(["right", "wrong", "unanswerable"])
)
THRESHOLDS = st.integers(-1, 5).map(lambda n: n / 4)


@given(st.lists(CANDIDATES, max_size=12), THRESHOLDS)
def test_precision_and_recall_are_over_all_questions(found: list[TopCandidate], threshold: float) -> None:
    answered = [one for one in found if one.score is not None and one.score >= threshold]
    right = [one for one in answered if one.right]
    answerable = [one for one in found if one.answerable]
    scores = triggering(found, threshold)
    assert scores.precision == (len(right) / len(answered) if answered else 0)
    assert scores.recall == (len(right) / len(answerable) if answerable else 0)
    both = [one for one in answered if one.answerable]
    other = triggering(found, threshold, convention="answered")
    assert other.precision == scores.precision
    assert other.recall == (len(right) / len(both) if both else 0)


@given(st.lists(CANDIDATES.filter(lambda one: one.right or not one.answerable), min_size=1, max_size=12))
def test_when_every_answerable_question_has_a_right_candidate_scikit_learn_agrees(
    found: list[TopCandidate],
) -> None:
    truth = [one.answerable for one in found]
    given_ = [one.answered(0.5) for one in found]
    precision, recall, f1, _ = precision_recall_fscore_support(
        truth, given_, average="binary", zero_division=0
    )
    scores = triggering(found, 0.5)
    assert (scores.precision, scores.recall, scores.f1) == pytest.approx((precision, recall, f1))


@given(
    st.lists(CANDIDATES, min_size=1, max_size=12).filter(
        lambda all_: any(one.score is not None for one in all_)
    )
)
def test_the_best_threshold_is_the_best_of_all_scores_and_the_highest_of_equals(
    found: list[TopCandidate],
) -> None:
    scores = {one.score for one in found if one.score is not None}
    f1 = {score: triggering(found, score).f1 for score in scores}
    best = max(f1.values())
    assert f1[best_threshold(found)] == pytest.approx(best)
    assert best_threshold(found) == max(score for score in f1 if f1[score] == pytest.approx(best))


def test_questions_without_candidates_cost_recall() -> None:
    found = [TopCandidate(0.9, True, True), TopCandidate(None, False, True)]
    assert triggering(found, 0.5) == PrecisionRecall(1.0, 0.5)
    assert triggering(found, 0.5, convention="answered") == PrecisionRecall(1.0, 1.0)


def test_nothing_answered_and_nothing_answerable_give_zero() -> None:
    assert triggering([], 0.5) == PrecisionRecall(0.0, 0.0)
    assert triggering([TopCandidate(0.1, True, True)], 0.5).f1 == 0.0
    assert triggering([TopCandidate(0.9, False, False)], 0.5) == PrecisionRecall(0.0, 0.0)


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(InvalidValue, match="must be answerable"):
        TopCandidate(1.0, True, False)
    with pytest.raises(InvalidValue, match="must have a score"):
        TopCandidate(None, True, True)
    with pytest.raises(InvalidValue, match="at least one question with a score"):
        best_threshold([TopCandidate(None, False, True)])
