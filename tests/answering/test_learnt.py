"""`lexical`, `hybrid` and `clean`: what they say of a question's sentences, and that they say it again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from answering import load_selector
from answering.base import Explaining
from answering.columns import standing_alone
from answering.cross import CrossReader
from answering.learnt import LEARNT, READ, LearntName, load_learnt, save_learnt
from core.errors import InvalidValue
from core.protocols import Embedder, Vectors
from core.text import IdfTable, terms
from tests.support.fakes import HashEmbedder

QUESTION = "When was the bell tower of Innish built?"
TEXTS = [
    "The bell tower of Innish was built by the mason Ada Thorn in 1841.",
    "The bell tower of Innish is rung when the tide turns.",
    "She had learnt her trade in the quarries.",
]
IRRELEVANT = [f"Many a herring came ashore with boat {at} and lay there shining." for at in range(120)]
IDF = IdfTable.of(terms(text) for text in [*TEXTS, *IRRELEVANT])


class NoLikeness(HashEmbedder):
    """A text is like another only when they share a word that is not irrelevant."""

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        rows = super().embed_passages(texts)
        rows[[text in IRRELEVANT for text in texts]] = 0
        return rows


def scores(name: LearntName, texts: list[str], embedder: Embedder | None = None) -> np.ndarray:
    return load_learnt(name).scorer(embedder or HashEmbedder(), IDF).score(QUESTION, texts)


@pytest.mark.parametrize("name", LEARNT)
def test_the_sentence_of_the_asked_type_wins(name: LearntName) -> None:
    found = scores(name, TEXTS)
    assert int(np.argmax(found)) == 0
    assert load_learnt(name).trigger.probability(found[0]) > load_learnt(name).trigger.probability(found[2])


def test_a_hundred_irrelevant_sentences_change_no_score_of_lexical() -> None:
    few = scores("lexical", TEXTS)
    for at in (10, 120):
        assert scores("lexical", [*TEXTS, *IRRELEVANT[:at]])[:3].tolist() == few.tolist()
        assert scores("lexical", [*IRRELEVANT[:at], *TEXTS])[at:].tolist() == few.tolist()


@pytest.mark.parametrize("name", ["hybrid", "clean"])
def test_a_hundred_irrelevant_sentences_hardly_move_the_others(name: LearntName) -> None:
    trigger = load_learnt(name).trigger
    few = trigger.probability(scores(name, TEXTS, NoLikeness()))
    many = trigger.probability(scores(name, [*IRRELEVANT, *TEXTS], NoLikeness()))
    assert many[-3:] == pytest.approx(few, abs=0.1)  # a word's nearest partner is never quite nothing
    assert int(np.argmax(many)) == len(IRRELEVANT)


@pytest.mark.parametrize("name", LEARNT)
def test_no_score_depends_on_the_places_of_sentences(name: LearntName) -> None:
    order = [2, 0, 1]
    turned = scores(name, [TEXTS[at] for at in order])
    assert turned == pytest.approx(scores(name, TEXTS)[order], abs=1e-9)


@pytest.mark.parametrize("name", LEARNT)
def test_what_mattered_is_named_and_the_strongest_comes_first(name: LearntName) -> None:
    scorer = load_learnt(name).scorer(HashEmbedder(), IDF)
    read = scorer.read(QUESTION, standing_alone(TEXTS))
    assert isinstance(scorer, Explaining)
    assert read.scores.tolist() == scorer.score(QUESTION, TEXTS).tolist()
    found = read.mattered(0, count=4)
    assert len(found) == 4
    assert {one.column for one in found} <= set(scorer.columns.names)
    sizes = [abs(one.log_odds) for one in found]
    assert sizes == sorted(sizes, reverse=True)
    assert len(scorer.columns.names) == scorer.read(QUESTION, standing_alone(TEXTS)).rows.shape[1]


@pytest.mark.parametrize("name", LEARNT)
def test_operating_points_answer_more_or_less(name: LearntName) -> None:
    trigger = load_learnt(name).trigger
    assert trigger.at("eager").threshold <= trigger.at("balanced").threshold
    if "careful" in trigger.points:
        assert load_selector(f"{name}@careful").trigger.threshold >= trigger.threshold
    else:
        with pytest.raises(InvalidValue, match="an operating point must be one of balanced, eager"):
            load_selector(f"{name}@careful")


@pytest.mark.parametrize("name", LEARNT)
def test_an_answers_existence_is_likelier_than_that_the_top_sentence_is_it(name: LearntName) -> None:
    model = load_learnt(name)
    usual = np.linspace(-4, 1, 11)
    assert (model.existence.probability(usual) >= model.trigger.probability(usual)).all()


@pytest.mark.parametrize("name", LEARNT)
def test_the_model_survives_the_disk(name: LearntName, tmp_path: Path) -> None:
    model = load_learnt(name)
    save_learnt(name, model, tmp_path / "kept", trained_on="nothing")
    kept = load_learnt(name, tmp_path / "kept")
    assert (kept.trigger, kept.existence, kept.columns) == (model.trigger, model.existence, model.columns)
    one, other = (side.scorer(HashEmbedder(), IDF).score(QUESTION, TEXTS) for side in (model, kept))
    assert one.tolist() == other.tolist()


def test_clean_reads_no_class_that_was_learnt() -> None:
    assert load_learnt("clean").columns.classes == "rule"


@pytest.mark.parametrize("name", ["cross", "clean"])
def test_a_reader_reads_no_more_than_a_question_may_cost(name: LearntName) -> None:
    scorer = load_learnt(name).scorer(HashEmbedder(), IDF)
    assert scorer.reader is not None
    asked: list[int] = []

    class Counting(CrossReader):
        def __init__(self) -> None: ...

        def probabilities(self, question: str, texts: Sequence[str]) -> NDArray[np.float64]:
            assert question == QUESTION
            asked.append(len(texts))
            return np.full(len(texts), 0.5)

    counting = replace(scorer, reader=Counting())
    found = counting.read(QUESTION, standing_alone([TEXTS[0]] * (READ + 50)))
    assert asked == [READ]
    assert np.isfinite(found.scores).all()
    column = counting.columns.names.index("reading")
    assert found.rows[READ - 1, column] == 0.5
    assert found.rows[READ, column] == 0.0
