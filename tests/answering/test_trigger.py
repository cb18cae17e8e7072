import numpy as np
import pytest

from answering.base import Candidate, Decision
from answering.trigger import Trigger, fit, load_trigger, save_trigger
from core.errors import InvalidValue
from core.values import Span


def candidate(start: int) -> Candidate:
    return Candidate("d", "c", Span(start, start + 3), "abc")


def test_the_best_candidate_is_the_answer_and_ties_keep_reading_order():
    decision = Trigger(10, -5, 0.5).decide([candidate(0), candidate(4), candidate(8)], [0.2, 0.9, 0.9])
    assert [scored.candidate.span.start for scored in decision.ranked] == [4, 8, 0]
    assert decision.answer is decision.ranked[0]
    assert decision.reason == "answered"
    assert decision.probability == pytest.approx(1 / (1 + np.exp(-4)))


def test_below_the_threshold_nothing_is_answered_but_the_closest_are_kept():
    decision = Trigger(10, -5, 0.5).decide([candidate(0), candidate(4)], [0.2, 0.3])
    assert decision.answer is None
    assert decision.reason == "no_evidence"
    assert decision.ranked[0].candidate.span.start == 4


def test_at_the_threshold_it_answers():
    assert Trigger(1, 0, 0.5).decide([candidate(0)], [0.0]).answer is not None


def test_no_candidates_are_no_evidence():
    assert Trigger(1, 0, 0.5).decide([], []) == Decision((), 0.5, 0.0, "no_evidence")


def test_one_score_a_candidate():
    with pytest.raises(InvalidValue, match=r"shape \(1,\), got \(2,\)"):
        Trigger(1, 0, 0.5).decide([candidate(0)], [0.1, 0.2])


def test_fitting_recovers_the_sigmoid_that_made_the_labels():
    random = np.random.default_rng(7)
    scores = random.uniform(0, 2, 20_000)
    right = random.random(20_000) < 1 / (1 + np.exp(-(4 * scores - 5)))
    trigger = fit(scores, right, threshold=0.5)
    assert trigger.slope == pytest.approx(4, rel=0.1)
    assert trigger.intercept == pytest.approx(-5, rel=0.1)


def test_fitting_needs_both_outcomes():
    with pytest.raises(InvalidValue, match="both outcomes, got 3 of 3"):
        fit(np.zeros(3), np.ones(3, dtype=bool), threshold=0.5)


def test_a_trigger_survives_the_disk(tmp_path):
    save_trigger(Trigger(3.5, -1.25, 0.4), tmp_path / "t", trained_on="nothing")
    assert load_trigger(tmp_path / "t") == Trigger(3.5, -1.25, 0.4)


def test_an_operating_point_changes_the_threshold_and_no_probability(tmp_path):
    trigger = Trigger(3.5, -1.25, 0.4, {"careful": 0.7, "eager": 0.2})
    careful = trigger.at("careful")
    assert careful.decide([candidate(0)], [0.5]).reason == "no_evidence"
    assert trigger.at("eager").decide([candidate(0)], [0.5]).reason == "answered"
    assert (careful.threshold, trigger.at("balanced")) == (0.7, trigger)
    assert careful.probability(0.5) == trigger.probability(0.5)
    with pytest.raises(InvalidValue, match=r"one of balanced, careful, eager with this selector, got 'bold'"):
        trigger.at("bold")
    with pytest.raises(InvalidValue, match=r"one of balanced with this selector, got 'careful'"):
        Trigger(3.5, -1.25, 0.4).at("careful")
    short = Trigger(3.5, -1.25, 0.4, {"eager": 0.2}, {"careful": "a precision of 0.9 cannot be promised"})
    with pytest.raises(
        InvalidValue,
        match=r"one of balanced, eager with this selector, got 'careful', for a precision of 0.9 cannot be "
        r"promised; choose one of those, or another selector",
    ):
        short.at("careful")
    for one in (trigger, short):
        save_trigger(one, tmp_path / "t", trained_on="nothing")
        assert load_trigger(tmp_path / "t") == one == Trigger.of_config(one.to_config())


def test_the_shipped_trigger_loads_and_rises_with_the_score():
    trigger = load_trigger()
    assert 0 < trigger.threshold < 1
    low, high = trigger.probability([0.0, 2.0])
    assert low < trigger.threshold < high
