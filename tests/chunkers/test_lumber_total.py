"""The loop is total: whatever a picker says, and whatever fails, no text is lost, doubled or repeated."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chunkers.boundaries import WHITE_SPACE
from chunkers.lumber import Lumber
from chunkers.lumber_windows import windows
from chunkers.sizes import Words
from core.errors import ProviderError, ProviderRefused, UnusableReply
from tests.support.lumbering import TEXT, lumber
from tests.support.picks import RULES, RulePicker, ScorePicker
from tests.support.texts import texts

_counts = settings(deadline=None, suppress_health_check=list(HealthCheck))


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
