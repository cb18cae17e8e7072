"""Word counts and alignment: shares by definition, bounds for any text, and words of like meaning."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answering.counts import (
    WeightedWordCount,
    WordAlignment,
    WordCount,
    alignment,
    lengths,
    overlap,
    weighted_overlap,
)
from answering.word_vectors import load_word_vectors, word_vectors
from core.protocols import Scorer
from core.text import IdfTable, terms

TEXTS = st.lists(st.text(max_size=40), max_size=4)
TOY = word_vectors(["river", "creek", "bishop"], np.array([[1, 0], [0.8, 0.6], [0, -1]], dtype=np.float32))
FLAT = IdfTable(10)


def test_overlap_counts_each_shared_stem_once() -> None:
    texts = ["The captains sailed and sailed.", "A dog slept.", ""]
    assert overlap("Did the captain sail to Holm?", texts).tolist() == pytest.approx([2 / 3, 0, 0])
    assert overlap("?", texts).tolist() == [0, 0, 0]


def test_equal_weights_make_the_weighted_count_the_count() -> None:
    texts = ["The captain sailed.", "A dog slept on Holm."]
    question = "Did the captain sail to Holm?"
    assert weighted_overlap(question, texts, FLAT) == pytest.approx(overlap(question, texts))


def test_alignment_takes_the_nearest_word_and_never_less_than_none() -> None:
    found = alignment("creek", ["A river.", "A bishop.", "Creeks.", ""], FLAT, TOY)
    assert found.tolist() == pytest.approx([0.8, 0, 1, 0])


def test_alignment_of_an_unknown_word_is_identity_alone() -> None:
    found = alignment("zeppelin river", ["zeppelins", "creek"], FLAT, TOY)
    assert found.tolist() == pytest.approx([0.5, 0.4])


def test_alignment_weighs_rare_words_more() -> None:
    table = IdfTable.of(terms(text) for text in ["river", "river", "bishop", "river"])
    common, rare = alignment("river bishop", ["river", "bishop"], table, TOY)
    assert rare > common


@settings(deadline=None)  # the first example loads the vectors
@given(st.text(max_size=40), TEXTS)
def test_every_count_is_a_share_of_any_text(question: str, texts: list[str]) -> None:
    vectors = load_word_vectors()
    scorers: list[Scorer] = [WordCount(), WeightedWordCount(FLAT), WordAlignment(FLAT, vectors)]
    for scorer in scorers:
        found = scorer.score(question, texts)
        assert found.shape == (len(texts),)
        assert ((found >= 0) & (found <= 1)).all()
    aligned, shared = scorers[2].score(question, texts), scorers[1].score(question, texts)
    assert (aligned >= shared - 1e-9).all()  # a shared word is its own partner


def test_lengths_are_in_words() -> None:
    assert lengths(["It is 61 miles long.", ""]).tolist() == [5, 0]
