"""Units tile the text, and reading them backwards from any place gives the same ones."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chunkers.boundaries import (
    LEVELS,
    WHITE_SPACE,
    line_spans,
    paragraph_spans,
    sentence_spans,
    trim,
    word_spans,
    word_starts,
)
from core.values import Span
from tests.support.texts import texts

_counts = settings(deadline=None, suppress_health_check=list(HealthCheck))


def units(spans: list[Span], text: str) -> list[str]:
    return [span.of(text) for span in spans]


@pytest.mark.parametrize("name", LEVELS)
def test_units_tile_the_text_and_are_the_same_read_backwards(name: str, soak: bool) -> None:
    level = LEVELS[name]

    @settings(_counts, max_examples=2_000 if soak else 150)
    @given(texts)
    def agree(text: str) -> None:
        spans = level.spans(text)
        assert bool(spans) == bool(text.strip(WHITE_SPACE))
        if not spans:
            return
        assert not text[: spans[0].start].strip(WHITE_SPACE)
        assert not text[spans[-1].end :].strip(WHITE_SPACE)
        forwards = [(first.end, second.start) for first, second in pairwise(spans)]
        assert all(end <= start and not text[end:start].strip(WHITE_SPACE) for end, start in forwards)
        assert all(span.start < span.end for span in spans)

        backwards = []
        high = len(text)
        while gap := level.last_gap(text, spans[0].start, high):
            backwards.append(gap)
            high = gap[0] - 1
        assert backwards[::-1] == forwards

    agree()


def test_the_last_gap_depends_only_on_the_range_asked_for(soak: bool) -> None:
    @settings(_counts, max_examples=2_000 if soak else 100)
    @given(texts, st.sampled_from(sorted(LEVELS)), st.data())
    def depends(text: str, name: str, data: st.DataObject) -> None:
        level = LEVELS[name]
        spans = level.spans(text)
        if not spans:
            return
        low = data.draw(st.integers(spans[0].start, len(text)))
        high = data.draw(st.integers(low, len(text)))
        inside = [(a.end, b.start) for a, b in pairwise(spans) if low < a.end <= high]
        assert level.last_gap(text, low, high) == (inside[-1] if inside else None)

    depends()


def test_paragraphs_part_at_lines_that_are_empty_or_blank() -> None:
    text = "\r\n one\r\nstill one \r\n\r\ntwo\n \t\xa0\nthree\n\n\n\nfour\rstill four\n"
    assert units(paragraph_spans(text), text) == ["one\r\nstill one", "two", "three", "four\rstill four"]


def test_lines_end_at_lf_and_cr_lf() -> None:
    text = "one\r\n\r\n two \nthree"
    assert units(line_spans(text), text) == ["one", "two", "three"]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Mr. Knightley came in. He sat down.", ["Mr. Knightley came in.", "He sat down."]),
        ("It cost 3.50 at 10 a.m. in the U.S. market.", ["It cost 3.50 at 10 a.m. in the U.S. market."]),
        ('"Is it?" he asked. "It is."', ['"Is it?" he asked.', '"It is."']),
        ('"Is it?"\r\nhe asked.', ['"Is it?"\r\nhe asked.']),
        ("He was 45. Then he died.", ["He was 45.", "Then he died."]),
        ("1. First the rule.\n2. Then the rest.", ["1. First the rule.", "2. Then the rest."]),
        ("J. R. R. Tolkien wrote it. We read it.", ["J. R. R. Tolkien wrote it.", "We read it."]),
        ("He waited . . . and left. Good.", ["He waited . . . and left.", "Good."]),
        ("Read _Emma._ Then rest.", ["Read _Emma._", "Then rest."]),
        ("CHAPTER I\n\nIt began", ["CHAPTER I", "It began"]),
        ("Stop!!! Why?! So it is…", ["Stop!!!", "Why?!", "So it is…"]),
        (
            "他走了。她說：「好！」然後呢？沒有人知道",
            ["他走了。", "她說：「好！」", "然後呢？", "沒有人知道"],
        ),
        ("「好嗎？」，他問。走吧。", ["「好嗎？」，他問。", "走吧。"]),
        ("他说“走！” 她笑。", ["他说“走！”", "她笑。"]),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text: str, sentences: list[str]) -> None:
    assert units(sentence_spans(text), text) == sentences


def test_words_are_runs_between_white_space_and_single_letters_of_unspaced_scripts() -> None:
    text = "don't  stop\u3000海上（生）明月。now ไทย"
    words = ["don't", "stop", "海", "上（生）", "明", "月。now", "ไ", "ท", "ย"]
    assert units(word_spans(text), text) == words
    assert word_starts(text) == [span.start for span in word_spans(text)]


def test_trim_leaves_white_space_out_but_for_the_base_of_a_mark() -> None:
    assert trim("  \t ab \r\n") == Span(4, 6)
    assert trim(" \u0301ab") == Span(0, 4)
    assert trim("  \r\n\xa0") is None


def test_sentences_of_a_novel_are_nupunkts_own(data_root: Path) -> None:
    import nupunkt

    tokenizer = nupunkt.load("default")
    text = (data_root / "books" / "Emma_-_Jane_Austen.md").read_bytes().decode()
    ours, theirs = set(), set()
    for paragraph in paragraph_spans(text):
        words = paragraph.of(text)
        ours |= {paragraph.start + span.start for span in sentence_spans(words)}
        theirs |= {paragraph.start + start for start, _ in tokenizer.span_tokenize(words)}
    assert len(ours) > 7_000
    assert ours < theirs
    # It also parts a closing quote from a dash that goes on with it: 59 times in Emma.
    assert len(theirs - ours) < 80
    assert not any(text[at - 1].isspace() for at in theirs - ours)
