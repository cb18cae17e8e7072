"""A recommendation names a winner only where the questions show one."""

from __future__ import annotations

import random

import pytest

from core.errors import InvalidValue
from eval.recommendation import recommend


def answers(values: list[float]) -> dict[str, float]:
    return {str(at): value for at, value in enumerate(values)}


GOOD = answers([1.0] * 30)
MIDDLING = answers([1.0] * 18 + [0.0] * 12)
POOR = answers([0.0] * 28 + [1.0] * 2)


def test_a_clear_winner_is_recommended_with_its_margin_over_the_next() -> None:
    found = recommend({"middling": MIDDLING, "good": GOOD, "poor": POOR})
    assert (found.best, found.mean, found.questions, found.level) == ("good", 1.0, 30, ())
    assert [rival.name for rival in found.rivals] == ["middling", "poor"]
    margin = found.rivals[0].margin
    assert margin.mean == pytest.approx(0.4)
    assert 0 < margin.low < 0.4 < margin.high
    assert found.text("er@1000").startswith("Recommended: good, er@1000 1.000 on 30 questions; 0.400 (")
    assert "above middling" in found.text("er@1000")


def test_what_differs_by_chance_alone_is_no_difference() -> None:
    rng = random.Random(3)
    same = {name: answers([float(rng.random() < 0.5) for _ in range(40)]) for name in "abcde"}
    found = recommend(same)
    assert len(found.level) == len(found.rivals) == 4
    assert found.text("er@1000").startswith("No difference that your questions can show. Best: ")


def test_three_questions_that_agree_show_nothing() -> None:
    found = recommend({"a": answers([1.0] * 3), "b": answers([0.0] * 3)})
    assert found.rivals[0].margin.low > 0
    assert not found.rivals[0].behind
    assert "No difference that your questions can show" in found.text("dcg@1")


def test_those_that_cannot_be_told_from_the_best_are_named_apart_from_those_behind() -> None:
    near = answers([1.0] * 29 + [0.0])
    found = recommend({"good": GOOD, "near": near, "poor": POOR})
    assert [rival.name for rival in found.level] == ["near"]
    said = found.text("dcg@20")
    assert "above poor" in said
    assert said.endswith("No difference that your questions can show between it and near.")


def test_the_first_of_equals_is_the_best_and_one_alone_is_nothing_to_choose_between() -> None:
    assert recommend({"a": GOOD, "b": GOOD}).best == "a"
    alone = recommend({"a": GOOD})
    assert alone.rivals == ()
    assert alone.text("er@500").startswith("Nothing to choose between: a, ")


def test_the_same_values_give_the_same_recommendation_and_json() -> None:
    both = {"good": GOOD, "middling": MIDDLING}
    first, second = (recommend(both).as_json("er@500") for _ in range(2))
    assert first == second
    assert first["rivals"][0]["behind"] is True
    assert first["text"] == recommend(both).text("er@500")


def test_nothing_to_compare_and_other_questions_are_errors() -> None:
    with pytest.raises(InvalidValue, match="at least one configuration"):
        recommend({})
    with pytest.raises(InvalidValue, match="same queries"):
        recommend({"a": GOOD, "b": answers([1.0])})
