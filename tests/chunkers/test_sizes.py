"""Sizes count what they say, and their rulers count ranges as the size counts slices."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chunkers import UNITS
from chunkers.sizes import Characters, Size, Tokens, UnitRuler, Words
from core.artifacts import models_directory
from core.errors import ArtifactError
from tests.support.texts import texts


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    from tokenizers import Tokenizer

    plain = Tokenizer.from_file(str(models_directory() / "minilm" / "tokenizer.json"))
    plain.no_truncation()
    plain.no_padding()
    return plain


def test_each_size_counts_its_unit() -> None:
    text = "Mr. Knightley didn't  come."
    assert Characters()(text) == 27
    assert Words()(text) == 4
    # mr . knight ##ley didn ' t come .
    assert Tokens()(text) == 9
    assert [size("") for size in UNITS.values()] == [0, 0, 0]


def test_words_without_spaces_count_letter_by_letter() -> None:
    assert Words()("海上生明月") == 5


def test_long_texts_are_counted_whole(tokenizer: Any) -> None:
    text = "It rained all day long. " * 2_000
    assert Tokens()(text) == len(tokenizer.encode(text, add_special_tokens=False)) == 12_000


@pytest.mark.parametrize(
    "piece", ["海上生明月", "他說：「你好，世界。」", "end.Start,e\u0301.\u0301", "x", "word "], ids=ascii
)
def test_reading_a_text_in_blocks_counts_it_as_reading_it_whole(piece: str) -> None:
    text = piece * (40_000 // len(piece))
    assert Tokens().ruler(text).count(0, len(text)) == Tokens()(text)


@pytest.mark.parametrize("size", UNITS.values(), ids=UNITS)
def test_a_ruler_counts_a_range_as_its_size_counts_the_slice(size: Size, soak: bool) -> None:
    @settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=2_000 if soak else 100)
    @given(texts, st.data())
    def counts(text: str, data: st.DataObject) -> None:
        ruler = size.ruler(text)
        if text:
            start = data.draw(st.integers(0, len(text) - 1))
            end = data.draw(st.integers(start + 1, len(text)))
            assert ruler.count(start, end) == size(text[start:end])
        assert ruler.count(0, len(text)) == size(text)

    counts()


@settings(deadline=None, max_examples=200)
@given(
    st.text(st.sampled_from('文字。，？」…—.("aé1Σがガ\u0301\ufe0f\u200d\u0345\v\x85 \ud800'), max_size=12)
)
def test_tokens_of_a_text_without_spaces_are_counted_range_by_range_as_slices_are(text: str) -> None:
    ruler = Tokens().ruler(text)
    for start in range(len(text)):
        for end in range(start + 1, len(text) + 1):
            assert ruler.count(start, end) == Tokens()(text[start:end])


def test_ranges_between_chinese_sentences_are_not_tokenised_again() -> None:
    text = "他走进了房间。看见一个老人！" * 100
    again: list[str] = []

    def recount(part: str) -> int:
        again.append(part)
        return Tokens()(part)

    ruler = Tokens().ruler(text)
    assert isinstance(ruler, UnitRuler)
    watched = replace(ruler, recount=recount)
    assert watched.count(7, 1_393) == 1_386
    assert not again


@pytest.mark.parametrize("size", UNITS.values(), ids=UNITS)
def test_a_ruler_reaches_as_far_as_the_size_allows(size: Size) -> None:
    text = "One two, three. Four five six! Seven eight nine ten. " * 3
    ruler = size.ruler(text)
    for start in (0, 4, 16, 53):
        end = ruler.reach(start, 12)
        assert size(text[start:end]) == 12
        assert size(text[start : end + 1]) > 12
        assert size(text[ruler.back(end, 5) : end]) == 5
    assert ruler.reach(0, 10_000) == len(text)
    assert ruler.back(len(text), 10_000) == 0


def test_the_repr_of_a_size_tells_what_it_counts() -> None:
    assert repr(Tokens()) == "Tokens(tokenizer='minilm')"
    assert len({repr(size) for size in UNITS.values()}) == 3


def test_a_missing_tokenizer_is_a_named_error() -> None:
    with pytest.raises(ArtifactError, match=r"no_such_model.*missing; reinstall"):
        Tokens("no_such_model")("a")
