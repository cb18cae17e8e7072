"""Nulls are chunkers like others, with the number of chunks they are told and nothing else."""

from __future__ import annotations

import dataclasses
import itertools
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import chunkers
from chunkers.base import Chunker, describe
from chunkers.boundaries import paragraph_spans, word_spans
from core.errors import InvalidValue
from core.values import Span
from eval.datasets.sample import Sample
from eval.methods import ByChunker, FromFile
from eval.nulls import EvenPacking, NullOf, RandomBoundaries
from tests.chunkers.test_contract import check_contract
from tests.support.texts import texts

NULLS = (RandomBoundaries, EvenPacking)
STORY = "\n\n".join(f"Part {n} begins here. " + "It goes on for a while. " * (n % 7) for n in range(40))


@pytest.mark.parametrize("null", NULLS)
def test_nulls_keep_the_span_contract_and_the_number(null: type[Chunker], soak: bool) -> None:
    @settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=2_000 if soak else 60)
    @given(texts, st.integers(1, 30))
    def keeps(text: str, chunks: int) -> None:
        chunker = null(chunks)  # type: ignore[call-arg]
        check_contract(text, chunker, None, "chars", 0)
        assert len(chunker.split(text)) == min(chunks, len(word_spans(text)))

    keeps()


@pytest.mark.parametrize("null", NULLS)
def test_nulls_are_identified_by_their_repr_and_described_in_one_line(null: type[Chunker]) -> None:
    made, again = null(1_200), null(1_200)  # type: ignore[call-arg]
    assert made == again
    assert repr(made) == repr(again) != repr(null(1_201))  # type: ignore[call-arg]
    assert "1,200 chunks" in describe(made)
    assert dataclasses.is_dataclass(made)
    assert made.split(STORY) == again.split(STORY)


def test_random_boundaries_differ_by_seed_and_by_text() -> None:
    assert RandomBoundaries(9, seed=1).split(STORY) != RandomBoundaries(9, seed=2).split(STORY)
    other = STORY.replace("begins", "starts")  # as long, and with words at the same places
    assert RandomBoundaries(9).split(other) != RandomBoundaries(9).split(STORY)


def test_random_boundaries_fall_everywhere_alike() -> None:
    text = " ".join("abcdefghijk")
    seen: Counter[int] = Counter()
    for seed in range(2_000):
        seen.update(span.start for span in RandomBoundaries(3, seed).split(text)[1:])
    assert set(seen) == set(range(2, 21, 2))
    assert all(400 * 0.8 < count < 400 * 1.2 for count in seen.values())  # 2 of 10 places, 2,000 times


def test_even_packing_cuts_between_paragraphs_as_evenly_as_they_allow() -> None:
    text = "\n\n".join(["x" * 98] * 12)
    assert [len(span) for span in EvenPacking(4).split(text)] == [298] * 4
    paragraphs = {span.start for span in paragraph_spans(STORY)}
    spans = EvenPacking(8).split(STORY)
    assert {span.start for span in spans} <= paragraphs
    longest = max(len(span) for span in paragraph_spans(STORY))
    assert all(abs(len(span) - len(STORY) / 8) <= longest for span in spans)


def test_even_packing_goes_down_to_sentences_and_words_when_paragraphs_are_too_few() -> None:
    text = "One two three. Four five six. Seven eight nine.\n\nTen eleven twelve."
    assert [span.of(text) for span in EvenPacking(4).split(text)] == [
        "One two three.", "Four five six.", "Seven eight nine.", "Ten eleven twelve.",
    ]  # fmt: skip
    assert len(EvenPacking(12).split(text)) == 12
    assert len(EvenPacking(99).split(text)) == 12


def test_one_giant_paragraph_among_small_ones_still_gives_the_number() -> None:
    text = "\n\n".join(["a", "b", "x" * 1_000, "c", "d"])
    assert [span.of(text)[:1] for span in EvenPacking(5).split(text)] == ["a", "b", "x", "c", "d"]
    spans = EvenPacking(4).split(text)
    assert len(spans) == 4
    assert all(one.end < other.start for one, other in itertools.pairwise(spans))


@pytest.mark.parametrize("null", ["random", "even"])
def test_a_null_of_a_chunker_makes_as_many_chunks_of_the_book(null: str) -> None:
    sample = Sample()
    (book,) = sample.books()
    method = ByChunker("recursive", chunkers.build("recursive", size=400))
    made = NullOf(method, null)  # type: ignore[arg-type]
    cut = made.cut(book, sample)
    assert len(cut.texts) == len(method.cut(book, sample).texts) > 5
    assert cut.texts != method.cut(book, sample).texts
    assert made.name == f"{null} as recursive"
    assert made.strategy == f"NullOf({method.strategy}, null={null!r}, seed=0)"
    assert made.placed
    assert made.has(book)


def test_what_follows_a_giant_paragraph_is_packed_evenly_again() -> None:
    text = "\n\n".join(["x" * 98] * 10 + ["y" * 998] + ["z" * 98] * 20)
    lengths = [len(span) for span in EvenPacking(11).split(text)]
    assert lengths == [398, 398, 198, 998, 298, 298, 298, 298, 298, 198, 298]


def test_a_null_of_a_chunk_file_cuts_the_book_itself() -> None:
    sample = Sample()
    (book,) = sample.books()
    source = FromFile("theirs", source=None, chunks={book: ("one", "two", "three")})  # type: ignore[arg-type]
    cut = NullOf(source, "random").cut(book, sample)
    assert len(cut.texts) == 3
    assert cut.spans is not None
    assert [span.of(sample.text(book)) for span in cut.spans] == list(cut.texts)


@pytest.mark.parametrize("null", NULLS)
def test_no_chunks_are_refused(null: type[Chunker]) -> None:
    with pytest.raises(InvalidValue, match="chunks must be at least 1, got 0"):
        null(0)  # type: ignore[call-arg]
    assert null(3).split(" \n\n ") == []  # type: ignore[call-arg]
    assert null(1).split("a b") == [Span(0, 3)]  # type: ignore[call-arg]


def test_a_seed_below_zero_is_refused() -> None:
    with pytest.raises(InvalidValue, match="seed must be at least 0, got -1"):
        RandomBoundaries(3, -1)
