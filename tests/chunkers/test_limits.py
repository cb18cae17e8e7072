"""Limits hold for any cut of any text, and what is joined or cut is never lost."""

from __future__ import annotations

import itertools
from random import Random

import numpy as np
import pytest
import regex
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chunkers.boundaries import WHITE_SPACE, paragraph_spans
from chunkers.limits import Limits, limit_spans
from chunkers.sizes import Characters, Tokens, Words
from core.errors import InvalidValue
from core.values import Span
from tests.support.texts import texts

_counts = settings(deadline=None, suppress_health_check=list(HealthCheck))
UNITS = (Characters(), Words(), Tokens())
PARAGRAPHS = [f"{name * 9}." for name in "abcdefgh"]  # ten characters each
TEXT = "\n\n".join(PARAGRAPHS)
SPANS = paragraph_spans(TEXT)


@st.composite
def bounds(draw: st.DrawFn) -> Limits:
    sizes = iter(sorted(draw(st.lists(st.integers(1, 120), min_size=3, max_size=3))))
    return Limits(*(next(sizes) if draw(st.booleans()) else None for _ in range(3)))


def test_chunks_keep_the_hard_limit_and_leave_nothing_out(soak: bool) -> None:
    @settings(_counts, max_examples=2_000 if soak else 150)
    @given(texts, bounds(), st.sampled_from(UNITS), st.randoms(use_true_random=False), st.booleans())
    def keeps(text: str, limits: Limits, size: Tokens, random: Random, known: bool) -> None:
        units = paragraph_spans(text)
        firsts = [at for at in range(len(units)) if at == 0 or random.random() < 0.4]
        strengths = np.array([random.random() for _ in units]) if known else None
        spans = limit_spans(text, units, firsts, limits, size, strengths=strengths)
        assert all(
            first.start < second.start and first.end <= second.start
            for first, second in itertools.pairwise(spans)
        )
        covered = "".join(span.of(text) for span in spans)
        visible = str.maketrans("", "", WHITE_SPACE)
        assert covered.translate(visible) == text.translate(visible)
        if limits.hard:
            for span in spans:
                assert size(span.of(text)) <= limits.hard or is_cluster(span.of(text))

    keeps()


def is_cluster(text: str) -> bool:
    return regex.fullmatch(r"\X", text) is not None


def test_without_limits_chunks_are_the_units_as_given() -> None:
    spans = limit_spans(TEXT, SPANS, [0, 3, 5], Limits(), Characters())
    assert [span.of(TEXT) for span in spans] == [
        "\n\n".join(PARAGRAPHS[:3]),
        "\n\n".join(PARAGRAPHS[3:5]),
        "\n\n".join(PARAGRAPHS[5:]),
    ]


def test_over_the_soft_limit_a_chunk_is_cut_where_the_content_shifts_most() -> None:
    strengths = np.array([-np.inf, 0.1, 0.2, 0.9, 0.2, 0.3, 0.1, 0.1])
    cut = limit_spans(TEXT, SPANS, [0], Limits(soft=70), Characters(), strengths=strengths)
    assert cut == [Span(0, SPANS[2].end), Span(SPANS[3].start, SPANS[7].end)]


def test_where_no_strength_is_known_a_chunk_is_cut_nearest_its_middle() -> None:
    cut = limit_spans(TEXT, SPANS, [0], Limits(soft=70), Characters())
    assert cut == [Span(0, SPANS[3].end), Span(SPANS[4].start, SPANS[7].end)]


def test_a_strong_boundary_that_leaves_a_slip_is_passed_over() -> None:
    strengths = np.array([-np.inf, 0.9, 0.1, 0.2, 0.3, 0.1, 0.1, 0.1])
    cut = limit_spans(TEXT, SPANS, [0], Limits(soft=70), Characters(), strengths=strengths)
    assert cut[0].end == SPANS[3].end


def test_the_soft_limit_cuts_no_unit_and_the_hard_one_does() -> None:
    text = "One two three. Four five six. Seven eight nine. Ten eleven twelve."
    whole = [Span(0, len(text))]
    assert limit_spans(text, whole, [0], Limits(soft=6), Words()) == whole
    cut = limit_spans(text, whole, [0], Limits(hard=6), Words())
    assert [span.of(text) for span in cut] == [
        "One two three. Four five six.",
        "Seven eight nine. Ten eleven twelve.",
    ]


def test_parts_of_one_unit_are_even() -> None:
    text = " ".join(f"Sentence number {number}." for number in range(1, 34))
    cut = limit_spans(text, [Span(0, len(text))], [0], Limits(hard=90), Words())
    assert [Words()(span.of(text)) for span in cut] == [54, 45]  # packed alone, they are 90 and 9


def test_a_small_chunk_joins_its_smaller_neighbour() -> None:
    firsts = [0, 3, 4, 6]  # 3, 1, 2 and 2 paragraphs
    joined = limit_spans(TEXT, SPANS, firsts, Limits(least=20), Characters())
    assert joined == [
        Span(0, SPANS[2].end),
        Span(SPANS[3].start, SPANS[5].end),
        Span(SPANS[6].start, SPANS[7].end),
    ]


def test_a_small_chunk_stays_where_joining_would_break_the_hard_limit() -> None:
    joined = limit_spans(TEXT, SPANS, [0, 4, 5], Limits(least=20, hard=46), Characters())
    assert [span.of(TEXT).count(".") for span in joined] == [4, 4]  # joined to the three behind it
    stays = limit_spans(TEXT, SPANS, [0, 4, 5], Limits(least=20, hard=34), Characters())
    assert [span.of(TEXT).count(".") for span in stays] == [2, 3, 3]


@pytest.mark.parametrize("given_limits", [(5, 4, None), (0, None, None), (None, 9, 8), (10, None, 9)])
def test_limits_out_of_order_are_refused(given_limits: tuple[int | None, int | None, int | None]) -> None:
    with pytest.raises(InvalidValue, match="limits must be 1 <= least <= soft <= hard"):
        Limits(*given_limits)
