"""Every reply is a pick within its window, or a named reason why it is none, in linear time."""

from __future__ import annotations

import time
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkers.pick_reply import COMPLAINTS, NoPick, Reason, read_reply

WORDS = st.sampled_from(
    "answer Answer: ID id IDs paragraph none null no shift is 0 1 2 3 9 -1 2.5 99999999999999999999 "
    '{ } " ` * : = # - – , . or and to <think> </think> \\n \\ud800 Ｉ Ｄ ٣ XXXX'.split(" ")
)
REPLIES = st.one_of(
    st.text(max_size=200),
    st.lists(WORDS, max_size=12).map(" ".join),
    st.lists(WORDS, max_size=12).map("".join),
)


@given(REPLIES, st.integers(2, 60))
def test_any_string_is_a_pick_within_the_window_or_a_named_reason(reply: str, last: int) -> None:
    found = read_reply(reply, last)
    if isinstance(found, NoPick):
        assert found.reason in get_args(Reason)
    else:
        assert 1 <= found <= last


FORMS = (
    "Answer: ID {}",
    "ID {}",
    "{}",
    '{{"answer": "ID {}"}}',
    '```json\n{{"answer":{}}}\n```',
    "**ID {}**.",
    "The content shifts at ID {}, where the sun rises.",
    "Paragraph {}",
    "The answer is ID {}.",
    "Answer: Paragraph {}",
    "内容在ID {}处发生变化。",
    "変化はID{}です",
)


@given(st.integers(2, 40), st.integers(2, 40), st.sampled_from(FORMS))
def test_an_id_is_read_from_any_form_and_checked_against_the_window(
    number: int, last: int, form: str
) -> None:
    found = read_reply(form.format(number), last)
    assert found == (number - 1 if number <= last else NoPick("beyond the last ID"))


@given(st.integers(2, 40), st.integers(2, 40))
def test_two_different_answers_are_none(one: int, other: int) -> None:
    found = read_reply(f"Answer: ID {one}\nAnswer: ID {other}", 40)
    assert found == (one - 1 if one == other else NoPick("several IDs"))


def test_an_answer_by_name_outweighs_the_ids_around_it() -> None:
    assert read_reply("ID 3 and ID 4 belong together. Answer: ID 5. (Not ID 6.)", 9) == 4
    assert read_reply('{"reason": "ID 3 goes on", "answer": "ID 5"}', 9) == 4


def test_an_answer_that_names_nothing_is_not_made_up_from_the_prose() -> None:
    assert read_reply("ID 3 is calm. Answer: ID XXXX", 9) == NoPick("no ID")


def test_every_reason_has_a_complaint() -> None:
    assert set(COMPLAINTS) == set(get_args(Reason))


@pytest.mark.parametrize(
    "unit",
    ["answer", "answer: ", "ID ", "ID 3 ", "ID 3 and ", "1", "-", " ", ".", "no ", '{"answer":', "[", "ﷺ"],
)
def test_time_grows_with_the_reply_and_no_faster(unit: str) -> None:
    def seconds(length: int) -> float:
        reply = (unit * length)[:length] + "x"
        started = time.perf_counter()
        read_reply(reply, 9)
        return time.perf_counter() - started

    read_reply(unit, 9)
    assert seconds(200_000) < max(0.5, 40 * min(seconds(20_000) for _ in range(3)))
