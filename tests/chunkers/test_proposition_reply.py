"""Every reply of a model is read as propositions, or is named as none."""

from __future__ import annotations

import json
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkers.proposition_reply import NoPropositions, Read, read_propositions

HE_CAME = {"ids": [1], "text": "Tom came."}
SHE_WENT = {"ids": [2, 3], "text": "Ann went."}
BOTH = [((1,), "Tom came."), ((2, 3), "Ann went.")]


def stated(reply: str, last: int = 3) -> list[tuple[tuple[int, ...], str]] | str:
    read = read_propositions(reply, last)
    return [(one.ids, one.text) for one in read.stated] if isinstance(read, Read) else read.reason


@pytest.mark.parametrize(
    "reply",
    [
        json.dumps({"propositions": [HE_CAME, SHE_WENT]}),
        json.dumps({"propositions": [HE_CAME, SHE_WENT]}, indent=2),
        json.dumps([HE_CAME, SHE_WENT]),
        f"Here you are:\n```json\n{json.dumps([HE_CAME, SHE_WENT])}\n```\nGlad to help {{}}!",
        "Sure! " + json.dumps({"propositions": [HE_CAME, SHE_WENT]}) + " That is all.",
        json.dumps([{"id": 1, "text": "Tom came."}, {"sentences": ["2", "ID 3"], "fact": "Ann went."}]),
        "ID 1: Tom came.\nID 2, 3: Ann went.",
        "1: Tom came.\r\n2 and 3: Ann  went.\r\n",
        "Here they are.\n\n- ID 1: Tom came.\n- **ID 2, ID 3**: Ann went.\n\nI hope this helps.",
        "[1]: Tom came.\n[2,3]: Ann went.",
    ],
)
def test_propositions_are_read_in_whatever_form_they_come(reply: str) -> None:
    assert stated(reply) == BOTH


@pytest.mark.parametrize(
    "reply",
    [json.dumps(["Tom came.", "Ann went."]), "1. Tom came.\n2. Ann went.", "- Tom came.\n* Ann went."],
)
def test_a_list_that_names_no_sentences_is_read_without_them(reply: str) -> None:
    assert stated(reply) == [((), "Tom came."), ((), "Ann went.")]


def test_ids_that_do_not_exist_name_nothing() -> None:
    ids = [[0, 4, 10**12, -1, True, None, 1.5, "x", [2]], [2, 9], "3", 9999999999999, {}]
    items = [{"ids": given, "text": f"Fact {at}."} for at, given in enumerate(ids)]
    assert stated(json.dumps(items)) == [
        ((), "Fact 0."), ((2,), "Fact 1."), ((3,), "Fact 2."), ((), "Fact 3."), ((), "Fact 4.")
    ]  # fmt: skip


def test_blank_repeated_endless_and_too_many_propositions_are_left_out_and_counted() -> None:
    texts = ["Tom came.", " \n ", "TOM  CAME.", "x" * 1_001, 7, None, "Ann went."]
    read = read_propositions(json.dumps([{"ids": [1], "text": text} for text in texts]), 3)
    assert isinstance(read, Read)
    assert [one.text for one in read.stated] == ["Tom came.", "Ann went."]
    assert read.dropped == 5
    many = read_propositions(json.dumps([f"Fact {n}." for n in range(100_000)]), 2)
    assert isinstance(many, Read)
    assert len(many.stated) == 40
    assert many.dropped == 99_960


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "empty"),
        (" \n\t", "empty"),
        ("I cannot help with that.", "no propositions"),
        ("null", "no propositions"),
        ("[1, 2, 3]", "no propositions"),
        ("{}", "no propositions"),
        ('{"propositions": "Tom came."}', "no propositions"),
        ('{"propositions": [{"ids": [1], "text": "Tom ca', "no propositions"),
        ('{"propositions": [{"ids": [1]}]}', "no propositions"),
        ("<html><body>502 Bad Gateway</body></html>", "no propositions"),
        ("[" * 100_000, "no propositions"),
        ('{"propositions":' * 10_000, "no propositions"),
        ("[" + "9" * 10_000 + "]", "no propositions"),
    ],
)
def test_what_states_nothing_is_named(reply: str, reason: str) -> None:
    assert stated(reply) == reason


def test_an_empty_list_is_an_answer_for_one_sentence_alone() -> None:
    for reply in ("[]", '{"propositions": []}', "```json\n[]\n```"):
        assert stated(reply, last=1) == []
        assert stated(reply, last=2) == "no propositions"


@given(st.text() | st.text(alphabet='{}[]":,123 \nID.-*`aé', max_size=200), st.integers(1, 9))
@settings(max_examples=300)
def test_any_reply_is_read_or_named(reply: str, last: int) -> None:
    read = read_propositions(reply, last)
    if isinstance(read, NoPropositions):
        assert read.reason in {"empty", "no propositions"}
    for one in read.stated if isinstance(read, Read) else ():
        assert one.text == " ".join(one.text.split()) != ""
        assert list(one.ids) == sorted(set(one.ids) & set(range(1, last + 1)))


@pytest.mark.parametrize("piece", ["```\n", "1 , ", "ID 1, ", "{", '{"', "1 ", "- ", "[]", '{"a":', "\n1:"])
def test_a_hostile_reply_takes_time_as_it_is_long(piece: str) -> None:
    def seconds(length: int) -> float:
        reply = piece * (length // len(piece))
        begun = process_time()
        read_propositions(reply, 3)
        return process_time() - begun

    seconds(1_000)
    # Eight times the reply: eight times the time when linear, sixty-four when quadratic.
    assert seconds(160_000) < 24 * seconds(20_000) + 0.05
