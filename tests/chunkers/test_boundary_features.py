from __future__ import annotations

import numpy as np
import pytest

from chunkers import boundary_features
from chunkers.boundaries import paragraph_spans
from chunkers.boundary_features import VECTOR_FEATURES, WORD_FEATURES, vector_features, word_features
from chunkers.contexts import Contexts, cosines
from chunkers.marks import HEADING, PROSE, RULE, mark_kinds
from chunkers.names import names_in_play
from chunkers.openings import opening_features
from chunkers.windows import window_spans
from core.values import Span
from tests.support.fakes import HashEmbedder


def spans(passages: list[str]) -> list[Span]:
    return paragraph_spans("\n\n".join(passages))


def test_marks_are_told_from_prose() -> None:
    passages = [
        "# Title",
        "CHAPTER IV",
        "XII.",
        "* * *",
        "-------",
        "He came in.",
        "Chapter and verse he gave.",
    ]
    text = "\n\n".join(passages)
    kinds = mark_kinds(text, paragraph_spans(text)).tolist()
    assert kinds == [HEADING, HEADING, HEADING, RULE, RULE, PROSE, PROSE]


def test_a_paragraph_that_only_begins_with_a_heading_is_prose() -> None:
    text = "## One\nIt was dark.\n\n## Two\n### Three"
    assert mark_kinds(text, paragraph_spans(text)).tolist() == [PROSE, HEADING]


def test_sums_count_the_characters_of_each_piece_that_stand_before() -> None:
    rows = np.array([[1.0, 0.0], [0.0, 1.0]], np.float32)
    contexts = Contexts(np.array([0, 10]), np.array([8, 20]), rows)
    assert contexts.upto(np.array([-5, 4, 8, 10, 15, 99])).tolist() == [
        [0, 0],
        [4, 0],
        [8, 0],
        [8, 0],
        [8, 5],
        [8, 10],
    ]


def test_a_cosine_with_nothing_is_zero() -> None:
    sums = np.array([[3.0, 4.0], [0.0, 0.0]])
    assert cosines(sums, np.array([[3.0, 4.0], [1.0, 0.0]])).tolist() == [1.0, 0.0]


def test_a_name_is_new_when_it_comes_and_when_it_comes_back_after_long() -> None:
    passages = ["There was Alice, and then Bob.", "Alice met Bob.", "x " * 900, "And then Alice, with Carol."]
    names = names_in_play(passages, spans(passages))
    assert names.new.tolist() == [2, 0, 0, 2]
    assert names.met.tolist() == [0, 2, 0, 0]


def test_a_capital_that_opens_a_sentence_makes_no_name() -> None:
    passages = ["Houses stood there. Trees grew."]
    assert names_in_play(passages, spans(passages)).new.tolist() == [0]


def test_openings_tell_speech_time_and_pronouns() -> None:
    found = opening_features(['"Go," he said:', "Next morning she left.", "She was gone."])
    assert found["opens in speech"].tolist() == [1, 0, 0]
    assert found["opens with time"].tolist() == [0, 1, 0]
    assert found["opens with pronoun"].tolist() == [0, 0, 1]
    assert found["ends open"][1] == 1


def test_likeness_falls_where_the_words_change() -> None:
    passages = ["The dog barked at the dog in the yard. " * 6] * 4 + [
        "A ship sailed over a stormy sea. " * 6
    ] * 4
    text = "\n\n".join(passages)
    windows = window_spans(text)
    vectors = HashEmbedder().embed_passages([window.of(text) for window in windows])
    table = vector_features(paragraph_spans(text), windows, vectors)
    far = table[1:, VECTOR_FEATURES.index("likeness far")]
    assert int(far.argmin()) + 1 == 4


def test_places_looked_at_in_parts_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    passages = [
        f"Paragraph {at} tells of thing {at % 5} and of thing {at % 3}. " * (1 + at % 4) for at in range(60)
    ]
    text = "\n\n".join(passages)
    units, windows = paragraph_spans(text), window_spans(text)
    vectors = HashEmbedder().embed_passages([window.of(text) for window in windows])
    whole = vector_features(units, windows, vectors)
    monkeypatch.setattr(boundary_features, "_TOGETHER", 7)
    np.testing.assert_allclose(vector_features(units, windows, vectors), whole, atol=1e-9)


def test_a_text_far_away_changes_no_feature_of_a_place() -> None:
    near = ["The dog barked. " * 40, "The cat slept. " * 40]
    far = "An owl called over the moor. " * 200
    first, second = (
        word_features("\n\n".join(passages), spans(passages))
        for passages in ([*near, far], [*near, far.replace("owl", "ork")])
    )
    assert first.shape == (3, len(WORD_FEATURES))
    np.testing.assert_array_equal(first[:2], second[:2])
