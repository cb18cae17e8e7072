"""What a boundary picker chooses among: paragraphs, each with what heads it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chunkers.boundaries import LEVELS, paragraph_spans
from chunkers.marks import PROSE, mark_kinds
from chunkers.packing import pack
from chunkers.sizes import Ruler, Size
from core.values import Span

# A paragraph's end ends a sentence too.
_PARTED_AT = (LEVELS["sentence"], LEVELS["word"])


@dataclass(frozen=True, slots=True)
class Passages:
    """Passages in reading order; they leave no visible character out.

    Attributes:
        parted: whether a passage is the first or a middle part of a paragraph that is larger than a window.
            Nobody is asked about the inside of a paragraph, so no window goes on behind it.
    """

    spans: Sequence[Span]
    parted: Sequence[bool]


def passages(text: str, size: Size, ruler: Ruler, most: int) -> Passages:
    """Whole paragraphs, each with the headings and rules right above it, so that none of these ends a chunk.

    One that counts more than ``most`` is parted at sentences, else words, else grapheme clusters.

    Args:
        text: what is chunked.
        size: what counts.
        ruler: that of ``size`` over ``text``.
        most: how much a window holds.
    """
    spans: list[Span] = []
    parted: list[bool] = []
    for span in headed_spans(text):
        if ruler.count(span.start, span.end) <= most:
            parts = [span]
        else:
            whole = span.of(text)
            pieces = pack(whole, size.ruler(whole), _PARTED_AT, most)
            parts = [piece.shifted(span.start) for piece in pieces]
        spans += parts
        parted += [True] * (len(parts) - 1) + [False]
    return Passages(spans, parted)


def headed_spans(text: str) -> list[Span]:
    """Paragraphs, each starting with the headings and rules right above it; those at the text's end alone."""
    return list(_headed(text, paragraph_spans(text)))


def heading_strengths(text: str, spans: Sequence[Span]) -> NDArray[np.float64]:
    """(n,) 1 for each span that starts with a heading or a rule, else 0: where to cut when nobody knows."""
    paragraphs = paragraph_spans(text)
    kinds = mark_kinds(text, paragraphs).tolist()
    marked = {paragraph.start for paragraph, kind in zip(paragraphs, kinds, strict=True) if kind != PROSE}
    return np.array([float(span.start in marked) for span in spans])


def _headed(text: str, paragraphs: Sequence[Span]) -> Iterator[Span]:
    start = None
    for paragraph, kind in zip(paragraphs, mark_kinds(text, paragraphs).tolist(), strict=True):
        start = paragraph.start if start is None else start
        if kind == PROSE:
            yield Span(start, paragraph.end)
            start = None
    if start is not None:
        yield Span(start, paragraphs[-1].end)
