"""Sentences read once: the same columns as one by one, and nothing kept that was let go of."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from answering.counts import alignment
from answering.cues import cues
from answering.features import ReadQuestion
from answering.sentences import SENTENCES_KEPT, forget_sentences, read_sentence
from answering.word_vectors import load_word_vectors
from chunkers.boundaries import sentence_spans
from core.text import IdfTable, terms, words
from service.sample import sample_sources
from tests.support.plain_columns import plain_alignment, plain_cues, plain_matrix
from tests.support.texts import texts as any_texts

STORY = "\n".join(source.data.decode() for source in sample_sources())
SENTENCES = [span.of(STORY) for span in sentence_spans(STORY)]
IDF = IdfTable.of(terms(text) for text in SENTENCES)
# What opens each cue and what stands beside it, foreign letters that match English ones among it.
_SIGNS = st.sampled_from(
    """two TWO ſix mıles mİles miles Kg result Results abbreviated led to so that In in Cork by Ada $ % 1841
    20 two_ is an ٣ ４ March march may using through known as ’ don’t '' `` -LRB- , é century was slowly the
    one of stands for because it he dozen""".split()
)
_GAPS = st.sampled_from([" ", " ", " ", ""])
_signed = st.lists(st.tuples(_SIGNS, _GAPS), max_size=10).map(lambda pairs: "".join(map("".join, pairs)))


@pytest.mark.parametrize("label", ["HUM:ind", "NUM:date"])
@pytest.mark.parametrize(
    "question",
    [
        "Who kept the lamp burning in the bell tower?",
        "When was the bell tower of Innish built, in 1841 or before?",
        "How many rulers were there?",
        "to be or not to be",
        "the the bell the the bell",
        "",
    ],
)
def test_columns_are_those_that_are_read_one_by_one(question: str, label: str) -> None:
    asked = ReadQuestion(question, label, IDF)
    texts = [*SENTENCES, "", "...", "He rules the bell of the bell tower; the the bell."]
    assert asked.matrix(texts) == pytest.approx(plain_matrix(asked, texts), abs=1e-12)


def test_a_storys_own_sentences_as_questions_give_the_same_columns() -> None:
    for text in Random(1).sample(SENTENCES, 20):
        asked = ReadQuestion(text, "ENTY:other", IDF)
        assert asked.matrix(SENTENCES) == pytest.approx(plain_matrix(asked, SENTENCES), abs=1e-12)


@given(st.lists(any_texts | _signed, min_size=1, max_size=4), any_texts | _signed)
def test_any_texts_columns_are_those_that_are_read_one_by_one(texts: list[str], question: str) -> None:
    asked = ReadQuestion(question, "NUM:count", IDF)
    assert asked.matrix(texts) == pytest.approx(plain_matrix(asked, texts), abs=1e-12)


def test_alignment_is_that_which_is_read_one_by_one() -> None:
    vectors, texts = load_word_vectors(), [*SENTENCES, "", "..."]
    for question in ("Who kept the lamp burning in the bell tower?", "to be or not to be", "xqzt 42"):
        found = alignment(question, texts, IDF, vectors)
        assert found == pytest.approx(plain_alignment(question, texts, IDF, vectors), abs=1e-12)


@given(_signed | any_texts)
def test_a_cue_is_seen_wherever_its_pattern_is(text: str) -> None:
    for asked in (frozenset[str](), frozenset(["two", "cork", "march"])):
        assert cues(text, asked) == plain_cues(text, asked)


@given(_signed | any_texts)
def test_a_foreign_word_beside_them_changes_no_words(text: str) -> None:
    assert words(f"{text} ñandú") == [*words(text), "nandu"]


def test_what_the_texts_hold_together_is_covered() -> None:
    asked = ReadQuestion("Who built the bell tower?", "HUM:ind", IDF)
    assert asked.coverage([]) == 0
    held = asked.weights["bell"] + asked.weights["tower"]
    assert asked.coverage(["A bell.", "No tower, no bell."]) == pytest.approx(held / asked.mass)


def test_sentences_are_remembered_up_to_a_number_and_forgotten_at_once() -> None:
    forget_sentences()
    for at in range(SENTENCES_KEPT + 50):
        read_sentence(f"Sentence {at}")
    assert read_sentence.cache_info().currsize == SENTENCES_KEPT
    assert read_sentence("Sentence 4100") is read_sentence("Sentence 4100")
    forget_sentences()
    assert read_sentence.cache_info().currsize == 0


def test_remembered_or_not_the_columns_are_the_same() -> None:
    asked = ReadQuestion("Who built the bell tower?", "HUM:ind", IDF)
    forget_sentences()
    first = asked.matrix(SENTENCES)
    assert np.array_equal(asked.matrix(SENTENCES), first)
