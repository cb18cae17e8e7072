from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from answering import trigger_of
from answering.base import Contribution, Reason
from answering.columns import Columns
from answering.company import WAYS
from answering.learnt import LEARNT, load_learnt
from answering.trigger import POINTS, Trigger
from core.values import Span
from service.column_words import in_words, together
from service.wording import POINTS_IN_WORDS, REASONS, confidence, names_above, place


@pytest.mark.parametrize(
    ("probability", "words"),
    [
        (1.0, "very likely (1.00)"),
        (0.9, "very likely (0.90)"),
        (0.78, "likely (0.78)"),
        (0.5, "rather likely (0.50)"),
        (0.3, "unsure (0.30)"),
        (0.0, "little more than a guess (0.00)"),
    ],
)
def test_confidence_is_words_and_a_number(probability: float, words: str) -> None:
    assert confidence(probability) == words


@pytest.mark.parametrize("first", ["Emma", "Title: Emma"])
def test_a_title_that_is_also_the_first_heading_is_said_once(first: str) -> None:
    assert names_above("Emma", (first, "Volume I", " ")) == ["Emma", "Volume I"]


def test_a_passage_without_title_or_headings_is_placed_by_its_characters() -> None:
    assert names_above("", ()) == []
    assert place(Span(1204, 1260)) == "characters 1,204–1,260"


def test_every_column_that_a_selector_may_read_has_words_of_its_own() -> None:
    names = set(Columns(similarity=True, classes="rule", reading=True, context=True).names)
    assert names.issuperset(name for learnt in LEARNT for name in load_learnt(learnt).columns.names)
    said = {name: in_words(name) for name in names}
    assert [name for name, words in said.items() if words == name] == []
    bases = {name for name in names if name.rpartition(", ")[2] not in WAYS}
    assert len(set(said.values())) == len(bases)


def test_columns_that_tell_a_person_the_same_are_told_together() -> None:
    mattered = [
        Contribution("words", -0.3),
        Contribution("overlap, below best", 0.25),
        Contribution("overlap", 0.15),
        Contribution("a column of another version", 0.01),
    ]
    assert together(mattered) == [
        ("how many of the question's words it shares", pytest.approx(0.4)),
        ("its length in words", -0.3),
        ("a column of another version", 0.01),
    ]


def test_every_operating_point_has_its_words_and_the_readme_says_the_same() -> None:
    assert tuple(POINTS_IN_WORDS) == POINTS
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    assert [one for one, words in POINTS_IN_WORDS.items() if f"| `{one}` | {words} |" not in readme] == []


def test_every_reason_has_its_words_and_the_readme_says_the_same() -> None:
    assert set(REASONS) == set(get_args(Reason))
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    assert [one for one, words in REASONS.items() if f"| `{one}` | {words} |" not in readme] == []


@pytest.mark.parametrize("point", POINTS)
def test_the_readme_states_the_thresholds_that_are_shipped(point: str) -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    (row,) = (line for line in readme.splitlines() if line.startswith(f"| `{point}` |"))
    stated = [cell.strip() for cell in row.strip("| ").split("|")[2:]]
    assert stated == [_stated(trigger_of(name), point) for name in ("overlap", *LEARNT)]


def _stated(trigger: Trigger, point: str) -> str:
    if point in trigger.unreachable:
        return f"{trigger.unreachable[point].rpartition(' ')[2].removeprefix('0')} at most"
    return f"{trigger.at(point).threshold:.3f}".removeprefix("0")
