"""ChatPicker asks once, again within bounds, and says what it did; RecordingPicker keeps what was said."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from chunkers.base import BoundaryPicker, CountedPicker
from chunkers.pickers import ChatPicker
from chunkers.recording import Recorded, RecordingPicker, read_recording
from core.errors import InvalidValue, ProviderError, ProviderRefused, StoreError, UnusableReply
from core.protocols import ChatModel
from tests.support.chat_fake import FakeChat

WINDOW = ["It was late.", "They slept.", "The next day was bright."]


def saying(*replies: str, keeps_schema: bool = False) -> FakeChat:
    """Replies in this order, the last one again and again."""
    left = list(replies)
    return FakeChat(lambda *_: left.pop(0) if len(left) > 1 else left[0], keeps_schema=keeps_schema)


def test_a_picker_is_what_lumber_asks_for() -> None:
    picker = ChatPicker(saying("ID 2"))
    assert isinstance(picker, BoundaryPicker)
    assert isinstance(picker, CountedPicker)
    assert isinstance(picker.chat, ChatModel)
    assert picker.name == "chat:fake"
    assert picker.notices() == ("fake is a fake",)


def test_the_repr_names_the_model_and_the_prompt_and_nothing_of_the_endpoint() -> None:
    assert (
        repr(ChatPicker(FakeChat(lambda *_: "", "small"))) == "ChatPicker(asks=3, model='small', prompt='2')"
    )


def test_one_paragraph_is_not_sent() -> None:
    chat = saying("ID 2")
    assert ChatPicker(chat).pick(WINDOW[:1]) == 1
    assert chat.asked == []


def test_a_schema_of_hundreds_of_answers_which_endpoints_refuse_is_not_sent() -> None:
    chat = saying("Answer: ID 400", keeps_schema=True)
    assert ChatPicker(chat).pick(["word"] * 550) == 399
    (asked,) = chat.asked
    assert asked.schema is None
    assert "Answer: ID n" in asked.user


def test_a_schema_is_sent_only_to_a_model_that_keeps_it() -> None:
    for keeps in (True, False):
        chat = saying("ID 3", keeps_schema=keeps)
        assert ChatPicker(chat).pick(WINDOW) == 2
        (asked,) = chat.asked
        assert (asked.schema is not None) == keeps
        assert ('"answer"' in asked.user) == keeps


@pytest.mark.parametrize("asks", [1, 2, 5])
def test_a_window_costs_no_more_requests_than_allowed(asks: int) -> None:
    chat = saying("no idea")
    counts: Counter[str] = Counter()
    with pytest.raises(UnusableReply, match=rf"in {asks} requests \(the last: no ID\)") as caught:
        ChatPicker(chat, asks).pick_counted(WINDOW, lambda name: counts.update([name]))
    assert caught.value.reason == "no ID"
    assert len(chat.asked) == asks
    expected = {"asked": 1, "asked again": asks - 1, "reply: no ID": asks, "no pick": 1}
    assert counts == Counter(expected) - Counter()


def test_a_better_second_reply_is_taken_and_the_first_is_counted() -> None:
    counts: Counter[str] = Counter()
    chat = saying("ID 9", "ID 3")
    assert ChatPicker(chat).pick_counted(WINDOW, lambda name: counts.update([name])) == 2
    assert counts == {"asked": 1, "reply: beyond the last ID": 1, "asked again": 1}
    assert "its ID was not among those shown" in chat.asked[1].user


@pytest.mark.parametrize("error", [ProviderError("out of order"), ProviderRefused("wrong key")])
def test_a_failure_of_the_endpoint_is_not_asked_for_again(error: ProviderError) -> None:
    def fail(*_: str) -> str:
        raise error

    chat = FakeChat(fail)
    with pytest.raises(type(error)) as caught:
        ChatPicker(chat).pick(WINDOW)
    assert caught.value is error
    assert len(chat.asked) == 1


def test_no_requests_at_all_is_refused() -> None:
    with pytest.raises(InvalidValue, match="asks must be at least 1, got 0"):
        ChatPicker(saying("ID 2"), asks=0)


def test_a_recording_holds_every_pick_that_was_had(tmp_path: Path) -> None:
    path = tmp_path / "picks.jsonl"
    picker = RecordingPicker(ChatPicker(saying("ID 2", "nothing", "nothing", "nothing", "none")), path)
    assert picker.pick(WINDOW) == 1
    with pytest.raises(UnusableReply):
        picker.pick(WINDOW)
    other = ["broken \ud800 half", "line\nline", "海上生明月"]
    assert picker.pick(other) == 3
    who = repr(picker.picker)
    assert list(read_recording(path)) == [Recorded(WINDOW, who, 1), Recorded(other, who, 3)]
    assert [set(json.loads(line)) for line in path.read_text().splitlines()] == [
        {"passages", "picker", "pick"}
    ] * 2


def test_a_recording_changes_neither_name_nor_counts_nor_notices(tmp_path: Path) -> None:
    plain = ChatPicker(saying("ID 9", "ID 3"))
    picker = RecordingPicker(plain, tmp_path / "picks.jsonl")
    counts: Counter[str] = Counter()
    assert picker.pick_counted(WINDOW, lambda name: counts.update([name])) == 2
    assert counts["asked again"] == 1
    assert (picker.name, picker.notices()) == (plain.name, plain.notices())
    assert repr(picker) == f"RecordingPicker(picker={plain!r})"


@dataclass(frozen=True)
class Halves:
    """Cuts every window in the middle, and counts nothing."""

    name: str = "halves"

    def pick(self, passages: Sequence[str]) -> int:
        return max(1, len(passages) // 2)


def test_any_picker_can_be_recorded_from_several_threads(tmp_path: Path) -> None:
    path = tmp_path / "picks.jsonl"
    picker = RecordingPicker(Halves(), path)
    windows = [[f"{number} {'x' * 9_000}"] * (number % 7 + 1) for number in range(60)]
    with ThreadPoolExecutor(8) as pool:
        picks = list(pool.map(picker.pick, windows))
    kept = list(read_recording(path))
    assert picker.notices() == ()
    assert sorted((line.passages, line.pick) for line in kept) == sorted(zip(windows, picks, strict=True))


def test_a_line_cut_by_a_kill_costs_that_line_alone(tmp_path: Path) -> None:
    path = tmp_path / "picks.jsonl"
    picker = RecordingPicker(Halves(), path)
    picker.pick(["a"])
    picker.pick(["b"])
    path.write_bytes(path.read_bytes()[:-20])
    picker.pick(["c"])
    assert [line.passages for line in read_recording(path)] == [["a"], ["c"]]


def test_a_recording_that_cannot_be_kept_or_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"can be written, got .*; name another"):
        RecordingPicker(Halves(), tmp_path).pick(["a"])
    with pytest.raises(StoreError, match=r"cannot be read"):
        list(read_recording(tmp_path / "none.jsonl"))
