"""What no encoder reads is replaced, and nothing else is touched."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.surrogates import encodable, encodable_in_place

ANY = st.text(st.characters(exclude_categories=()))


@pytest.mark.parametrize("text", ["", "plain", "海上生明月 🕯️"])
def test_what_can_be_encoded_stays_as_it_is(text: str) -> None:
    assert encodable(text) == encodable_in_place(text) == text


def test_halves_of_a_pair_join_or_keep_their_two_places() -> None:
    assert encodable("a\ud83d\udd6f \ud83d.") == "a🕯 \ufffd."
    assert encodable_in_place("a\ud83d\udd6f \ud83d.") == "a\ufffd\ufffd \ufffd."


@given(ANY)
def test_any_text_can_be_encoded_after_and_in_place_no_offset_moves(text: str) -> None:
    encodable(text).encode("utf-8")
    encodable_in_place(text).encode("utf-8")
    assert len(encodable_in_place(text)) == len(text)
