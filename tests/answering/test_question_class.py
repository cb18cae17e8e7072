"""Question classes: the shipped model on plain questions, the rules, and fitting from nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from answering.question_class import (
    CLASSES,
    COARSE,
    coarse_of,
    fit,
    load_classifier,
    save_classifier,
)
from answering.question_features import take_apart
from answering.question_rules import class_by_rule
from answering.word_vectors import word_vectors
from core.errors import InvalidValue

PLAIN = [
    ("Who wrote the letter?", "HUM:ind"),
    ("When did the storm begin?", "NUM:date"),
    ("How many sheep were on the ferry?", "NUM:count"),
    ("Why did the captain leave?", "DESC:reason"),
    ("What is a withy boat?", "DESC:def"),
    ("What city was she born in?", "LOC:city"),
    ("What color was the sail?", "ENTY:color"),
    ("Where is the oldest mill?", "LOC:other"),
]


def test_the_taxonomy_has_6_coarse_and_50_fine_classes() -> None:
    assert len(CLASSES) == len(set(CLASSES)) == 50
    assert {coarse_of(label) for label in CLASSES} == set(COARSE)


@pytest.mark.parametrize(("question", "label"), PLAIN)
def test_plain_questions_get_their_class_by_model_and_by_rule(question: str, label: str) -> None:
    assert load_classifier().classify(question) == label
    assert class_by_rule(question) == label


@pytest.mark.parametrize(
    ("question", "head", "ended"),
    [
        ("What kind of dog is that?", "dog", False),
        ("What is California's state bird?", "bird", True),
        ("What Spanish artist painted it?", "artist", False),
        ("What 's the longest river in Asia ?", "river", False),
        ("what is a withy boat", "boat", True),
        ("Why did he go?", "", False),
        ("", "", False),
    ],
)
def test_a_question_asks_about_the_noun_phrase_after_its_question_word(
    question: str, head: str, ended: bool
) -> None:
    asked = take_apart(question)
    assert (asked.head, asked.ended if head else False) == (head, ended)


def test_raw_and_tokenised_questions_are_taken_apart_alike() -> None:
    assert take_apart("What's the mason's name?") == take_apart("What 's the mason 's name ?")


@pytest.mark.parametrize("question", ["", "?", "海上生明月", "name", "how", "What", "who 's"])
def test_any_text_has_a_class(question: str) -> None:
    assert load_classifier().classify(question) in CLASSES
    assert class_by_rule(question) in CLASSES
    assert np.isfinite(load_classifier().margins(question)).all()


def test_a_fitted_classifier_knows_its_questions_and_survives_the_disk(tmp_path: Path) -> None:
    vectors = word_vectors(["wolf", "boat"], np.eye(2, 4, dtype=np.float32))
    # Two questions a class, told apart by their last word alone.
    labels = [label for label in CLASSES for _ in range(2)]
    questions = [f"what about {label.replace(':', '')} {n % 2}" for n, label in enumerate(labels)]
    classifier = fit(questions, labels, vectors, seed=1)
    assert [classifier.classify(question) for question in questions] == labels
    again = fit(questions, labels, vectors, seed=1)
    np.testing.assert_array_equal(classifier.weights, again.weights)
    save_classifier(classifier, tmp_path / "classes", trained_on="nothing")
    kept = load_classifier(tmp_path / "classes")
    assert list(kept.names) == list(classifier.names)
    np.testing.assert_allclose(kept.weights, classifier.weights, atol=np.abs(classifier.weights).max() / 127)


def test_fitting_needs_every_class() -> None:
    vectors = word_vectors(["wolf"], np.ones((1, 2), dtype=np.float32))
    with pytest.raises(InvalidValue, match="each of the 50 classes, got 1"):
        fit(["Who?"], ["HUM:ind"], vectors, seed=1)
