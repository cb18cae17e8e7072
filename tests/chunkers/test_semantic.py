"""Semantic chunkers cut where sentences part, keep to their limits, and read a text in one pass."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import chunkers
from chunkers.base import chunk_document, cut, describe
from chunkers.boundaries import sentence_spans
from chunkers.limits import Limits
from chunkers.recipe import Models
from chunkers.semantic import Semantic
from chunkers.semantic_rules import MaxMin, Percentile, SemanticRule
from chunkers.sizes import Characters
from core.errors import InvalidValue, MissingModel
from core.protocols import Vectors
from core.values import Document, Span
from tests.support.fakes import HashEmbedder
from tests.support.texts import texts

NAMES = ("semantic", "semantic-maxmin")
RULES = (Percentile(), Percentile(50), MaxMin(), MaxMin(floor=0.2, scale=0.5))
SHIP = "The ship sailed the sea. The sea bore the ship. The sailors of the ship loved the sea. "
BREAD = "The baker baked bread. Bread needs flour. The baker milled flour for his bread. "


def built(name: str, **options: Any) -> chunkers.Chunker:
    return chunkers.build(name, models=Models(embedder=HashEmbedder()), **options)


def vectors(*angles: float) -> Vectors:
    return np.array([[np.cos(angle), np.sin(angle)] for angle in angles], np.float32)


@pytest.mark.parametrize("rule", [Percentile(80), MaxMin(floor=0.3)])
def test_it_cuts_where_the_content_shifts(rule: SemanticRule) -> None:
    text = SHIP + BREAD
    spans = Semantic(HashEmbedder(dim=512), rule, buffer=0).split(text)
    assert [span.of(text) for span in spans] == [SHIP.strip(), BREAD.strip()]


def test_percentile_cuts_where_neighbours_are_further_apart_than_most() -> None:
    angles = np.cumsum([0, 0.1, 0.2, 0.9, 0.1, 0.2, 0.3, 0.8, 0.1, 0.2, 0.1])
    strengths = Percentile(75).strengths([vectors(*angles)])
    distances = 1 - np.cos(np.diff(angles))
    assert strengths[0] == -np.inf
    assert np.allclose(strengths[1:], distances - np.percentile(distances, 75), atol=1e-6)
    assert np.flatnonzero(strengths > 0).tolist() == [3, 6, 7]


def published(rows: NDArray[np.float64], floor: float, scale: float, first: float) -> list[int]:
    """Where chunks start, by a plain reading of the paper's algorithm 1."""
    firsts, chunk = [0], [0]
    for at in range(1, len(rows)):
        sims = [float(rows[at] @ rows[one]) for one in chunk]
        if len(chunk) == 1:
            joins = first * sims[0] > max(0.0, floor)
        else:
            inside = min(float(rows[a] @ rows[b]) for a, b in itertools.combinations(chunk, 2))
            joins = max(sims) > max(scale * inside / (1 + np.exp(-(len(chunk) - 1))), floor)
        if joins:
            chunk.append(at)
        else:
            firsts.append(at)
            chunk = [at]
    return firsts


@given(
    st.lists(st.floats(0, 3), min_size=1, max_size=40),
    st.floats(0, 0.9),
    st.floats(0, 1.2),
    st.floats(0.5, 2),
    st.integers(1, 9),
)
def test_maxmin_is_the_published_algorithm(
    steps: list[float], floor: float, scale: float, first: float, batch: int
) -> None:
    rows = vectors(*np.cumsum(steps)).astype(np.float64)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    rule = MaxMin(floor, scale, first)
    batches = [rows[at : at + batch] for at in range(0, len(rows), batch)]
    strengths = rule.strengths(batches)
    ties = np.abs(strengths) < 1e-9
    if not ties.any():
        firsts = [at for at in range(len(rows)) if at == 0 or strengths[at] > 0]
        assert firsts == published(rows, floor, scale, first)


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_batches_make_no_difference(rule: SemanticRule) -> None:
    rows = vectors(*np.random.default_rng(7).uniform(0, 3, 700))
    whole = rule.strengths([rows])
    parts = rule.strengths([rows[:1], rows[1:1], rows[1:300], rows[300:]])
    assert np.allclose(whole, parts)
    assert len(whole) == 700


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_similarity_is_that_of_directions_whatever_the_lengths(rule: SemanticRule) -> None:
    rows = vectors(*np.linspace(0, 3, 30) ** 2)
    lengths = np.linspace(0.1, 9, 30, dtype=np.float32)[:, None]
    assert np.allclose(rule.strengths([rows]), rule.strengths([rows * lengths]), atol=1e-5)
    assert np.isfinite(rule.strengths([np.zeros((3, 2), np.float32)])[1:]).all()


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_no_units_and_one_unit_have_no_inner_boundary(rule: SemanticRule) -> None:
    assert rule.strengths([]).tolist() == []
    assert rule.strengths([vectors(1.0)]).tolist() == [-np.inf]


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_vectors_that_are_no_numbers_are_refused(rule: SemanticRule) -> None:
    with pytest.raises(InvalidValue, match="vectors must be finite, got NaN"):
        rule.strengths([vectors(1.0, np.nan)])


def test_a_long_chunk_is_compared_in_bounded_work() -> None:
    # One direction for ever: nothing parts, and the ring keeps going round.
    strengths = MaxMin().strengths([vectors(*[0.5] * 600)] * 3)
    assert (strengths <= 0).all()


