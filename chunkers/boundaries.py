r"""Where a text may be cut: the gaps between its paragraphs, lines, sentences and words.

A *gap* ``(end, start)`` says where one unit ends and where the next one starts; what lies between is
white space, or nothing. Every unit starts and ends with a visible character. White space is what
Unicode calls so (``\s`` of ``regex``): control characters such as U+001C are visible here, so that
none is ever left out.

Each level can be read in two ways that always agree: all units of a text, and the last gap in a range,
which costs no more than the range is long.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import regex

from chunkers.graphemes import clean_gap, cluster_floor
from chunkers.sentences import CERTAIN, PERHAPS, ends_sentence
from core.values import Span

Gap = tuple[int, int]

WHITE_SPACE = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
# Scripts written without spaces: each of their letters counts as a word, as in a word processor.
_UNSPACED = (
    r"[[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]"
    r"--[\p{GCB=Extend}\p{GCB=SpacingMark}]]"
)
_UNSPACED_START = rf"(?<=[^\s\p{{Ps}}\p{{Pi}}\p{{GCB=Prepend}}])(?={_UNSPACED})"


def _both_ways(pattern: str) -> tuple[Any, Any]:
    return regex.compile(pattern, regex.V1 | regex.S), regex.compile(rf"(?r){pattern}", regex.V1 | regex.S)


# CR before LF is white space like any other; a CR alone ends no line.
_BLANK_LINE = regex.compile(r"\n\s*\n\s*")
_LINE_END = regex.compile(r"\n\s*")
# Backwards, the white space before it comes along, so that the match starts where the unit ends.
_LAST_BLANK_LINE = regex.compile(r"(?r)\s*\n\s*\n")
_LAST_LINE_END = regex.compile(r"(?r)\s*\n")
_SENTENCE_END, _LAST_SENTENCE_END = _both_ways(f"{PERHAPS}|{CERTAIN}")
_WORD_END, _LAST_WORD_END = _both_ways(rf"\s+|{_UNSPACED_START}")
_RUN = regex.compile(r"\S+")
_START_INSIDE_RUN = regex.compile(_UNSPACED_START, regex.V1)
_WHITE = frozenset(WHITE_SPACE)
_WHITE_RUN = regex.compile(r"\s*")
_WHITE_RUN_BEFORE = regex.compile(r"(?r)\s*")


def white_end(text: str, at: int) -> int:
    """Where the white space that starts at ``at`` ends; ``at`` itself when there is none."""
    if at < len(text) and text[at] not in _WHITE:
        return at
    end: int = _WHITE_RUN.match(text, at).end()
    return end


def white_start(text: str, at: int, low: int = 0) -> int:
    """Where the white space that ends at ``at`` starts, ``low`` at the least; ``at`` when there is none."""
    start: int = _WHITE_RUN_BEFORE.match(text, low, at).start()
    return start


def trim(text: str, start: int = 0, end: int | None = None) -> Span | None:
    """The range without white space at its ends, no cluster cut; None when nothing visible is in it."""
    stop = len(text) if end is None else end
    first, last = white_end(text, start), white_start(text, stop, start)
    if first >= last:
        return None
    if first > start and cluster_floor(text, first, start) < first:
        first -= 1  # white space that carries a combining mark
    if last < stop and cluster_floor(text, last, first) < last:
        last += 1  # white space that a prepended sign has joined
    return Span(first, last)


def paragraph_spans(text: str) -> list[Span]:
    """Blocks separated by lines that are empty or hold only white space."""
    return _between(text, _line_gaps(text, _BLANK_LINE))


def line_spans(text: str) -> list[Span]:
    """Lines that hold something visible."""
    return _between(text, _line_gaps(text, _LINE_END))


def sentence_spans(text: str) -> list[Span]:
    """Sentences; a paragraph's end ends a sentence too, the end of a line alone does not."""
    return _between(text, sorted(_sentence_gaps(text)))


def word_spans(text: str) -> list[Span]:
    """Runs between white space; each letter of a script written without spaces starts a word."""
    return _between(text, _word_gaps(text))


