"""Byte-pair tokens are counted as tiktoken counts them, in any slice of any text."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import tiktoken
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chunkers.byte_pairs import BytePairTokens
from chunkers.fixed import Fixed
from core.errors import ArtifactError, InvalidValue
from tests.support.texts import texts

# Where tiktoken looks for encodings besides its own.
sys.path.append(str(Path(__file__).parent.parent / "support" / "encodings"))

SMALL = BytePairTokens("small")
STORY = (Path(__file__).parent / "texts" / "ferryman.md").read_bytes().decode()
SOME = st.one_of(texts, st.text(alphabet="ab the1.\r\n'海\t", max_size=80))


def tokens(text: str) -> int:
    return len(tiktoken.get_encoding("small").encode_ordinary(text))


def test_a_ruler_counts_a_slice_as_tiktoken_does(soak: bool) -> None:
    @settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=5_000 if soak else 300)
    @given(SOME, st.data())
    def counts(text: str, data: st.DataObject) -> None:
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, len(text)))
        part = text[start:end].encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        if len(part) == end - start:  # no pair of surrogates has become one character
            assert SMALL.ruler(text).count(start, end) == SMALL(text[start:end]) == tokens(part)

    counts()


def test_long_texts_are_read_in_blocks_to_the_same_tokens() -> None:
    text = STORY * (600_000 // len(STORY))
    assert SMALL(text) == tokens(text) == SMALL.ruler(text).count(0, len(text))
    assert SMALL.ruler(text).count(100_001, 500_003) == tokens(text[100_001:500_003])


def test_a_text_without_seams_is_read_all_the_same() -> None:
    for text in ("x" * 3_000_000, "海" * 3_000_000, " " * 3_000_000):
        assert SMALL.ruler(text).count(0, len(text)) == SMALL(text)


def test_token_starts_are_characters() -> None:
    ruler = SMALL.ruler("It rained. 海 the")  # It, " ", r, a, ... and two tokens of one character
    assert ruler.reach(0, 2) == 3
    assert ruler.reach(0, 1_000) == 16
    assert ruler.back(16, 1) == 12


def test_chunks_of_a_book_are_as_long_as_the_size_allows() -> None:
    spans = Fixed(64, SMALL).split(STORY)
    counted = [tokens(span.of(STORY)) for span in spans]
    assert max(counted) <= 64
    assert sum(counted[:-1]) / (len(counted) - 1) > 60


def test_what_looks_like_a_special_token_is_text() -> None:
    assert SMALL("<|endoftext|>") == 13


def test_an_encoding_that_is_not_known_or_not_here_is_a_named_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with pytest.raises(InvalidValue, match=r"encoding must be one of .*cl100k_base.*, got 'nosuch'"):
        BytePairTokens("nosuch")("a")
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")  # nobody answers there
    with pytest.raises(ArtifactError, match=r"r50k_base is not here.*set TIKTOKEN_CACHE_DIR"):
        BytePairTokens("r50k_base")("a")


def test_its_repr_names_the_encoding() -> None:
    assert repr(BytePairTokens()) == "BytePairTokens(encoding='cl100k_base')"