@pytest.mark.parametrize("name", NAMES)
def test_any_text_is_covered_within_the_limits(name: str, soak: bool) -> None:
    @settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=2_000 if soak else 60)
    @given(texts, st.sampled_from((None, 7, 60)))
    def keeps(text: str, size: int | None) -> None:
        chunker = built(name, size=size, unit="words")
        chunks = chunk_document(Document("d", text), chunker, content_digest="c")
        hard = size or chunkers.SEMANTIC_LIMITS[chunkers.UNITS["words"]].hard
        at = 0
        for chunk in chunks:
            assert not text[at : chunk.span.start].strip(chunkers.boundaries.WHITE_SPACE)
            assert chunkers.UNITS["words"](chunk.text) <= hard
            at = chunk.span.end
        assert not text[at:].strip(chunkers.boundaries.WHITE_SPACE)

    keeps()


@pytest.mark.parametrize("name", NAMES)
def test_chunks_are_whole_sentences_of_sensible_size_by_default(name: str) -> None:
    text = (SHIP * 5 + BREAD * 5) * 6
    spans = built(name).split(text)
    bounds = {span.start for span in sentence_spans(text)} | {span.end for span in sentence_spans(text)}
    size, limits = chunkers.UNITS["tokens"], chunkers.SEMANTIC_LIMITS[chunkers.UNITS["tokens"]]
    assert len(spans) > 2
    for span in spans:
        assert {span.start, span.end} <= bounds
        assert limits.least <= size(span.of(text)) <= limits.soft


class Recording(HashEmbedder):
    def __init__(self) -> None:
        super().__init__()
        self.batches: list[Sequence[str]] = []

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        self.batches.append(texts)
        return super().embed_passages(texts)


def test_each_sentence_is_embedded_once_with_its_neighbours() -> None:
    embedder = Recording()
    Semantic(embedder, buffer=1).split("One came.  Two went.\n\nThree stayed. Four slept.")
    assert embedder.batches == [
        [
            "One came. Two went.",
            "One came. Two went. Three stayed.",
            "Two went. Three stayed. Four slept.",
            "Three stayed. Four slept.",
        ]
    ]


def test_a_long_text_is_embedded_in_batches_and_progress_is_told() -> None:
    embedder, told = Recording(), []
    text = SHIP * 200
    made = Semantic(embedder).cut(text, lambda done, total: told.append((done, total)))
    assert {len(batch) for batch in embedder.batches} == {256, 600 % 256}
    assert made.counts == {"sentences": 600}
    assert told == sorted(told)
    assert told[0] == (0, len(text))
    assert told[-1] == (len(text), len(text))
    assert list(made.spans) == Semantic(embedder).split(text)


def test_a_sentence_without_end_is_embedded_by_its_beginning() -> None:
    embedder = Recording()
    text = "x" * 100_000
    spans = Semantic(embedder, limits=Limits(hard=1_000), unit=Characters()).split(text)
    assert embedder.batches == [["x" * 500]]
    assert len(spans) == 100


@pytest.mark.parametrize("name", NAMES)
def test_it_says_what_it_needs(name: str) -> None:
    with pytest.raises(MissingModel, match=r"needs an embedder, got none; give it one: models=Models"):
        chunkers.build(name)
    with pytest.raises(InvalidValue, match=r"overlap must be 0 for a semantic chunker.*got 3; leave it out"):
        built(name, size=9, overlap=3)
    with pytest.raises(InvalidValue, match="size is its hard limit, got size 9 and limits"):
        built(name, size=9, limits=Limits(hard=20))
    with pytest.raises(InvalidValue, match="size must be at least 1 of words, got 0"):
        built(name, size=0, unit="words")
    with pytest.raises(InvalidValue, match="buffer must be at least 0 sentences, got -1"):
        Semantic(HashEmbedder(), buffer=-1)
    for bad in (0, 100, float("nan")):
        with pytest.raises(InvalidValue, match=r"percent must be in \(0, 100\)"):
            Percentile(bad)
    with pytest.raises(InvalidValue, match=r"floor must be in \[-1, 1\]"):
        MaxMin(floor=2)


def test_its_repr_tells_embedder_rule_buffer_and_limits() -> None:
    def shown(**changed: Any) -> str:
        fields = {"embedder": HashEmbedder(), "limits": Limits(hard=90), **changed}
        return repr(Semantic(**fields))

    assert shown() == shown()
    others = [
        shown(embedder=HashEmbedder(dim=32)),
        shown(rule=MaxMin()),
        shown(rule=Percentile(90)),
        shown(buffer=2),
        shown(limits=Limits(hard=91)),
        shown(unit=Characters()),
    ]
    assert len({shown(), *others}) == 7
    assert "fingerprint='hash-64'" in shown()
    assert Semantic(HashEmbedder()) == Semantic(HashEmbedder())


@pytest.mark.parametrize("name", NAMES)
def test_it_is_described_in_one_line(name: str) -> None:
    assert describe(built(name)).endswith("at least 64, about 512, at most 768 tokens")
    assert describe(built(name, size=300, unit="chars")).endswith("at most 300 characters")
    assert "\n" not in describe(built(name))


def test_the_default_rules_are_the_published_ones() -> None:
    assert Percentile().percent == 95
    assert MaxMin() == MaxMin(floor=0.6, scale=0.9, first=1.5)


def test_the_spans_of_cut_and_split_agree_with_any_rule() -> None:
    for rule, span in zip(RULES, _first(RULES), strict=True):
        assert cut(SHIP + BREAD, Semantic(HashEmbedder(), rule)).spans[0] == span


def _first(rules: Sequence[SemanticRule]) -> Iterator[Span]:
    for rule in rules:
        yield Semantic(HashEmbedder(), rule).split(SHIP + BREAD)[0]
