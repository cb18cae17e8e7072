"""Packs neighbouring units into spans of at most a size: the one algorithm behind every fixed rule.

From where a chunk starts, it reaches as far as the size allows and is cut at the last gap of the
coarsest level that has one there: between paragraphs if possible, else lines, sentences, words, at last
between two grapheme clusters. Only the range within reach is ever looked at, so the work is linear in
the text whatever its shape.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chunkers.boundaries import Gap, Level, trim, white_end, white_start
from chunkers.graphemes import clean_gap, cluster_end, cluster_floor
from chunkers.sizes import Ruler, Size
from core.errors import InvalidValue
from core.values import Span


def pack(
    text: str,
    ruler: Ruler,
    levels: Sequence[Level],
    size: int,
    *,
    overlap: int = 0,
    most: int | None = None,
) -> list[Span]:
    """Spans that each count at most ``size``, in reading order.

    Args:
        levels: coarsest first; grapheme clusters follow by themselves.
        size: a single cluster that counts more stands alone, the only exception.
        overlap: neighbours share at most this much, and as much of it as whole sentences, else words,
            else clusters allow (of those that are among ``levels``).
        most: a unit that counts more than ``size`` but at most this stands whole.
    """
    whole = trim(text)
    if whole is None:
        return []
    cutter = _Cutter(text, ruler, levels, size, size if most is None else most, whole.end)
    spans: list[Span] = []
    start = low = following = whole.start
    while True:
        gap = cutter.cut(start, low)
        if gap is None and start < low:  # the shared part leaves no room for what follows
            start = low = following
            gap = cutter.cut(start, low)
        end, following = gap or cutter.cluster(start)
        spans.append(Span(start, end))
        if end >= whole.end:
            return spans
        start = low = following
        if overlap:
            start = cutter.shared(spans[-1], following, overlap)
            low = end if start < end else following


def check_sizes(size: int | None, unit: Size, overlap: int) -> None:
    """Refuse a size or an overlap outside its rule.

    Raises:
        InvalidValue: unless ``size >= 1`` and ``0 <= overlap < size``; an overlap without a size.
    """
    if size is None:
        if overlap:
            raise InvalidValue(f"overlap needs a size, got overlap {overlap} and no size; give a size too")
        return
    if size < 1:
        raise InvalidValue(f"size must be at least 1 of {unit.unit}, got {size}")
    if not 0 <= overlap < size:
        raise InvalidValue(f"overlap must be in [0, size) = [0, {size}) {unit.unit}, got {overlap}")


@dataclass(frozen=True, slots=True)
class _Cutter:
    text: str
    ruler: Ruler
    levels: Sequence[Level]
    size: int
    most: int
    final: int  # where the last unit of the text ends

    def cut(self, start: int, low: int) -> Gap | None:
        """The gap behind the chunk that starts at ``start`` and must end after ``low``."""
        reach = self.ruler.reach(start, self.size)
        if reach >= self.final:
            if self.ruler.count(start, self.final) <= self.size:
                return self.final, self.final
            reach = self.final
        stretch = reach
        if self.most > self.size:
            stretch = min(self.ruler.reach(start, self.most), self.final)
        while reach > low:
            gap = self._gap(start, low, reach, stretch)
            if gap is None:
                return None
            count = self.ruler.count(start, gap[0])
            if count <= (self.size if gap[0] <= reach else self.most):
                return gap
            # Cutting inside a word gave more tokens than the whole word had.
            reach = stretch = start + (gap[0] - start) * self.size // count
        return None

    def cluster(self, start: int) -> Gap:
        """The gap behind the single cluster at ``start``."""
        return self._after(cluster_end(self.text, start))

    def shared(self, span: Span, following: int, overlap: int) -> int:
        """Where the chunk after ``span`` starts so that both share at most ``overlap``."""
        low = max(self.ruler.back(span.end, overlap), span.start + 1)
        for level in self.levels[-2:]:  # sentences, else words: a coarser unit is seldom short enough
            start = self._first_start(level, low, span.end)
            if start is not None:
                break
        else:
            floor = cluster_floor(self.text, low, span.start)
            rest = trim(self.text, floor if floor == low else cluster_end(self.text, floor), span.end)
            start = rest.start if rest else span.end
        fits = span.start < start < span.end and self.ruler.count(start, span.end) <= overlap
        return start if fits else following

    def _gap(self, start: int, low: int, reach: int, stretch: int) -> Gap | None:
        for level in self.levels:
            gap = level.last_gap(self.text, low, reach)
            if gap is None and stretch > reach:
                gap = self._first_gap(level, reach, stretch)
                if gap is None and stretch == self.final:
                    gap = self.final, self.final
            if gap is not None:
                return gap
        gap = self._after(cluster_floor(self.text, reach, start))
        return gap if gap[0] > low else None

    def _after(self, boundary: int) -> Gap:
        """The gap at a cluster boundary, the white space around it taken in."""
        end, start = white_start(self.text, boundary), white_end(self.text, boundary)
        if start >= len(self.text):
            return max(end, boundary), start
        return clean_gap(self.text, end, start) or (boundary, cluster_floor(self.text, start, boundary))

    def _first_gap(self, level: Level, low: int, high: int) -> Gap | None:
        """The first gap with ``low < end <= high``."""
        first = None
        while gap := level.last_gap(self.text, low, high):
            first, high = gap, gap[0] - 1
        return first

    def _first_start(self, level: Level, low: int, end: int) -> int | None:
        """Where the first unit in ``[low, end)`` starts, looked for near ``low`` first."""
        floor = max(white_start(self.text, low) - 1, 0)
        width, first = 32, None
        while first is None and low + width // 8 < end:
            high = min(low + width, end) - 1
            while (gap := level.last_gap(self.text, floor, high)) and gap[1] >= low:
                first, high = gap[1], gap[0] - 1
            width *= 8
        return first
