"""Windows tile a text in whole sentences and say which chunk each counts for."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chunkers.base import Proposition
from chunkers.boundaries import WHITE_SPACE, sentence_spans
from chunkers.sizes import Tokens
from chunkers.windows import MOST_CHARACTERS, proposition_chunks, tiling, window_chunks, window_spans
from core.values import Span
from tests.support.texts import texts

_counts = settings(deadline=None, suppress_health_check=list(HealthCheck))
_LIMIT = 128 - 2  # a model's limit, less the mark that it puts at either end


def test_every_visible_character_is_in_one_window_of_at_most_128_tokens(soak: bool) -> None:
    @settings(_counts, max_examples=2_000 if soak else 150)
    @given(st.lists(texts, max_size=8).map(" ".join))
    def tile(text: str) -> None:
        windows = window_spans(text)
        edges = [0, *(at for window in windows for at in (window.start, window.end)), len(text)]
        assert edges == sorted(edges)
        assert not any(
            text[end:start].strip(WHITE_SPACE) for end, start in zip(edges[::2], edges[1::2], strict=True)
        )
        assert all(window.start < window.end for window in windows)
        assert all(Tokens()(window.of(text)) <= _LIMIT for window in windows)
        assert all(len(window) <= MOST_CHARACTERS for window in windows)

    tile()


def test_short_paragraphs_go_together_and_long_ones_are_cut_between_sentences() -> None:
    talk = "\n\n".join(f'"Is this line number {n}?" he said.' for n in range(20))
    prose = " ".join(
        f"This is sentence {n} of one long paragraph, and it goes on for a while." for n in range(40)
    )
    text = talk + "\n\n" + prose
    windows = window_spans(text)
    tokens = [Tokens()(window.of(text)) for window in windows]
    assert max(tokens) <= 96
    # Two may be small: the last one of the talk, and the last one of all.
    assert sum(count >= 80 for count in tokens) >= len(tokens) - 2
    assert len(tokens) > 8
    sentences = sentence_spans(text)
    assert {window.start for window in windows} <= {sentence.start for sentence in sentences}
    assert {window.end for window in windows} <= {sentence.end for sentence in sentences}


def test_a_paragraph_a_little_over_the_usual_size_stands_whole() -> None:
    first, second = ("word " * 110).strip() + ".", ("other " * 110).strip() + "."
    text = first + "\r\n\r\n" + second
    assert [window.of(text) for window in window_spans(text)] == [first, second]


def test_a_longer_sentence_is_cut_at_words_and_an_endless_word_at_characters() -> None:
    text = "and so " * 200
    windows = window_spans(text)
    assert [Tokens()(window.of(text)) for window in windows] == [96, 96, 96, 112]
    assert [len(window) for window in window_spans("x" * 2_500)] == [1_000, 1_000, 500]


def test_a_window_counts_for_each_chunk_that_shares_half_of_the_shorter() -> None:
    text = "aaaa bbbb cccc dddd"
    windows = [Span(0, 9), Span(10, 19)]
    quarters = [Span(0, 4), Span(5, 9), Span(10, 14), Span(15, 19)]
    assert window_chunks(windows, quarters, text).tolist() == [[0, 0], [0, 1], [1, 2], [1, 3]]
    assert window_chunks(windows, [Span(0, 19)], text).tolist() == [[0, 0], [1, 0]]
    # Half of eight visible characters are four: the white space between does not count.
    assert window_chunks(windows, [Span(0, 4), Span(5, 14), Span(15, 19)], text).tolist() == [
        [0, 0],
        [0, 1],
        [1, 1],
        [1, 2],
    ]


def test_a_chunk_that_no_window_reaches_takes_the_one_it_overlaps_most() -> None:
    # Windows that tile always reach it; these leave a part of the text out.
    text = "a" * 100
    assert window_chunks([Span(0, 30), Span(60, 100)], [Span(20, 72)], text).tolist() == [[1, 0]]
    assert window_chunks([Span(0, 30), Span(60, 90)], [Span(20, 70)], text).tolist() == [[0, 0]]


def test_no_text_has_no_windows_and_no_pairs() -> None:
    assert window_spans(" \r\n ") == []
    assert window_chunks([], [], " \r\n ").shape == (0, 2)


@st.composite
def _tiled(draw: st.DrawFn) -> tuple[str, list[Span], list[Span]]:
    text = draw(st.text(alphabet="ab \n", min_size=1, max_size=60))
    visible = [at for at, character in enumerate(text) if character.strip()]

    def spans(overlap: bool) -> list[Span]:
        if not visible:
            return []
        cuts = sorted({0, *draw(st.lists(st.integers(1, len(visible)), max_size=8)), len(visible)})
        back = [draw(st.integers(0, 3)) if overlap else 0 for _ in cuts]
        pairs = [(max(0, a - b), c) for (a, c), b in zip(pairwise(cuts), back, strict=False)]
        made = [Span(visible[a], visible[c - 1] + 1) for a, c in pairs]
        return [
            span
            for span, before in zip(made, [None, *made], strict=False)
            if not before or span.start > before.start
        ]

    return text, spans(False), spans(True)


def test_pairs_are_those_of_the_rule_read_word_for_word() -> None:
    @settings(_counts, max_examples=300)
    @given(_tiled())
    def same(case: tuple[str, list[Span], list[Span]]) -> None:
        text, windows, chunks = case
        length = [len("".join(span.of(text).split())) for span in windows]
        expected = set()
        for c, chunk in enumerate(chunks):
            size = len("".join(chunk.of(text).split()))
            shares = [
                len("".join(text[max(w.start, chunk.start) : min(w.end, chunk.end)].split())) for w in windows
            ]
            half = [w for w, share in enumerate(shares) if share and 2 * share >= min(length[w], size)]
            expected |= {(w, c) for w in half or [int(np.argmax(shares))]}
        pairs = window_chunks(windows, chunks, text)
        assert pairs.dtype == np.int32
        assert [tuple(pair) for pair in pairs.tolist()] == sorted(expected)

    same()


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_windows_do_not_depend_on_the_line_ends(line_end: str) -> None:
    text = "One day it rained.\n\nAnother day it did not. It was dry.\n\n" * 30
    changed = text.replace("\n", line_end)
    assert [window.of(changed).split() for window in window_spans(changed)] == [
        window.of(text).split() for window in window_spans(text)
    ]


def test_propositions_are_rows_behind_the_windows_each_of_its_one_chunk() -> None:
    one, two, three = (Proposition(Span(at, at + 1), str(at)) for at in (0, 1, 5))
    rows, pairs = proposition_chunks([[one, two], [], [three]], 7)
    assert rows == [one, two, three]
    assert pairs.tolist() == [[7, 0], [8, 0], [9, 2]]
    assert pairs.dtype == np.int32
    for none in ([], [[], []]):
        rows, pairs = proposition_chunks(none, 7)
        assert rows == []
        assert pairs.shape == (0, 2)


@_counts
@given(texts, st.data())
def test_windows_are_told_from_the_propositions_behind_them(text: str, data: st.DataObject) -> None:
    windows = window_spans(text)
    sentences = sentence_spans(text)
    stated = data.draw(st.lists(st.sampled_from(sentences), max_size=4)) if sentences else []
    assert tiling([*windows, *sorted(stated)]) == len(windows)
