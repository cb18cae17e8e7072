"""Passages over one index of several corpora, and cuts against segments."""

from __future__ import annotations

import pytest

import chunkers
from core.values import Span
from eval.boundary_scoring import (
    NULLS,
    ChunkSegmenter,
    EvenSegments,
    NoBoundary,
    boundary_figures,
    boundary_rows,
    choi_text,
    story_text,
)
from eval.datasets.choi import ChoiDocument, read_choi
from eval.datasets.chunking_evaluation import Corpora, CorpusQuestion, read_corpora
from eval.datasets.fairytaleqa import Section, Story
from eval.datasets.sample import sample_directory
from eval.passage_scoring import cut_corpora, passage_rows, question_figures
from eval.retrievers import Retriever
from tests.support.fakes import HashEmbedder

DOCUMENT = ChoiDocument("0", "1-3", (("Salt is white .", "It is mined ."), ("Ships sail .",), ("Go .",) * 3))


def test_one_index_holds_the_chunks_of_every_corpus_with_their_places() -> None:
    corpora = read_corpora(sample_directory() / "chunking_evaluation")
    cut = cut_corpora(corpora, chunkers.build("paragraph"))
    for (name, span), text in zip(cut.places, cut.book.texts, strict=True):
        assert span.of(corpora.texts[name]) == text
    assert {at for _, at in cut.book.pairs.tolist()} == set(range(len(cut.places)))
    for window, at in cut.book.pairs.tolist():
        words = set(cut.book.windows[window].split())
        assert words & set(cut.book.texts[at].split())


def test_what_is_retrieved_of_another_corpus_costs_precision_and_finds_nothing() -> None:
    question = CorpusQuestion("?", "a", (Span(10, 20),))
    corpora = Corpora({"a": "x" * 30, "b": "y" * 30}, (question,))
    cut = cut_corpora(corpora, chunkers.build("fixed", size=10))
    right, wrong = ("a", Span(10, 20)), ("b", Span(10, 20))
    assert question_figures(question, [right], cut) == {
        "recall": 1.0, "precision": 1.0, "precision_omega": pytest.approx(1 / 3), "iou": 1.0,
    }  # fmt: skip
    mixed = question_figures(question, [right, wrong], cut)
    assert (mixed["recall"], mixed["precision"], mixed["iou"]) == (1.0, 0.5, 0.5)
    lost = question_figures(question, [wrong], cut)
    assert (lost["recall"], lost["precision"], lost["iou"]) == (0.0, 0.0, 0.0)


def test_a_row_gives_mean_and_deviation_over_questions() -> None:
    corpora = read_corpora(sample_directory() / "chunking_evaluation")
    named = [("sentence", chunkers.build("sentence"))]
    one, all_of_them = (
        passage_rows(corpora, named, [Retriever("lexical")], HashEmbedder(), k=k)[0] for k in (1, 10_000)
    )
    assert (one.labels["n"], one.labels["corpora"]) == (8, 2)
    assert one.figures["recall"] < all_of_them.figures["recall"] == 1.0
    assert all_of_them.deviations["recall"] == 0.0
    assert one.deviations["recall"] > 0
    assert one.figures["precision_omega"] == all_of_them.figures["precision_omega"] > 0.9


def test_a_choi_documents_sentences_are_paragraphs_whose_layout_shows_no_segment() -> None:
    text = choi_text(DOCUMENT)
    assert text.text == "Salt is white .\n\nIt is mined .\n\nShips sail .\n\nGo .\n\nGo .\n\nGo ."
    assert [unit.of(text.text) for unit in text.units] == text.text.split("\n\n")
    assert text.boundaries == (2, 3)


def test_a_storys_sections_are_boundaries_among_its_paragraphs_unless_each_paragraph_is_one() -> None:
    text = "A.\n\nB.\n\nC."
    sections = (Section("1", Span(0, 6)), Section("2", Span(8, 10)))
    found = story_text(Story("s", text, sections, ()))
    assert found is not None
    assert (len(found.units), found.boundaries) == (3, (2,))
    every = tuple(Section(str(at), Span(at, at + 2)) for at in (0, 4, 8))
    assert story_text(Story("s", text, every, ())) is None


def test_perfect_cuts_score_perfectly_and_nulls_are_what_they_say() -> None:
    text = choi_text(DOCUMENT)
    assert boundary_figures(text, text.boundaries) == {
        "pk": 0.0, "window_diff": 0.0, "f1": 1.0, "f1~1": 1.0, "cuts/gold": 1.0,
    }  # fmt: skip
    assert NoBoundary().boundaries(text) == ()
    assert EvenSegments().boundaries(text) == (2, 4)
    every = ChunkSegmenter("paragraph", chunkers.build("paragraph")).boundaries(text)
    assert every == (1, 2, 3, 4, 5)
    assert boundary_figures(text, every)["cuts/gold"] == 2.5


def test_every_segmenter_has_a_row_over_the_same_texts() -> None:
    texts = [choi_text(document) for document in read_choi(sample_directory() / "choi")]
    segmenters = [ChunkSegmenter("fixed", chunkers.build("fixed", size=120)), *NULLS]
    rows = boundary_rows({"segments": "3-5"}, texts, segmenters)
    assert [row.labels["chunker"] for row in rows] == ["fixed", "null: none", "null: even"]
    assert all(row.labels["texts"] == 2 for row in rows)
    assert rows[1].figures["f1"] == 0.0
    assert rows[2].figures["cuts/gold"] == 1.0
