"""Sizes that a content-driven chunker keeps to, whatever the content says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chunkers.boundaries import LEVELS
from chunkers.packing import pack
from chunkers.sizes import Ruler, Size
from core.errors import InvalidValue
from core.values import Span

# A cut leaves on either side, if it can, this share of the limit, and of what is cut: the latter so that
# the work stays near linear in the text.
_OF_LIMIT, _OF_WHOLE = 4, 8
_INSIDE_UNITS = (LEVELS["sentence"], LEVELS["word"])


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of a chunk's size, in the chunker's unit; None sets none.

    Attributes:
        least: a smaller chunk joins the smaller of its neighbours, unless both would grow over ``hard``.
        soft: a larger chunk is cut at its best inner boundary: between two units, where the content shifts
            most, the one nearest the middle among equals. One unit alone stays whole.
        hard: a larger chunk is cut in any case: between units, else sentences, words, grapheme clusters.

    Raises:
        InvalidValue: unless ``1 <= least <= soft <= hard``, of those that are set.
    """

    least: int | None = None
    soft: int | None = None
    hard: int | None = None

    def __post_init__(self) -> None:
        given = [size for size in (self.least, self.soft, self.hard) if size is not None]
        if given != sorted(given) or any(size < 1 for size in given):
            raise InvalidValue(
                "limits must be 1 <= least <= soft <= hard, of those that are set, got "
                f"least {self.least}, soft {self.soft}, hard {self.hard}; correct them, or leave one out"
            )

    def __str__(self) -> str:
        named = (("at least", self.least), ("about", self.soft), ("at most", self.hard))
        return ", ".join(f"{name} {size:,}" for name, size in named if size is not None)


def limit_spans(
    text: str,
    units: Sequence[Span],
    firsts: Sequence[int],
    limits: Limits,
    size: Size,
    *,
    strengths: NDArray[np.float64] | None = None,
    ruler: Ruler | None = None,
) -> list[Span]:
    """Chunks made of whole neighbouring units, cut and joined until they keep the limits.

    Args:
        text: what is chunked.
        units: what it consists of, in reading order.
        firsts: index of the unit that each chunk starts with, ascending from 0; none for no units.
        limits: in the unit of ``size``.
        size: what counts.
        strengths: (n,) how strongly the content shifts before each unit; None when nobody knows.
        ruler: that of ``size`` over ``text``, where the caller has it.
    """
    ends = [*firsts, len(units)][1:]
    if limits == Limits():
        return [Span(units[first].start, units[end - 1].end) for first, end in zip(firsts, ends, strict=True)]
    known = np.zeros(len(units)) if strengths is None else strengths
    limiter = _Limiter(text, units, limits, size, known, ruler or size.ruler(text))
    pieces = [piece for first, end in zip(firsts, ends, strict=True) for piece in limiter.cut(first, end)]
    return limiter.joined(pieces)


@dataclass(frozen=True, slots=True)
class _Limiter:
    text: str
    units: Sequence[Span]
    limits: Limits
    size: Size
    strengths: NDArray[np.float64]
    ruler: Ruler

    def cut(self, first: int, end: int) -> Iterator[Span]:
        """The units ``[first, end)`` as spans that keep the soft and the hard limit, in reading order."""
        soft = self.limits.hard if self.limits.soft is None else self.limits.soft
        waiting = [(first, end)]
        while waiting:
            first, end = waiting.pop()
            span = self._span(first, end)
            if soft is None or self._count(span) <= soft:
                yield span
            elif end - first > 1:
                at = self._best(first, end, soft)
                waiting += [(at, end), (first, at)]
            else:
                yield from self._inside(span)

    def joined(self, spans: Sequence[Span]) -> list[Span]:
        """Those under the least size with a neighbour, the smaller one first."""
        least = self.limits.least
        if least is None:
            return list(spans)
        joined: list[Span] = []
        waiting = list(reversed(spans))
        while waiting:
            span = waiting.pop()
            if self._count(span) < least:
                before = joined[-1] if joined else None
                after = waiting[-1] if waiting else None
                neighbour = self._smaller(span, before, after)
                if neighbour is not None and neighbour is before:
                    span = Span(joined.pop().start, span.end)
                elif neighbour is not None:
                    waiting[-1] = Span(span.start, neighbour.end)
                    continue
            joined.append(span)
        return joined

    def _best(self, first: int, end: int, soft: int) -> int:
        """The unit before which to cut: neither part is a mere slip, if that can be."""
        starts = range(first + 1, end)
        before = np.array([self._count(self._span(first, at)) for at in starts])
        after = np.array([self._count(self._span(at, end)) for at in starts])
        smallest = np.minimum(before, after)
        strengths = self.strengths[first + 1 : end]
        whole = self._count(self._span(first, end))
        enough = smallest >= max(self.limits.least or soft // _OF_LIMIT, whole // _OF_WHOLE, 1)
        if not enough.any():
            return first + 1 + int(smallest.argmax())
        order = np.lexsort((-smallest, -strengths, ~enough))
        return first + 1 + int(order[0])

    def _inside(self, unit: Span) -> Sequence[Span]:
        """One unit in parts of at most the hard size, as even as its sentences allow."""
        hard = self.limits.hard
        if hard is None or (count := self._count(unit)) <= hard:
            return [unit]
        inner = unit.of(self.text)
        ruler = self.size.ruler(inner)
        parts = pack(inner, ruler, _INSIDE_UNITS, hard)
        even = min(-(-count // len(parts)) * 11 // 10 + 1, hard)
        evener = pack(inner, ruler, _INSIDE_UNITS, even)
        return [part.shifted(unit.start) for part in (evener if len(evener) == len(parts) else parts)]

    def _smaller(self, span: Span, before: Span | None, after: Span | None) -> Span | None:
        """The neighbour that makes the smaller chunk with ``span``, of those that keep the hard limit."""
        best = None
        for neighbour in (before, after):
            if neighbour is None:
                continue
            count = self._count(Span(min(span.start, neighbour.start), max(span.end, neighbour.end)))
            kept = self.limits.hard is None or count <= self.limits.hard
            if kept and (best is None or count < best[0]):
                best = count, neighbour
        return best[1] if best else None

    def _span(self, first: int, end: int) -> Span:
        return Span(self.units[first].start, self.units[end - 1].end)

    def _count(self, span: Span) -> int:
        return self.ruler.count(span.start, span.end)
