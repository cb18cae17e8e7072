"""Work grows with the text and not faster, whatever its shape: one giant paragraph is the hard case."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import process_time

import pytest

import chunkers
from chunkers.boundaries import LEVELS, Gap, Level, sentence_spans
from chunkers.limits import Limits
from chunkers.lumber import Lumber
from chunkers.packing import pack
from chunkers.sizes import Characters
from chunkers.windows import window_spans
from tests.support.picks import RulePicker

# Each is repeated into one giant paragraph that stresses another rule.
SHAPES = {
    "sentences": "It rained all day long, and nobody came. ",
    "lines": "no full stop in this line\n",
    "full stops": ". ",
    "exclamations": "!",
    "no spaces": "x",
    "Chinese": "海上生明月，天涯共此時。",
    "flags": "🇩🇪",
    "marks": "\u0301",
    "headings": "# a\n",
    "paragraphs": "It rained all day long.\n\n",
}


@dataclass
class Counted:
    """A level that counts the characters it was asked to look at."""

    level: Level
    work: int = field(default=0)

    def last_gap(self, text: str, low: int, high: int) -> Gap | None:
        self.work += high - low
        return self.level.last_gap(text, low, high)


@pytest.mark.parametrize("shape", SHAPES)
def test_packing_looks_at_each_character_a_few_times_at_most(shape: str) -> None:
    text = SHAPES[shape] * (100_000 // len(SHAPES[shape]))
    levels = [Counted(LEVELS[name]) for name in LEVELS]
    pack(text, Characters().ruler(text), levels, 500)
    assert all(level.work <= 2 * len(text) for level in levels)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", [*sorted(chunkers.STRUCTURAL), "lumber", "windows", "sentences"])
def test_time_is_linear_in_one_giant_paragraph(name: str, shape: str) -> None:
    if name == "windows":
        work = window_spans
    elif name == "sentences":
        work = sentence_spans
    elif name == "lumber":
        work = Lumber(RulePicker(), 300, Characters(), Limits(40, 120, 200), workers=3).split
    else:
        work = chunkers.build(name, size=300, overlap=60).split

    def seconds(length: int) -> float:
        text = SHAPES[shape] * (length // len(SHAPES[shape]))
        best = float("inf")
        for _ in range(2):
            begun = process_time()
            work(text)
            best = min(best, process_time() - begun)
        return best

    seconds(1_000)  # load what is loaded once
    # Eight times the text: eight times the time when linear, sixty-four when quadratic.
    assert seconds(80_000) < 24 * seconds(10_000) + 0.02
