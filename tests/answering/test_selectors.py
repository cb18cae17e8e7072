"""Every selector by name: a Scorer for any text, with a trigger of its own."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from answering import SELECTORS, load_selector, selector_named, trigger_of
from answering.learnt import LEARNT
from answering.published import COLUMNS, PUBLISHED, load_published, save_published, with_columns
from answering.question_class import COARSE, load_classifier
from core.errors import InvalidValue
from core.protocols import Scorer
from core.text import IdfTable, terms
from tests.support.fakes import HashEmbedder

TEXTS = [
    "The bell tower was built by the mason Ada Thorn in 1841.",
    "Its bell is rung when the tide turns.",
    "",
    "海上生明月，天涯共此时。",
]
QUESTION = "Who built the bell tower?"


def scorer(name: str) -> Scorer:
    return selector_named(name)(HashEmbedder(), IdfTable.of(terms(text) for text in TEXTS))


@pytest.mark.parametrize("name", SELECTORS)
def test_each_selector_ranks_the_answer_first_and_scores_any_text(name: str) -> None:
    found = scorer(name).score(QUESTION, TEXTS)
    assert isinstance(scorer(name), Scorer)
    assert found.shape == (4,)
    assert found.dtype == np.float64
    assert np.isfinite(found).all()
    if name != "cnn":  # which reads for meaning alone
        assert int(np.argmax(found)) == 0
    assert scorer(name).score(QUESTION, []).shape == (0,)
    assert np.isfinite(scorer(name).score("?", TEXTS)).all()


@pytest.mark.parametrize("name", SELECTORS)
def test_each_selector_has_a_trigger_that_rises_with_its_score(name: str) -> None:
    trigger = trigger_of(name)
    assert trigger.slope > 0
    assert 0 < trigger.threshold < 1


@pytest.mark.parametrize("name", [name for name in SELECTORS if name not in LEARNT])
def test_a_texts_score_does_not_depend_on_its_batch(name: str) -> None:
    together = scorer(name).score(QUESTION, TEXTS)
    alone = [scorer(name).score(QUESTION, [text])[0] for text in TEXTS]
    assert together == pytest.approx(alone, abs=1e-5)


def test_an_unknown_name_is_refused_with_the_known_ones() -> None:
    for call in (selector_named, trigger_of):
        with pytest.raises(InvalidValue, match=r"a selector must be one of overlap, wd-cnt, .*got 'best'"):
            call("best")
    with pytest.raises(InvalidValue, match="a published model must be one of wd-cnt"):
        load_published().scorer("best", IdfTable(1))


def test_a_name_may_hold_an_operating_point() -> None:
    assert load_selector("cnn-cnt+all@balanced").trigger == load_selector("cnn-cnt+all").trigger
    assert load_selector("overlap@balanced").name == "overlap@balanced"
    for name in ("overlap@", "overlap@bold", "overlap@balanced@balanced"):
        with pytest.raises(InvalidValue, match="an operating point must be one of balanced"):
            load_selector(name)


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_published_model_has_the_points_that_can_be_had_and_says_what_else_could_be_promised(
    name: str,
) -> None:
    trigger = trigger_of(name)
    assert 0 < load_selector(f"{name}@eager").trigger.threshold <= trigger.threshold
    with pytest.raises(
        InvalidValue,
        match=r"must be one of balanced, eager with this selector, got 'careful', for a precision of 0.6 "
        r"cannot be promised on a tenth of the questions, only 0\.\d\d; choose one of those, or another",
    ):
        load_selector(f"{name}@careful")


def test_columns_are_length_and_class_as_named() -> None:
    base = np.zeros((2, 3))
    matrix = with_columns(base, "Who wept?", ["one two three", ""], COLUMNS["cnn-cnt+all"], load_classifier())
    assert matrix.shape == (2, 3 + 2 + len(COARSE))
    assert matrix[:, 3:5].tolist() == [[2, 3], [2, 0]]
    assert matrix[0, 5:].tolist() == [float(coarse == "HUM") for coarse in COARSE]
    with pytest.raises(InvalidValue, match="one of qlen, slen, qclass, got 'depth'"):
        with_columns(base, "Who?", ["a", "b"], ["depth"], load_classifier())


def test_the_published_models_survive_the_disk(tmp_path: Path) -> None:
    models = load_published()
    save_published(models, tmp_path / "published", trained_on="nothing")
    kept = load_published(tmp_path / "published")
    assert kept.triggers == models.triggers
    assert set(kept.triggers) == set(PUBLISHED)
    for name in PUBLISHED:
        one, other = (side.scorer(name, IdfTable(3)).score(QUESTION, TEXTS) for side in (models, kept))
        assert one == pytest.approx(other)
        assert all(math.isfinite(value) for value in one)
