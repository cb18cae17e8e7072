"""Tokenising each distinct word once gives the tokens of the whole text."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from chunkers.word_pieces import token_starts
from core.artifacts import models_directory
from tests.support.texts import texts


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    from tokenizers import Tokenizer

    plain = Tokenizer.from_file(str(models_directory() / "minilm" / "tokenizer.json"))
    plain.no_truncation()
    plain.no_padding()
    return plain


def whole(tokenizer: Any, text: str) -> list[int]:
    return [start for start, _ in tokenizer.encode(text, add_special_tokens=False).offsets]


def test_token_starts_are_those_of_the_text_read_whole(tokenizer: Any, soak: bool) -> None:
    @settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=5_000 if soak else 200)
    @given(texts)
    def same(text: str) -> None:
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        assert list(token_starts(tokenizer, text)) == whole(tokenizer, text)

    same()


@pytest.mark.parametrize(
    "text",
    [
        "One two, three. " * 2_000,
        "a,b.海" * 5_000,  # one word, longer than is read at once
        "word " + "x" * 20_000 + " word",  # one that has no parts
        "a\x0bb\x0cc\x85d " * 50,  # white space that BERT drops, joining what stands beside it
        "[SEP] [CLS][MASK]x [PAD]" * 30,
        "\n\n \t ",
        "",
    ],
    ids=["sentences", "long word in parts", "long word", "joined", "marks", "blank", "empty"],
)
def test_words_of_every_kind_are_read_as_in_the_whole(tokenizer: Any, text: str) -> None:
    assert list(token_starts(tokenizer, text)) == whole(tokenizer, text)


def test_a_text_is_read_a_stretch_at_a_time_to_the_same_end(tokenizer: Any) -> None:
    text = "It rained all day long, and nobody came.\n\n" * 40
    assert list(token_starts(tokenizer, text, stretch=50)) == whole(tokenizer, text)
