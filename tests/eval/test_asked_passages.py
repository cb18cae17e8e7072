"""Passages that are kept, and the first sentence that a selector makes of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import chunkers
from answering import load_selector
from core.artifacts import Artifact, save
from core.values import Span
from eval.answer_scoring import Asking
from eval.asked import AskedQuestion, AskedText
from eval.asked_passages import AskedPassages, asked_passages
from eval.keeping import Shelf
from eval.placed import PlacedQuestion
from eval.top_sentences import FEATURES, top_sentences
from eval.train_points import Tops, fitted, seeds_of
from service.embedding.remembering import RememberingEmbedder
from service.settings import Settings
from tests.support.fakes import HashEmbedder

TOLD = [f"The {name} lamp burned until dawn.\n\n" for name in ("brass", "tin", "clay", "glass")]
STORY = "".join(TOLD)
QUESTION = PlacedQuestion("tin", "Which tin lamp burned until dawn?", (Span(37, 69),))
ASKED = tuple(AskedQuestion(QUESTION, kind, "lamps", "lamps") for kind in ("answerable", "removed"))
TEXT = AskedText("lamps", STORY, "lamps.txt", ASKED)


def asking(place: Path, **of_chunks: int) -> tuple[Asking, HashEmbedder]:
    embedder = HashEmbedder(256)
    settings = Settings.load(chunker="sentence", **({"chunk_size": 40} | of_chunks))
    return Asking(place, settings, RememberingEmbedder(embedder), k=2), embedder


def found(place: Path, shelf: Shelf, **of_chunks: int) -> tuple[Sequence[AskedPassages], int]:
    one, embedder = asking(place, **of_chunks)
    size = one.settings.chunk_size
    (passages,) = asked_passages(one, chunkers.build("sentence", size=size), [TEXT], shelf)
    return passages, embedder.calls


def test_a_text_that_was_asked_is_not_ingested_again_but_one_cut_otherwise_is(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path / "kept", lambda _: None)
    first, calls = found(tmp_path / "one", shelf)
    again, none = found(tmp_path / "two", shelf)
    other, anew = found(tmp_path / "three", shelf, chunk_size=80)
    assert again == first
    assert (calls > 0, none, anew > 0) == (True, 0, True)
    assert [len(one.hits) for one in first] == [2, 2]
    assert first[0].table.total == 4
    assert first[0].table.frequency["tin"] == 1
    assert other != first


def test_the_first_sentence_is_what_the_pipeline_would_say_and_is_described(tmp_path: Path) -> None:
    one, _ = asking(tmp_path)
    passages, _ = found(tmp_path / "again", Shelf(tmp_path / "kept", lambda _: None))
    selector = load_selector("overlap")
    own, removed = top_sentences(selector, one.embedder, [passages])
    with one.ingested(TEXT) as pipeline:
        said = pipeline.ask(QUESTION.text, k=2, selector="overlap").decision.ranked[0]
    assert own.features[0] == pytest.approx(said.score)
    assert (own.right, removed.right) == (True, False)
    told = dict(zip(FEATURES, own.features, strict=True))
    assert told["coverage of the sentence"] == told["coverage of its passage"] == 1.0
    assert told["margin to the second"] > 0
    assert told["share of the first five in its passage"] == 0.5
    assert removed.features[FEATURES.index("coverage of its passage")] < 1


def test_careful_answers_few_of_each_kind_and_promises_on_all_of_them() -> None:
    chance = np.random.default_rng(2)
    kinds = np.repeat(["answerable", "other author", "removed"], 400)
    right = (kinds == "answerable") & (chance.random(1200) < 0.6)
    centre = np.where(right, 2.0, np.where(kinds == "removed", 0.0, -1.0))
    scores = centre + chance.normal(size=1200)
    features = np.column_stack([scores, *[np.zeros(1200)] * (len(FEATURES) - 1)])
    trigger = fitted(Tops(features, kinds, right))
    given = trigger.probability(scores) >= trigger.at("careful").threshold
    assert (given[kinds == "removed"]).mean() < 0.1
    assert right[given].mean() > 0.6
    assert trigger.threshold <= trigger.at("careful").threshold
    few = fitted(Tops(features[::100], kinds[::100], right[::100]))
    assert "careful" in few.unreachable


def test_careful_answers_seldom_without_an_answer_even_where_no_higher_precision_can_be_promised() -> None:
    chance = np.random.default_rng(3)
    kinds = np.array(["answerable"] * 1700 + ["removed"] * 300)
    right = (kinds == "answerable") & (chance.random(2000) < 0.72)
    scores = np.where(right, 1.5, np.where(kinds == "answerable", 1.4, 1.0)) + chance.normal(size=2000)
    trigger = fitted(Tops(np.column_stack([scores, *[np.zeros(2000)] * (len(FEATURES) - 1)]), kinds, right))
    given = trigger.probability(scores) >= trigger.at("careful").threshold
    assert 0.6 < right[given].mean() < 0.75
    assert (given[kinds == "removed"]).mean() < 0.1


def test_what_was_learnt_from_is_known_by_the_seeds_of_then(tmp_path: Path) -> None:
    def made(name: str, seed: int, **more: str) -> None:
        save(tmp_path / name, Artifact({"value": np.zeros(1)}, {"provenance": {"seed": seed}, **more}))

    made("reader", 5)
    made("clean", 7, reader="reader")
    made("wikiqa/hybrid", 9)
    assert seeds_of("clean", tmp_path) == {5, 7}
    assert seeds_of("hybrid", tmp_path) == {9}
    assert seeds_of("clean")  # the shipped ones tell
