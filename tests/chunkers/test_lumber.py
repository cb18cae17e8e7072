"""The loop over windows: what is shown, what a pick does, and that nothing else decides the chunks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chunkers.base import cut, describe
from chunkers.limits import Limits
from chunkers.lumber import Lumber
from chunkers.lumber_windows import windows
from chunkers.sizes import Characters, Tokens, Words
from core.errors import InvalidValue
from tests.support.lumbering import TEXT, Memory, lumber
from tests.support.picks import RULES, CountingPicker, RulePicker, ScorePicker
from tests.support.texts import texts

_counts = settings(deadline=None, suppress_health_check=list(HealthCheck))


def names_of(lumber: Lumber, text: str = TEXT) -> list[str]:
    """The first words of the paragraphs of each chunk."""
    return [
        " ".join(paragraph.split()[0] for paragraph in span.of(text).split("\r\n\r\n"))
        for span in lumber.split(text)
    ]


def scripted(*picks: int) -> RulePicker:
    told = iter(picks)
    return RulePicker(lambda _: next(told))


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
