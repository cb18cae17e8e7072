"""What is remembered is not asked again, a plan foretells the calls, and a limit of calls stops the run."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.errors import CallLimit
from tests.support.lumbering import TEXT, Memory, lumber
from tests.support.picks import RulePicker, ScorePicker


def test_a_remembered_text_is_cut_again_without_a_call() -> None:
    memory, picker = Memory(), RulePicker()
    first = lumber(picker, memory=memory, workers=4).cut(TEXT * 9, lambda *_: None)
    asked = len(picker.shown)
    again = lumber(picker, memory=memory, workers=4).cut(TEXT * 9, lambda *_: None)
    assert again.spans == first.spans
    assert len(picker.shown) == asked
    assert again.counts["calls"] == 0
    assert again.counts["remembered"] == first.counts["calls"] - first.counts["wasted"]
    lumber(replace(picker, seed=5), memory=memory).split(TEXT * 9)
    assert len(picker.shown) > asked, "another picker's picks are no use"


def test_an_edited_chapter_asks_anew_only_about_windows_that_it_touches() -> None:
    paragraphs = [f"{number} one two three." for number in range(400)]
    memory = Memory()
    lumber(RulePicker(), memory=memory).split("\n\n".join(paragraphs))
    paragraphs[200:203] = ["a new one", "and another one here", "and a third"]
    edited, picker = "\n\n".join(paragraphs), RulePicker()
    assert lumber(picker, memory=memory, workers=8).split(edited) == lumber(RulePicker()).split(edited)
    for window in picker.shown:
        numbers = [passage.split()[0] for passage in window]
        assert {"a", "and"} & set(numbers) or int(numbers[0]) in range(190, 230), numbers
    assert len(picker.shown) < 30


def test_a_damaged_memory_leads_nowhere() -> None:
    memory, picker = Memory(), RulePicker()
    lumber(picker, memory=memory).split(TEXT)
    memory.picks = dict.fromkeys(memory.picks, 99)
    assert lumber(picker, memory=memory).split(TEXT) == lumber(RulePicker()).split(TEXT)


def test_a_plan_sends_nothing_and_foretells_the_calls() -> None:
    text = "\n\n".join(f"{number} one two three." for number in range(2_000))
    for workers in (1, 8):
        picker = RulePicker()
        chunker = lumber(picker, 40, workers=workers)
        plan = chunker.plan(text)
        assert not picker.shown
        made = chunker.cut(text, lambda *_: None).counts
        assert plan.calls == pytest.approx(made["calls"] - made["wasted"], rel=0.1)
        assert made["calls"] <= plan.most < 2_000
        assert plan.tokens_in > plan.calls * 50
        assert plan.tokens_out == pytest.approx(12 * (plan.calls + plan.ahead), rel=0.01)
        assert 1.5 * plan.calls / workers <= plan.seconds + 1 < 2.2 * plan.calls / workers
        assert f"about {plan.calls:,} calls" in str(plan)


def test_a_plan_knows_what_is_remembered_and_that_a_local_picker_sends_nothing() -> None:
    memory = Memory()
    chunker = lumber(RulePicker(), memory=memory)
    chunker.split(TEXT)
    plan = chunker.plan(TEXT)
    assert (plan.calls, plan.ahead, plan.tokens_in) == (0, 0, 0)
    assert plan.remembered == len(memory.picks)
    assert lumber(ScorePicker()).plan(TEXT).most == 0
    assert lumber(RulePicker()).plan(" ").most == 0


def test_max_calls_stops_keeps_what_is_done_and_the_next_run_goes_on_from_there() -> None:
    text = "\n\n".join(f"{number} one two three." for number in range(200))
    whole = lumber(RulePicker()).split(text)
    memory, picker = Memory(), RulePicker()
    chunker = lumber(picker, memory=memory, workers=8, max_calls=30)
    with pytest.raises(
        CallLimit, match=r"within 30 calls, got as far as character .* go on from there"
    ) as caught:
        chunker.split(text)
    assert len(picker.shown) == 30
    assert list(caught.value.spans) == whole[: len(caught.value.spans)]
    assert len(caught.value.spans) >= 30
    for _ in range(9):
        try:
            assert chunker.split(text) == whole
        except CallLimit:
            continue
        break
    assert len({tuple(window) for window in picker.shown}) == len(picker.shown), "none was asked about twice"
    with pytest.raises(CallLimit, match="nothing of it is remembered"):
        lumber(RulePicker(), max_calls=1).split(text)
