from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chunkers
from chunkers.base import BoundaryPicker, BoundaryScorer
from chunkers.boundaries import WHITE_SPACE
from chunkers.boundary_model import load_boundary
from chunkers.model_picker import ModelPicker
from chunkers.passages import headed_spans
from chunkers.recipe import Models
from chunkers.windows import window_spans
from core.errors import InvalidValue
from core.protocols import Vectors
from core.values import Span
from service.embedding.around import AroundEmbedder
from service.embedding.minilm import MiniLM
from tests.support.fakes import HashEmbedder
from tests.support.texts import texts

CAMP = (
    "The soldiers pitched their tents beside the river. The captain counted the horses and the sergeant "
    "counted the rifles, and the soldiers grumbled about the cold and the mud of the river bank. "
)
KITCHEN = (
    "Next morning Mrs. Ashby kneaded the dough in her warm kitchen. Flour covered the table, the oven "
    "glowed, and the smell of bread and cinnamon filled every room of the cottage. "
)


class Watched(AroundEmbedder):
    """Keeps what it was asked for."""

    def __init__(self) -> None:
        super().__init__(MiniLM())
        self.asked: list[list[str]] = []

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        self.asked.append(list(texts))
        return self._inner.embed_passages(texts)

    def embed_query(self, text: str) -> Vectors:
        return self._inner.embed_query(text)


def story(*, heading: str = "") -> str:
    camp = [CAMP * 2 + f"That was day {day}." for day in ("one", "two", "three", "four")]
    kitchen = [KITCHEN * 2 + f"It was loaf {loaf}." for loaf in ("one", "two", "three", "four")]
    return "\n\n".join([*camp, *([heading] if heading else []), *kitchen])


def test_it_is_a_picker_and_a_scorer() -> None:
    picker = ModelPicker(HashEmbedder())
    assert isinstance(picker, BoundaryPicker)
    assert isinstance(picker, BoundaryScorer)


def test_exactly_the_windows_of_the_index_are_embedded_once() -> None:
    embedder, text = Watched(), story()
    ModelPicker(embedder).scores(text, headed_spans(text))
    assert embedder.asked == [[window.of(text) for window in window_spans(text)]]


def test_the_content_shifts_most_where_the_scene_does() -> None:
    text = story()
    units = headed_spans(text)
    scores = ModelPicker(MiniLM()).scores(text, units)
    assert scores[0] == -np.inf
    assert int(scores.argmax()) == 4


def test_a_heading_or_a_rule_is_a_boundary_in_any_case() -> None:
    for mark in ("## Chapter II", "* * *", "CHAPTER II"):
        text = story(heading=mark)
        units = headed_spans(text)
        scores = ModelPicker().scores(text, units)
        assert np.flatnonzero(scores == np.inf).tolist() == [4]
        assert units[4].of(text).startswith(mark)


def test_what_a_heading_says_changes_no_other_score() -> None:
    both = [story(heading=f"## {title}") for title in ("The kitchen", "Tales of mice")]
    first, second = (ModelPicker().scores(text, headed_spans(text)) for text in both)
    np.testing.assert_array_equal(first, second)


def test_another_embedder_leaves_the_words_and_says_so() -> None:
    text = story()
    units = headed_spans(text)
    other, alone = ModelPicker(HashEmbedder()), ModelPicker()
    assert other.name == alone.name == "local-words"
    np.testing.assert_array_equal(other.scores(text, units), alone.scores(text, units))
    assert "goes by words alone" in " ".join(other.notices)
    assert ModelPicker(MiniLM()).notices == ()
    assert ModelPicker(MiniLM()).name == "local"


def test_the_repr_identifies_it_and_names_no_object() -> None:
    assert repr(ModelPicker(MiniLM())) == repr(ModelPicker(Watched()))
    assert (
        len({repr(picker) for picker in (ModelPicker(MiniLM()), ModelPicker(), ModelPicker(scale=2.0))}) == 3
    )
    assert "0x" not in repr(ModelPicker(MiniLM()))


def test_a_scale_must_be_above_zero() -> None:
    with pytest.raises(InvalidValue, match="scale must be above 0"):
        ModelPicker(scale=0.0)


def test_smaller_windows_give_smaller_chunks() -> None:
    text = "\n\n".join([story(), story()])
    models = Models(embedder=HashEmbedder(), picker="local")
    small, large = (
        len(chunkers.build("lumber", size=size, unit="tokens", models=models).split(text))
        for size in (200, 900)
    )
    assert small > large


def test_pick_sees_the_passages_alone() -> None:
    passages = [span.of(story()) for span in headed_spans(story())]
    assert 1 <= ModelPicker(MiniLM()).pick(passages) <= len(passages)
    assert ModelPicker().pick(["alone"]) == 1


@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=40), max_size=12))
def test_any_units_of_any_text_get_a_finite_score_or_a_certain_one(parts: list[str]) -> None:
    text = "\n\n".join(parts)
    units: list[Span] = headed_spans(text)
    scores = ModelPicker().scores(text, units)
    assert len(scores) == len(units)
    assert not np.isnan(scores).any()
    assert not (scores[1:] == -np.inf).any()


class Known(HashEmbedder):
    """Vectors of words under the name of those that the model knows."""

    def __init__(self) -> None:
        super().__init__()
        self.fingerprint = load_boundary().fingerprint


@pytest.mark.parametrize("embedder", [HashEmbedder(), Known()], ids=["words", "vectors"])
@settings(deadline=None)
@given(text=texts)
def test_its_chunks_leave_out_white_space_alone(embedder: HashEmbedder, text: str) -> None:
    models = Models(embedder=embedder, picker="local")
    at = 0
    for span in chunkers.build("lumber", size=60, unit="tokens", models=models).split(text):
        assert at <= span.start < span.end
        assert not text[at : span.start].strip(WHITE_SPACE)
        at = span.end
    assert not text[at:].strip(WHITE_SPACE)
