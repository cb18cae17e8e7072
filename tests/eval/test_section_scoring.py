"""Section golds: half of the shorter is relevant, and a budget holds a share of the section."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InvalidValue
from core.values import Span
from eval.placed import BySections, PlacedQuestion, PlacedText, cuts_named, drawn, with_nulls
from eval.retrievers import Retriever
from eval.section_scoring import judge_sections, overlaps_half, score_sections, section_recall
from tests.support.fakes import HashEmbedder

SPANS = st.builds(lambda start, size: Span(start, start + size), st.integers(0, 60), st.integers(1, 40))
PARTS = ("A lamp stood on the quay.", "The rope was wet and green.", "Nobody rang the bell that night.")


def placed(*questions: PlacedQuestion) -> PlacedText:
    starts = [sum(len(part) + 2 for part in PARTS[:at]) for at in range(len(PARTS))]
    sections = tuple(Span(start, start + len(part)) for start, part in zip(starts, PARTS, strict=True))
    return PlacedText("tale", "\n\n".join(PARTS), questions, sections)


@given(SPANS, SPANS)
def test_half_of_the_shorter_is_relevant_whichever_is_the_chunk(one: Span, other: Span) -> None:
    shared = len(set(range(one.start, one.end)) & set(range(other.start, other.end)))
    assert overlaps_half(one, other) == (shared >= min(len(one), len(other)) / 2)
    assert overlaps_half(one, other) == overlaps_half(other, one)


def test_a_large_chunk_over_a_section_and_a_small_one_inside_it_are_both_relevant() -> None:
    question = PlacedQuestion("q", "?", (Span(100, 200),))
    chunks = [Span(0, 1000), Span(120, 130), Span(0, 149), Span(0, 150), Span(195, 300)]
    assert judge_sections([question], chunks) == {"q": {"0": 1, "1": 1, "3": 1}}


@given(
    st.lists(st.tuples(SPANS, st.integers(1, 9)), min_size=1, max_size=8),
    SPANS,
    st.integers(1, 40),
)
def test_a_budgets_share_is_the_golds_characters_in_the_chunks_that_fit(
    chunks: list[tuple[Span, int]], gold: Span, budget: int
) -> None:
    held: set[int] = set()
    spent = 0
    for span, words in chunks:
        spent += words
        if spent * 13 > budget * 10:
            break
        held |= set(range(span.start, span.end))
    share = len(held & set(range(gold.start, gold.end))) / len(gold)
    spans, words = [span for span, _ in chunks], [count for _, count in chunks]
    assert section_recall([gold], range(len(chunks)), spans, words, budget) == pytest.approx(share)


def test_the_share_is_over_all_sections_of_a_question_and_a_repeat_finds_nothing_new() -> None:
    golds = [Span(0, 10), Span(20, 30)]
    chunks = [Span(0, 10), Span(5, 12), Span(20, 25)]
    assert section_recall(golds, [0, 1], chunks, [1, 1, 1], 100) == 0.5
    assert section_recall(golds, [0, 1, 2], chunks, [1, 1, 1], 100) == 0.75
    assert section_recall(golds, [2, 1, 0], chunks, [1, 400, 1], 100) == 0.25


def test_the_experts_cut_is_a_chunk_a_section_over_the_texts_own_windows() -> None:
    book = BySections().cut(placed())
    assert book.texts == PARTS
    assert book.windows == ("\n\n".join(PARTS),)
    assert sorted(map(tuple, book.pairs.tolist())) == [(0, 0), (0, 1), (0, 2)]
    with pytest.raises(InvalidValue, match="needs gold sections, tale has none"):
        BySections().cut(PlacedText("tale", "No sections.", ()))


def test_dcg_counts_the_first_relevant_chunk_alone_and_means_are_over_questions() -> None:
    text = placed()
    rope = PlacedQuestion("rope", "Was the rope wet?", (text.sections[1],))
    lost = PlacedQuestion("lost", "Was the rope wet?", (text.sections[0], text.sections[2]))
    (scores,) = score_sections([placed(rope, lost)], BySections(), [Retriever("bm25")], None)
    assert scores.values["dcg@5"] == {"rope": 1.0, "lost": pytest.approx(1 / math.log2(3))}
    assert scores.values["recall@5"] == {"rope": 1.0, "lost": 1.0}
    both = 1 / math.log2(3) + 1 / math.log2(4)
    assert scores.values["ndcg@10"]["lost"] == pytest.approx(both / (1 + 1 / math.log2(3)))
    row = scores.row({"split": "val"})
    assert row.labels == {"split": "val", "chunker": "sections", "retriever": "bm25", "n": 2}
    assert row.figures["dcg@5"] == pytest.approx((1 + 1 / math.log2(3)) / 2)
    low, high = row.intervals["dcg@5"]
    assert low <= row.figures["dcg@5"] <= high


def test_every_cut_and_retriever_is_scored_over_the_same_questions() -> None:
    text = placed()
    retrievers = [Retriever.parse(name) for name in ("dense", "lexical", "bm25", "hybrid+rerank:overlap")]
    asked = [PlacedQuestion(f"q{at}", part, (text.sections[at],)) for at, part in enumerate(PARTS)]
    for cut in cuts_named(["sections", "sentence", "sections", "fixed"]):
        found = score_sections([placed(*asked)], cut, retrievers, HashEmbedder(256))
        assert [scores.retriever for scores in found] == retrievers
        assert all(list(of) == ["q0", "q1", "q2"] for scores in found for of in scores.values.values())
        assert all(scores.values["er@500"]["q1"] > 0.99 for scores in found)
    assert [cut.name for cut in cuts_named(["sections", "sentence", "sections"])] == ["sections", "sentence"]


def test_a_null_has_as_many_chunks_as_what_it_is_a_null_of() -> None:
    cuts = with_nulls(cuts_named(["sections", "sentence"]), ["random", "even", "random"], 3)
    assert [cut.name for cut in cuts] == [
        "sections", "random as sections", "even as sections",
        "sentence", "random as sentence", "even as sentence",
    ]  # fmt: skip
    assert [len(cut.cut(placed()).texts) for cut in cuts] == [3] * 6
    assert cuts[2].cut(placed()).texts == PARTS
    assert cuts[1].cut(placed()).texts != PARTS
    assert cuts[1].strategy == "NullCut(the gold sections, null='random', seed=3)"


def test_no_question_is_an_error_rather_than_a_score() -> None:
    with pytest.raises(InvalidValue, match="at least one question"):
        score_sections([placed()], BySections(), [Retriever("bm25")], None)


def test_a_draw_is_of_all_texts_together_repeats_by_seed_and_keeps_order() -> None:
    texts = [
        PlacedText(name, "A text.", tuple(PlacedQuestion(f"{name}{n}", "?", (Span(0, 1),)) for n in range(9)))
        for name in "ab"
    ]
    once, again = drawn(texts, 6, 1), drawn(texts, 6, 1)
    assert once == again
    ids = [question.id for text in once for question in text.questions]
    assert len(ids) == 6
    assert ids == sorted(ids)
    assert drawn(texts, 6, 2) != once
    assert drawn(texts, None, 1) == drawn(texts, 18, 1) == texts
