"""A strip plot shows the chapter that holds most of the evidence, and where everybody cuts it."""

from __future__ import annotations

import chunkers
from core.values import Span
from eval.boundary_scoring import NULLS, ChunkSegmenter, SegmentedText
from eval.datasets.chunking_evaluation import Corpora, CorpusQuestion
from eval.strips import busiest, corpus_strips, segment_strips

BOOK = "Before it all.\n\n## One\n\nA tide.\n\n## Two\n\nA rope and a lamp.\n\n## Three\n\nThe end."
TWO = Span(BOOK.index("## Two"), BOOK.index("## Three"))


def found(word: str) -> Span:
    return Span(BOOK.index(word), BOOK.index(word) + len(word))


def test_the_chapter_with_most_evidence_is_drawn_and_of_equals_the_first() -> None:
    assert busiest(BOOK, [found("tide"), found("rope"), found("lamp")]) == TWO
    assert busiest(BOOK, [found("tide"), found("rope")]) == Span(BOOK.index("## One"), TWO.start)
    assert busiest(BOOK, []) == Span(0, BOOK.index("## One"))
    assert busiest("No heading at all.", []) == Span(0, 18)


def test_of_a_long_chapter_a_stretch_around_its_first_evidence_is_drawn() -> None:
    text = "word " * 1_000
    assert busiest(text, [Span(2_000, 2_004)], most=500) == Span(1_950, 2_450)
    assert busiest(text, [Span(4_990, 4_994)], most=500) == Span(4_500, 5_000)
    assert busiest(text, [Span(10, 14)], most=500) == Span(0, 500)


def test_gold_segments_stand_above_what_each_segmenter_makes_of_the_same_units() -> None:
    units = tuple(Span(at * 10, at * 10 + 9) for at in range(6))
    text = SegmentedText("tale", "all", "x" * 59, units, (2, 4))
    plot = segment_strips(text, NULLS)
    assert [strip.label for strip in plot.strips] == ["gold", "null: none", "null: even"]
    assert plot.strips[0].spans == [Span(0, 19), Span(20, 39), Span(40, 59)]
    assert plot.strips[1].spans == [Span(0, 59)]
    assert plot.strips[2].spans == plot.strips[0].spans


def test_a_chunkers_strip_has_its_cuts() -> None:
    paragraph = chunkers.build("paragraph")
    units = tuple(paragraph.split(BOOK))
    text = SegmentedText("book", "all", BOOK, units, (1,))
    (_, strip) = segment_strips(text, [ChunkSegmenter("paragraph", paragraph)]).strips
    assert strip.spans == list(units)


def test_a_corpus_shows_the_references_of_its_own_questions() -> None:
    questions = (CorpusQuestion("?", "book", (found("rope"),)), CorpusQuestion("?", "other", (Span(0, 1),)))
    corpora = Corpora({"book": BOOK, "other": "x"}, questions)
    plot = corpus_strips(corpora, "book", [("paragraph", chunkers.build("paragraph"))])
    assert plot.evidence == (found("rope"),)
    assert [strip.label for strip in plot.strips] == ["paragraph"]
