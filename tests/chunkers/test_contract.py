"""What every chunker promises, checked for each one that CHUNKERS names."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import pytest
import regex
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import chunkers
from chunkers.base import Chunker, chunk_document, describe
from chunkers.boundaries import WHITE_SPACE
from chunkers.recipe import Models
from chunkers.windows import window_chunks, window_spans
from core.values import Document, Span
from tests.support.fakes import HashEmbedder
from tests.support.rule_chat import RuleChat
from tests.support.texts import texts

# What content-driven chunkers ask; the others need none of it.
MODELS = Models(embedder=HashEmbedder(), chat=RuleChat(), workers=3)
NAMES = (*chunkers.CHUNKERS, "lumber local")
CONFIGURATIONS = [
    (name, size, unit, overlap)
    for name in NAMES
    for unit in chunkers.UNITS
    for size, overlap in [(None, 0), (1, 0), (7, 0), (7, 3), (40, 0), (40, 39), (200, 50)]
    if not (size is None and unit != "chars" and name in ("paragraph", "sentence"))
    and not (overlap and name not in chunkers.STRUCTURAL)
]
_IDS = [f"{name}-{size}-{unit}-{overlap}" for name, size, unit, overlap in CONFIGURATIONS]

_counts = settings(deadline=None, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module", params=CONFIGURATIONS, ids=_IDS)
def configuration(request: pytest.FixtureRequest) -> tuple[str, int | None, str, int]:
    return request.param


def build(name: str, **options: Any) -> Chunker:
    name, _, picker = name.partition(" ")
    models = replace(MODELS, picker="local") if picker == "local" else MODELS
    return chunkers.build(name, models=models, **options)


def check_contract(text: str, chunker: Chunker, size: int | None, unit: str, overlap: int) -> None:
    chunks = chunk_document(Document("d", text), chunker, content_digest="c")
    spans = [chunk.span for chunk in chunks]
    measure = chunkers.UNITS[unit]
    clusters = cluster_ends(text)

    covered = [False] * len(text)
    for chunk in chunks:
        assert 0 <= chunk.span.start < chunk.span.end <= len(text)
        assert chunk.text == text[chunk.span.start : chunk.span.end]
        assert {chunk.span.start, chunk.span.end} <= clusters, "a grapheme cluster is cut"
        for at in range(chunk.span.start, chunk.span.end):
            covered[at] = True
    assert all(inside or text[at] in WHITE_SPACE for at, inside in enumerate(covered)), "a gap is visible"

    for first, second in itertools.pairwise(spans):
        assert first.start < second.start
        assert first.end < second.end
        shared = text[second.start : first.end]
        assert not shared or measure(shared) <= overlap

    if size is not None:
        for chunk in chunks:
            alone = len(clusters & set(range(chunk.span.start + 1, chunk.span.end + 1))) == 1
            assert measure(chunk.text) <= size or alone
    assert bool(spans) == bool(text.strip(WHITE_SPACE))


def cluster_ends(text: str) -> set[int]:
    return {0, *itertools.accumulate(len(cluster) for cluster in regex.findall(r"\X", text))}


def test_every_chunker_keeps_the_span_contract(
    configuration: tuple[str, int | None, str, int], soak: bool
) -> None:
    name, size, unit, overlap = configuration
    chunker = build(name, size=size, unit=unit, overlap=overlap)

    @settings(_counts, max_examples=2_000 if soak else 25)
    @given(texts)
    def keeps(text: str) -> None:
        check_contract(text, chunker, size, unit, overlap)

    keeps()


def test_every_chunk_has_a_window(soak: bool) -> None:
    @settings(_counts, max_examples=2_000 if soak else 60)
    @given(texts, st.sampled_from(CONFIGURATIONS))
    def has(text: str, configuration: tuple[str, int | None, str, int]) -> None:
        name, size, unit, overlap = configuration
        spans = build(name, size=size, unit=unit, overlap=overlap).split(text)
        pairs = window_chunks(window_spans(text), spans, text)
        assert set(pairs[:, 1].tolist()) == set(range(len(spans)))

    has()


@pytest.mark.parametrize("name", NAMES)
def test_the_same_text_gives_the_same_spans_again(name: str) -> None:
    text = "One day. Two days.\n\nThree days later, it rained. " * 20
    assert build(name).split(text) == build(name).split(text)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("blank", ["", " ", "\r\n\r\n\t\xa0\u3000"])
def test_blank_text_gives_no_chunk(name: str, blank: str) -> None:
    assert build(name).split(blank) == []


@pytest.mark.parametrize("name", NAMES)
def test_a_chunker_is_identified_by_its_repr_and_described_in_one_line(name: str) -> None:
    made, again = build(name, size=300, unit="chars"), build(name, size=300, unit="chars")
    assert made == again
    assert repr(made) == repr(again) != repr(build(name, size=301, unit="chars"))
    assert repr(made) != repr(build(name, size=300, unit="words"))
    assert "\n" not in describe(made)
    assert "300 characters" in describe(made)


@pytest.mark.parametrize("name", ["fixed", "recursive", "paragraph", "sentence"])
def test_fixed_and_packed_overlap_share_what_whole_units_allow(name: str) -> None:
    text = " ".join(f"Sentence number {n} has exactly so many words." for n in range(100, 200))
    spans = chunkers.build(name, size=30, unit="words", overlap=10).split(text)
    shared = [len(text[b.start : a.end].split()) for a, b in itertools.pairwise(spans)]
    # Sentences have eight words: one whole sentence fits ten words, two do not; fixed takes words.
    assert set(shared[:-1]) == ({10} if name == "fixed" else {8})


def test_fixed_characters_come_in_exact_steps() -> None:
    text = "".join(chr(ord("a") + n % 26) for n in range(1_000))
    spans = chunkers.build("fixed", size=100, overlap=20).split(text)
    assert spans[:3] == [Span(0, 100), Span(80, 180), Span(160, 260)]
    assert spans[-1].end == 1_000


def test_white_space_that_carries_a_mark_stays_with_it_after_white_space_that_joins_what_precedes() -> None:
    text = "\u0600 \n \t \n \u0301\u0308"  # a sign that takes the first blank, marks that take the last
    assert build("recursive", size=7).split(text) == [Span(0, 7), Span(7, 10)]