def word_starts(text: str) -> list[int]:
    """Where the words of `word_spans` start, at the first character that is not white space."""
    runs = [match.start() for match in _RUN.finditer(text)]
    inside = [match.start() for match in _START_INSIDE_RUN.finditer(text)]
    return sorted(runs + inside) if inside else runs


def last_paragraph_gap(text: str, low: int, high: int) -> Gap | None:
    """The last gap between paragraphs with ``low < end <= high``."""
    return _last_line_gap(_LAST_BLANK_LINE, text, low, high)


def last_line_gap(text: str, low: int, high: int) -> Gap | None:
    """The last gap between lines with ``low < end <= high``."""
    return _last_line_gap(_LAST_LINE_END, text, low, high)


def last_sentence_gap(text: str, low: int, high: int) -> Gap | None:
    """The last gap between sentences with ``low < end <= high``."""
    paragraph = last_paragraph_gap(text, low, high)
    floor = paragraph[0] if paragraph else low
    while match := _LAST_SENTENCE_END.search(text, max(0, floor - 10), high + 1):
        if match.end() <= floor:
            break
        gap = _sentence_gap(text, match)
        if gap:
            return gap
        high = match.end() - 1
    return paragraph


def last_word_gap(text: str, low: int, high: int) -> Gap | None:
    """The last gap between words with ``low < end <= high``."""
    while match := _LAST_WORD_END.search(text, low, high + 1):
        gap = _gap(text, match.start(), match.end())
        if match.start() <= low or gap:
            break
        high = match.start() - 1
    return gap if match and match.start() > low else None


@dataclass(frozen=True, slots=True)
class Level:
    """One kind of unit, read whole or backwards from a place."""

    spans: Callable[[str], list[Span]]
    last_gap: Callable[[str, int, int], Gap | None]


LEVELS = {
    "paragraph": Level(paragraph_spans, last_paragraph_gap),
    "line": Level(line_spans, last_line_gap),
    "sentence": Level(sentence_spans, last_sentence_gap),
    "word": Level(word_spans, last_word_gap),
}


def _between(text: str, gaps: Iterable[Gap]) -> list[Span]:
    whole = trim(text)
    if whole is None:
        return []
    spans: list[Span] = []
    start = whole.start
    for gap_end, gap_start in gaps:
        if start < gap_end < whole.end:
            spans.append(Span(start, gap_end))
            start = gap_start
    spans.append(Span(start, whole.end))
    return spans


def _gap(text: str, end: int, inside: int) -> Gap | None:
    """The gap that starts at ``end`` and holds ``inside``; None when no unit follows or a cluster joins."""
    start = white_end(text, inside)
    return clean_gap(text, end, start) if start < len(text) else None


def _line_gaps(text: str, pattern: Any) -> Iterable[Gap]:
    for match in pattern.finditer(text):
        end, start = match.span()
        while end and text[end - 1] in _WHITE:
            end -= 1
        if end and start < len(text) and (gap := clean_gap(text, end, start)):
            yield gap


def _last_line_gap(pattern: Any, text: str, low: int, high: int) -> Gap | None:
    # The white space that ``high`` lies in may end further on, and with it the line.
    stop = white_end(text, high)
    if text.rfind("\n", low, stop) < 0:  # several times as fast as the search
        return None
    while match := pattern.search(text, low, stop):
        stop = match.start()
        if stop <= low:
            return None
        if stop <= high and (gap := _gap(text, stop, match.end())):
            return gap
    return None


def _sentence_gaps(text: str) -> set[Gap]:
    gaps = set(_line_gaps(text, _BLANK_LINE))
    for match in _SENTENCE_END.finditer(text):
        gap = _sentence_gap(text, match, known=gaps)
        if gap:
            gaps.add(gap)
    return gaps


def _sentence_gap(text: str, match: Any, known: Iterable[Gap] = ()) -> Gap | None:
    gap = _gap(text, match.end(), match.end())
    if gap is None or gap in known or match.lastgroup == "certain":
        return gap
    return gap if ends_sentence(text, *gap) else None


def _word_gaps(text: str) -> Iterable[Gap]:
    for match in _WORD_END.finditer(text):
        gap = _gap(text, match.start(), match.end()) if match.start() > 0 else None
        if gap:
            yield gap
