"""Markdown headings, and the path of them that leads to a place in a text."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

import regex

from core.values import Span

# Read on the text with one LF before it, so that every line starts the same way.
_LINE = regex.compile(
    r"\n[ ]{0,3}(?:"
    r"(?P<fence>`{3,}|~{3,})(?P<info>[^\r\n]*)"
    r"|(?P<marks>\#{1,6})(?![^ \t\r\n])(?P<title>[^\r\n]*))"
)
_CLOSING_MARKS = regex.compile(r"(?:^|[ \t])#+[ \t]*$")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading line from its first ``#`` to the line's end.

    Attributes:
        level: 1 to 6, 1 the outermost.
        title: without marks, its white space collapsed; may be empty.
    """

    span: Span
    level: int
    title: str


def headings(text: str) -> list[Heading]:
    """ATX headings in reading order; those inside fenced code are no headings.

    A fence that is never closed runs to the end of the text.

    Source: CommonMark 0.31, sections 4.2 and 4.5 (blocks inside lists and quotes are not looked into).
    """
    found: list[Heading] = []
    fence = ""
    for line in _LINE.finditer("\n" + text):
        if marks := line["fence"]:
            if not fence:
                fence = "" if "`" in line["info"] and marks[0] == "`" else marks
            elif marks.startswith(fence) and not line["info"].strip():
                fence = ""
        elif not fence:
            title = " ".join(_CLOSING_MARKS.sub("", line["title"].strip()).split())
            span = Span(line.start("marks") - 1, line.end() - 1)
            found.append(Heading(span, len(line["marks"]), title))
    return found


class ChapterPaths:
    """The headings above each place of a text, outermost first."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._headings: Sequence[Heading] = headings(text)
        self._starts = [heading.span.start for heading in self._headings]
        self._paths: list[tuple[str, ...]] = []
        above: list[Heading] = []
        for heading in self._headings:
            above = [outer for outer in above if outer.level < heading.level] + [heading]
            self._paths.append(tuple(outer.title for outer in above if outer.title))

    def at(self, span: Span) -> tuple[str, ...]:
        """The path at the start of ``span``; headings that the span starts with count, all of them."""
        last = bisect_right(self._starts, span.start) - 1
        while last + 1 < len(self._headings) and self._starts[last + 1] < span.end:
            reached = self._headings[last].span.end if last >= 0 else 0
            between = Span(max(reached, span.start), self._starts[last + 1])
            if last < 0 or reached <= span.start or between.of(self._text).strip():
                break
            last += 1
        return self._paths[last] if last >= 0 else ()
