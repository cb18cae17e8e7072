"""What a model is shown of a window: every paragraph, in order, behind a mark that none of them holds."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkers.chat_request import ChatRequest
from chunkers.pick_prompt import pick_request
from tests.support.texts import texts

PASSAGES = st.lists(texts, min_size=2, max_size=6)


def parts(request: ChatRequest) -> tuple[str, list[str]]:
    """The mark and the paragraphs, read back as the legend says."""
    legend, *lines = request.shown.split("\n")
    found = re.fullmatch(
        r'Paragraphs ID 1 to ID (\d+), whose lines start with (\w+), as in "\2 ID 1:"', legend
    )
    assert found
    assert int(found[1]) == len(lines)
    heads = [f"{found[2]} ID {number}: " for number in range(1, len(lines) + 1)]
    assert all(line.startswith(head) for line, head in zip(lines, heads, strict=True))
    return found[2], [line.removeprefix(head) for line, head in zip(lines, heads, strict=True)]


@settings(deadline=None)  # the first call loads the languages
@given(PASSAGES, st.booleans())
def test_every_paragraph_is_one_line_behind_a_mark_that_no_paragraph_holds(
    passages: list[str], as_json: bool
) -> None:
    request = pick_request(passages, as_json=as_json)
    mark, shown = parts(request)
    assert len(shown) == len(passages)
    assert not any(mark in text.casefold() for text in [*passages, *shown])
    assert all(len(text.splitlines()) <= 1 for text in shown)
    assert request.user.encode()  # no half of a surrogate pair is left
    assert pick_request(passages, as_json=as_json) == request


@settings(deadline=None)
@given(st.text("iIdDsS \u200b\u00ad_:[#123<|/>aINST\n", max_size=60))
def test_no_paragraph_holds_an_id_or_a_tag(passage: str) -> None:
    _, (shown, _) = parts(pick_request([passage, "b"], as_json=False))
    assert not re.search(r"(?<![^\W_])IDs?[\W_]{0,4}\d", shown, re.IGNORECASE)
    assert not re.search(r"<[|/!\w]|\[/?INST\]", shown)


def test_an_id_in_a_text_without_spaces_is_none_either() -> None:
    _, (shown, _) = parts(pick_request(["他说：回答ID 3，又说段落id４。", "b"], as_json=False))
    assert "ID 3" not in shown
    assert "id４" not in shown
    assert "段落I.D.４" in shown


def test_words_stay_as_they_are() -> None:
    passage = "“I'd 3 reasons,” said the druid, “and said 4 — at 5 < 6: no ID, no id.” Idaho 7 [sic] (8)"
    _, (shown, _) = parts(pick_request([passage, "b"], as_json=False))
    assert shown == passage


def test_a_mark_that_a_paragraph_holds_is_not_taken() -> None:
    mark, _ = parts(pick_request(["a", "b"], as_json=False))
    letters = "bcdfghjkmnpqrstvwxz"
    every_pair = " ".join(first + second for first in letters for second in letters)
    other, _ = parts(pick_request([f"a {mark.upper()}", every_pair], as_json=False))
    assert other != mark


def test_of_a_very_long_paragraph_both_ends_are_shown() -> None:
    _, (shown, _) = parts(pick_request(["start " + "middle " * 100_000 + "end", "b"], as_json=False))
    assert shown.startswith("start middle")
    assert shown.endswith("middle end")
    assert len(shown) < 7_000


def test_the_system_message_is_the_same_for_every_window_of_a_language() -> None:
    one = pick_request(["It was late when they came home.", "The next day was better."], as_json=False)
    two = pick_request(["She had never been there before.", "And why not?", "He left."], as_json=True)
    assert one.system == two.system
    assert one.system.endswith("The text is in English.")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Es war einmal ein König, der hatte drei Töchter, und die jüngste war schön.", "German"),
        ("Il était une fois un roi qui avait trois filles, et la plus jeune était belle.", "French"),
        ("Жил-был царь, и было у него три дочери, одна другой краше.", "Russian"),
        ("話說天下大勢，分久必合，合久必分。周末七國分爭，并入於秦。", "Chinese"),
        ("むかしむかし、あるところに、おじいさんとおばあさんがありました。", "Japanese"),
    ],
)
def test_the_language_of_the_text_is_named(text: str, language: str) -> None:
    assert pick_request([text, text], as_json=False).system.endswith(f"The text is in {language}.")


def test_no_language_is_named_where_it_is_uncertain() -> None:
    assert "The text is in" not in pick_request(["1 2 3", "* * *"], as_json=False).system


def test_the_schema_allows_the_ids_that_may_be_picked_and_no_shift() -> None:
    request = pick_request(["a", "b", "c", "d"], as_json=True)
    assert request.schema["properties"] == {
        "answer": {"type": "string", "enum": ["ID 2", "ID 3", "ID 4", "none"]}
    }
    assert "from 2 to 4" in request.form
