"""Which paragraphs a picker is shown from each start on, and where its pick leads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from chunkers.boundaries import paragraph_spans
from chunkers.passages import passages
from chunkers.sizes import Ruler, Size
from core.values import Span

Mode = Literal["paper", "reference"]

# The published script's: LumberChunker-Segmentation.py, https://github.com/joaodsmarques/LumberChunker
_THETA, _TOKENS_A_WORD, _GLUED = 550, 1.2, 5


@dataclass(frozen=True, slots=True)
class Windows:
    """For each of n passages that may start a chunk, the window that says where the next one starts.

    A pick p in 1..size of the window leads from ``start`` to ``first[start] + p``.

    Attributes:
        passages: what a text consists of, in reading order.
        first: (n,) index of the first passage shown.
        end: (n,) index behind the last passage shown.
    """

    passages: Sequence[Span]
    first: Sequence[int]
    end: Sequence[int]

    def shown(self, start: int) -> Sequence[Span]:
        """The window's passages."""
        return self.passages[self.first[start] : self.end[start]]

    def settled(self) -> dict[int, int]:
        """Start -> next start where there is nothing to choose: one passage alone makes the window."""
        return {
            start: end
            for start, (first, end) in enumerate(zip(self.first, self.end, strict=True))
            if end - first < 2
        }


def windows(text: str, size: Size, ruler: Ruler, most: int, mode: Mode) -> Windows:
    """The windows of a text.

    ``paper``: from the start itself, as many whole passages as count at most ``most``, the first in any case.

    ``reference``: as the published script makes them, where that is sane. Passages are bare paragraphs,
    never parted; the first one of a chunk is not shown again, but for the text's own; a window takes
    paragraphs while 1.2 tokens a word stay under 550; the last five paragraphs are not looked into. A
    window of one paragraph has no inner boundary, where the script would ask for ever.

    Args:
        text: what is chunked.
        size: what counts.
        ruler: that of ``size`` over ``text``.
        most: how much a window holds; ``reference`` has a size of its own.
        mode: whose rules.
    """
    if mode == "reference":
        return _reference(text)
    found = passages(text, size, ruler, most)
    return Windows(found.spans, range(len(found.spans)), _filled(found.spans, found.parted, ruler, most))


def _filled(spans: Sequence[Span], parted: Sequence[bool], ruler: Ruler, most: int) -> list[int]:
    ends: list[int] = []
    end = 0
    for start, span in enumerate(spans):
        end = max(end, start + 1)
        while end < len(spans) and not parted[end - 1] and ruler.count(span.start, spans[end].end) <= most:
            end += 1
        ends.append(end)
    return ends


def _reference(text: str) -> Windows:
    spans = paragraph_spans(text)
    words = [0]
    for span in spans:
        words.append(words[-1] + len(span.of(text).split()))
    firsts, ends = [], []
    end = 0
    for start in range(len(spans)):
        first = start + 1 if start else 0
        if first >= len(spans) - _GLUED:
            first, end = len(spans) - 1, len(spans)
        else:
            end = max(end, first + 1)
            while end < len(spans) and round((words[end + 1] - words[first]) * _TOKENS_A_WORD) < _THETA:
                end += 1
        firsts.append(first)
        ends.append(end)
    return Windows(spans, firsts, ends)
