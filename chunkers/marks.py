"""Paragraphs that are no prose but say where a part begins: headings, and the rules between scenes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import regex
from numpy.typing import NDArray

from chunkers.boundaries import white_end
from chunkers.headings import headings
from core.values import Span

PROSE, HEADING, RULE = 0, 1, 2

_LONGEST = 100  # characters of a heading without a mark
_RULE = regex.compile(r"(?:[*_\-–—=~#•·]\s*){3,}")
_NUMERAL = r"(?:\d{1,3}|[IVXLC]{1,7})"
_WORDED = (
    r"(?i:one|two|three|four|five|six|seven|eight|nine|ten|the (?:first|second|third|fourth|fifth|last))"
)
# "CHAPTER IV", "Book the Second" or "XII." on a line of its own, as plain texts head their parts.
_PLAIN_HEADING = regex.compile(
    rf"(?i:chapter|book|part|volume|act|scene|canto|letter|section|stave)\s+(?:{_NUMERAL}|{_WORDED})\b[^\n]*"
    rf"|{_NUMERAL}\.?"
    r"|(?i:preface|prologue|epilogue|introduction|conclusion|contents)\.?"
)


def mark_kinds(text: str, units: Sequence[Span]) -> NDArray[np.int8]:
    """(n,) of each unit whether it is `PROSE`, a `HEADING` or a `RULE`.

    A Markdown heading counts by its lines, whatever it says; without marks a short line counts that says
    that it heads a part. A rule is three or more of one of the signs that part scenes.
    """
    marked = {heading.span.start: heading.span.end for heading in headings(text)}
    return np.array([_kind(text, unit, marked) for unit in units], np.int8).reshape(-1)


def _kind(text: str, unit: Span, marked: dict[int, int]) -> int:
    if unit.start in marked:
        at = unit.start
        while at in marked:  # one heading under another, no blank line between
            at = white_end(text, marked[at])
        if at >= unit.end:
            return HEADING
    if len(unit) > _LONGEST:
        return PROSE
    line = unit.of(text)
    if _RULE.fullmatch(line):
        return RULE
    return HEADING if _PLAIN_HEADING.fullmatch(line) else PROSE
