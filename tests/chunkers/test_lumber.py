"""The loop over windows: what is shown, what a pick does, and that nothing else decides the chunks."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chunkers.base import cut, describe
from chunkers.boundaries import WHITE_SPACE
from chunkers.limits import Limits
from chunkers.lumber import Lumber
from chunkers.lumber_windows import windows
from chunkers.sizes import Characters, Tokens, Words
from core.errors import CallLimit, InvalidValue, ProviderError, ProviderRefused, UnusableReply
from tests.support.picks import RULES, CountingPicker, RulePicker, ScorePicker
from tests.support.texts import texts

_counts = settings(deadline=None, suppress_health_check=list(HealthCheck))
NAMES = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu".split()
PARAGRAPHS = [f"{name} one two three." for name in NAMES]  # four words each
TEXT = "\r\n\r\n".join(PARAGRAPHS)


def lumber(picker: Any, size: int = 16, **options: Any) -> Lumber:
    return Lumber(picker, size, Words(), **options)


def names_of(lumber: Lumber, text: str = TEXT) -> list[str]:
    """The first words of the paragraphs of each chunk."""
    return [
        " ".join(paragraph.split()[0] for paragraph in span.of(text).split("\r\n\r\n"))
        for span in lumber.split(text)
    ]


def scripted(*picks: int) -> RulePicker:
    told = iter(picks)
    return RulePicker(lambda _: next(told))


class Memory:
    def __init__(self) -> None:
        self.picks: dict[str, int] = {}

    def recall(self, keys: Sequence[str]) -> Mapping[str, int]:
        return {key: self.picks[key] for key in keys if key in self.picks}

    def prepare(self) -> None:
        pass  # it can always be kept

    def keep(self, key: str, pick: int) -> None:
        self.picks[key] = pick


# -- the method ---------------------------------------------------------------------------------


def test_the_next_window_starts_at_the_picked_paragraph_which_ends_the_chunk_before_it() -> None:
    picker = scripted(2, 1, 3, 4, 1)
    assert names_of(lumber(picker)) == [
        "alpha beta",
        "gamma",
        "delta epsilon zeta",
        "eta theta iota kappa",  # no shift: the whole window
        "lambda",
        "mu",  # alone: nothing to ask
    ]
    assert [[passage.split()[0] for passage in window] for window in picker.shown] == [
        ["alpha", "beta", "gamma", "delta"],
        ["gamma", "delta", "epsilon", "zeta"],
        ["delta", "epsilon", "zeta", "eta"],
        ["eta", "theta", "iota", "kappa"],
        ["lambda", "mu"],
    ]


def test_a_window_holds_whole_paragraphs_up_to_its_size_in_real_tokens() -> None:
    text = "\n\n".join("word " * count for count in (200, 300, 49, 1, 10))
    found = windows(text, Tokens(), Tokens().ruler(text), 550, "paper")
    assert list(found.end) == [4, 5, 5, 5, 5]
    chinese = "\n\n".join(["海上生明月天涯共此時" * 5] * 20)  # 50 tokens each, and no spaces
    found = windows(chinese, Tokens(), Tokens().ruler(chinese), 550, "paper")
    assert found.end[0] == 11


def test_a_heading_stays_with_what_follows_it_however_a_picker_picks() -> None:
    text = "\n\n".join(["one two", "***", "## Chapter II", "three four", "five six", "# The End"])
    for pick in (1, 2, 3):
        chunks = [
            span.of(text) for span in lumber(RulePicker(lambda p, pick=pick: min(pick, len(p)))).split(text)
        ]
        assert not [chunk for chunk in chunks[:-1] if chunk.endswith(("***", "II"))]
    assert [span.of(text) for span in lumber(RulePicker(lambda _: 1)).split(text)] == [
        "one two",
        "***\n\n## Chapter II\n\nthree four",
        "five six",
        "# The End",
    ]


def test_a_paragraph_larger_than_a_window_is_parted_at_sentences_and_nobody_is_asked_about_its_inside() -> (
    None
):
    giant = " ".join(f"Sentence {number} here." for number in range(100))
    picker = RulePicker()
    chunker = lumber(picker, 16)
    spans = chunker.split(f"one two\n\n{giant}\n\nthree four")
    assert all(Words()(span.of(f"one two\n\n{giant}\n\nthree four")) <= 16 for span in spans)
    assert len(picker.shown) <= 3
    assert all(span.of(f"one two\n\n{giant}\n\nthree four")[-1] in ".or" for span in spans)


def test_reference_mode_has_the_windows_and_the_tail_of_the_published_script() -> None:
    text = "\n\n".join(f"{number} " + "word " * 99 for number in range(40))  # 120 tokens each, as it counts
    picker = RulePicker(lambda _: 2)
    spans = Lumber(picker, mode="reference").split(text)
    starts = [[int(passage.split()[0].removeprefix("0 ")) for passage in window] for window in picker.shown]
    assert starts[0] == [0, 1, 2, 3]  # four stay under 550
    assert starts[1] == [3, 4, 5, 6]  # the chunk starts at 2, which is not shown
    firsts = [int(span.of(text).split()[0]) for span in spans]
    assert firsts == [0, *range(2, 36, 3)]
    assert spans[-1].of(text).count("\n\n") == 4  # the last five, glued
    assert "published script" in describe(Lumber(picker, mode="reference"))


# -- the loop is total --------------------------------------------------------------------------


@pytest.mark.parametrize("rogue", [0, -1, 5, 10**9, None, True, 1.0, "2", [2]])
def test_a_pick_outside_the_window_is_a_failure_like_an_unusable_reply(rogue: object) -> None:
    with pytest.raises(UnusableReply, match="a pick must be a whole number from 1 to 4, got"):
        lumber(RulePicker(lambda _: rogue)).split(TEXT)
    kept = lumber(RulePicker(lambda _: rogue), on_failure="keep").cut(TEXT, lambda *_: None)
    assert len(kept.spans) == kept.counts["kept whole"] == 3


def test_failures_are_raised_kept_whole_or_picked_locally_and_counted() -> None:
    def fails_on_gamma(passages: Sequence[str]) -> int:
        if "gamma" in passages[0]:
            raise ProviderError("the model is silent")
        return 2

    with pytest.raises(ProviderError, match="silent"):
        lumber(RulePicker(fails_on_gamma)).split(TEXT)
    kept = lumber(RulePicker(fails_on_gamma), on_failure="keep").cut(TEXT, lambda *_: None)
    assert [span.of(TEXT).split()[0] for span in kept.spans][:3] == ["alpha", "gamma", "eta"]
    assert kept.counts["kept whole"] == 1
    assert kept.notices == ("1 window without a usable pick from rule stayed whole",)
    for fallback in (RulePicker(lambda _: 1), ScorePicker()):
        local = lumber(RulePicker(fails_on_gamma), on_failure="local", fallback=fallback)
        made = local.cut(TEXT, lambda *_: None)
        assert made.counts["picked locally"] == 1
        assert made.notices == ("1 window without a usable pick from rule went to the local picker",)
    assert [
        span.of(TEXT).split()[0]
        for span in lumber(
            RulePicker(fails_on_gamma), on_failure="local", fallback=RulePicker(lambda _: 1)
        ).split(TEXT)
    ][:3] == ["alpha", "gamma", "delta"]


@pytest.mark.parametrize("on_failure", ["raise", "keep", "local"])
def test_an_endpoint_that_refuses_every_request_ends_the_run_at_once(on_failure: Any) -> None:
    def refuses(_: Sequence[str]) -> int:
        raise ProviderRefused("wrong key")

    picker = RulePicker(refuses)
    with pytest.raises(ProviderRefused):
        lumber(picker, on_failure=on_failure, fallback=ScorePicker(), workers=4).split(TEXT * 50)
    assert len(picker.shown) <= 4


def test_a_window_that_the_true_chain_does_not_need_may_fail() -> None:
    text = "\n\n".join(f"{number} one two three." for number in range(400))
    quiet = lumber(RulePicker(seed=1)).split(text)
    starts = {span.of(text).split()[0] for span in quiet}

    def fails_elsewhere(passages: Sequence[str]) -> int:
        if passages[0].split()[1] not in starts:
            raise ProviderError("nobody needs this")
        return RULES["hash"](passages)

    made = lumber(RulePicker(fails_elsewhere, seed=1), workers=8).cut(text, lambda *_: None)
    assert made.spans == quiet
    assert made.counts["wasted"] > 0


def test_any_picker_on_any_text_loses_doubles_and_repeats_nothing(soak: bool) -> None:
    @settings(_counts, max_examples=2_000 if soak else 120)
    @given(
        texts, st.integers(1, 60), st.randoms(use_true_random=False), st.sampled_from(["paper", "reference"])
    )
    def holds(text: str, size: int, chance: Any, mode: Any) -> None:
        def picks(passages: Sequence[str]) -> Any:
            if chance.random() < 0.2:
                raise ProviderError("now and then")
            return chance.choice([*range(-1, len(passages) + 2), None, "2"])

        picker = RulePicker(picks)
        chunker = Lumber(picker, size, Words(), on_failure="keep", mode=mode)
        found = windows(text, Words(), Words().ruler(text), size, mode)
        spans = chunker.split(text)
        visible = str.maketrans("", "", WHITE_SPACE)
        assert "".join(span.of(text) for span in spans).translate(visible) == text.translate(visible)
        assert all(first.end <= second.start for first, second in itertools.pairwise(spans))
        assert {span.start for span in spans} <= {passage.start for passage in found.passages}
        assert len(picker.shown) <= text.count("\n\n") + text.count("\n") + 1  # paragraphs at most
        if mode == "paper":
            assert all(Words()(span.of(text)) <= size for span in spans)

    holds()


# -- parallel -----------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", RULES)
def test_any_number_of_workers_gives_the_chunks_of_one(rule: str, soak: bool) -> None:
    @settings(_counts, max_examples=500 if soak else 25)
    @given(texts, st.integers(1, 12), st.integers(0, 99))
    def same(text: str, workers: int, seed: int) -> None:
        text = "\n\n".join([text, *(f"{number} one two." for number in range(120)), text])
        one = lumber(RulePicker(RULES[rule], seed))
        many = RulePicker(RULES[rule], seed)
        assert lumber(many, workers=workers).split(text) == one.split(text)
        again = [window for window, times in count(many.shown).items() if times > count_of(text, window)]
        assert not again, "a window was asked about twice"

    same()


def count(shown: list[list[str]]) -> dict[tuple[str, ...], int]:
    found: dict[tuple[str, ...], int] = {}
    for window in shown:
        found[tuple(window)] = found.get(tuple(window), 0) + 1
    return found


def count_of(text: str, window: tuple[str, ...]) -> int:
    """How often a window can occur: once, but for texts that repeat themselves."""
    return text.count(window[0])


def test_counts_tell_calls_retries_and_waste_apart() -> None:
    text = "\n\n".join(f"{number} one two three." for number in range(400))
    picker = CountingPicker()
    made = cut(text, lumber(picker, workers=8))
    assert made.counts["calls"] == made.counts["asked"] == made.counts["asked again"] == len(picker.shown)
    needed = lumber(RulePicker()).cut(text, lambda *_: None).counts["calls"]
    assert made.counts["calls"] == needed + made.counts["wasted"]
    assert made.notices == ("it is a rule",)


def test_progress_is_told_in_characters_and_ends_at_the_end() -> None:
    told: list[tuple[int, int]] = []
    lumber(RulePicker(), workers=3).cut(TEXT, lambda done, total: told.append((done, total)))
    assert told == sorted(told)
    assert told[-1] == (len(TEXT), len(TEXT))
    assert len(told) > 3


# -- scored -------------------------------------------------------------------------------------


def test_a_scorer_reads_the_text_once_and_is_no_call() -> None:
    def as_scored(passages: Sequence[str]) -> int:
        text = "\n\n".join(passages)
        spans = windows(text, Words(), Words().ruler(text), 10_000, "paper").passages
        return ScorePicker().pick_scored(ScorePicker().scores(text, spans), np.ones(len(spans)))

    text = "\n\n".join(f"{number} one two three." for number in range(200))
    scored = lumber(ScorePicker()).cut(text, lambda *_: None)

    class Bare(RulePicker):
        def pick(self, passages: Sequence[str]) -> int:
            return as_scored(passages)

    assert scored.spans == lumber(Bare()).split(text)
    assert not scored.counts


def test_limits_cut_where_the_scorer_sees_the_strongest_shift() -> None:
    text = "\n\n".join(f"{number} one two three." for number in range(200))
    unlimited = lumber(ScorePicker(), 80).split(text)
    limited = lumber(ScorePicker(), 80, limits=Limits(8, 24, 40)).split(text)
    sizes = [Words()(span.of(text)) for span in limited]
    assert max(Words()(span.of(text)) for span in unlimited) > 40
    assert max(sizes) <= 40
    assert min(sizes) >= 8


# -- memory, plan and limit of calls ---------------------------------------------------------------


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


# -- identity -----------------------------------------------------------------------------------


def test_only_what_decides_the_chunks_identifies_it() -> None:
    made = lumber(RulePicker())
    assert repr(made) == repr(lumber(RulePicker(), workers=9, memory=Memory(), max_calls=3, foreword=("so",)))
    others = [
        lumber(RulePicker(), 17),
        lumber(RulePicker(seed=2)),
        lumber(RulePicker(), limits=Limits(2)),
        lumber(RulePicker(), mode="reference"),
        lumber(RulePicker(), on_failure="keep"),
        Lumber(RulePicker(), 16, Characters()),
    ]
    assert len({repr(made), *map(repr, others)}) == len(others) + 1
    assert made.name == "lumber[rule]"
    assert "picked by rule in windows of 16 words" in describe(made)
    assert "at least 2" in describe(others[2])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"size": 0}, "size must be at least 1 of words, got 0"),
        ({"workers": 0}, "workers must be at least 1, got 0"),
        ({"max_calls": 0}, "max calls must be at least 1, got 0"),
        ({"on_failure": "local"}, "on failure local needs a local picker"),
    ],
)
def test_what_cannot_be_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidValue, match=message):
        lumber(RulePicker(), **options)
