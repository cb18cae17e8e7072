"""What stands around a sentence."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from answering.base import Candidate
from answering.columns import standing_alone
from answering.context import OF_READING, OF_WORDS, reading_columns, word_columns

WEIGHTS = {"lamp": 3.0, "kept": 1.0}


def passage() -> list[Candidate]:
    one, two, three, four = standing_alone(["Ada kept house.", "She lit it.", "The lamp fell.", "It rained."])
    return [
        replace(one, after=two.text),
        replace(two, before=one.text, after=three.text),
        replace(three, before=two.text),
        replace(four, rank=2),
    ]


def column(name: str) -> list[float]:
    return word_columns(passage(), WEIGHTS)[:, OF_WORDS.index(name)].tolist()


def test_neighbours_lend_a_sentence_their_words() -> None:
    assert column("idf overlap with neighbours") == [0.25, 1.0, 0.75, 0.0]
    assert column("gained by neighbours") == [0.0, 1.0, 0.0, 0.0]
    assert column("idf overlap of the sentence before") == [0.0, 0.25, 0.0, 0.0]
    assert column("idf overlap of the sentence after") == [0.0, 0.75, 0.0, 0.0]


def test_a_passage_covers_what_its_sentences_hold_together() -> None:
    assert column("coverage of the passage") == [1.0, 1.0, 1.0, 0.0]
    assert column("coverage of the passage less that of all") == [0.0, 0.0, 0.0, -1.0]
    assert column("rank of the passage") == [1, 1, 1, 2]


def test_a_question_without_terms_is_covered_by_nothing() -> None:
    found = word_columns(passage(), {})
    assert found.shape == (4, len(OF_WORDS))
    assert not found[:, :-1].any()


def test_readings_are_lent_within_a_passage_and_never_across() -> None:
    before, after, best, mean = reading_columns(passage(), np.array([0.1, 0.2, 0.6, 0.9])).T
    assert before.tolist() == [0.0, 0.1, 0.2, 0.0]
    assert after.tolist() == [0.2, 0.6, 0.0, 0.0]
    assert best.tolist() == [0.6, 0.6, 0.6, 0.9]
    assert np.allclose(mean, [0.3, 0.3, 0.3, 0.9])
    assert len(OF_READING) == 4
