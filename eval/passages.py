"""How much of the exact passages that answer a question was retrieved, and how much else.

Source: Smith and Troynikov 2024 (Chroma), "Evaluating Chunking Strategies for Retrieval", and the
evaluator they published with it. They speak of tokens and count characters; so do we.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.errors import InvalidValue
from core.values import Span
from eval.formulas import ratio


@dataclass(frozen=True, slots=True)
class PassageScores:
    """Shares of characters: found of the references, referenced of the retrieved, and both over either."""

    recall: float
    precision: float
    iou: float


def passage_scores(
    references: Sequence[Span], chunks: Sequence[Span], *, elsewhere: int = 0
) -> PassageScores:
    """Score the retrieved chunks of the references' text.

    With F the characters of references that some chunk holds::

        recall = |F| / sum of |reference|
        precision = |F| / sum of |chunk|
        iou = |F| / (sum of |chunk| + characters of references that no chunk holds)

    Lengths are summed as published, so what chunks repeat counts against them each time; so do references
    that overlap. A share of nothing is 0.

    Args:
        elsewhere: characters of retrieved chunks of other texts.

    Raises:
        InvalidValue: no reference holds a character.
    """
    total = sum(map(len, references))
    if not total:
        raise InvalidValue("references must hold at least one character, got none")
    held = _union(chunks)
    found = _size(_union(_common(references, held)))
    missed = total - sum(map(len, _common(references, held)))
    retrieved = sum(map(len, chunks)) + elsewhere
    return PassageScores(found / total, ratio(found, retrieved), ratio(found, retrieved + missed))


def precision_omega(references: Sequence[Span], chunks: Sequence[Span]) -> float:
    """The IoU that a perfect retriever would reach: every chunk that meets a reference, and no other.

    Here what chunks repeat counts once. As published, a chunk that only touches a reference meets it.

    Args:
        chunks: all chunks of the text.
    """
    meeting = [chunk for chunk in chunks if any(_meets(chunk, reference) for reference in references)]
    whole = _size(_union([*meeting, *references]))
    return ratio(_size(_union(_common(references, _union(meeting)))), whole)


def _meets(chunk: Span, reference: Span) -> bool:
    return max(chunk.start, reference.start) <= min(chunk.end, reference.end)


def _common(spans: Sequence[Span], apart: Sequence[Span]) -> list[Span]:
    """What of each span lies in the spans of ``apart``, which do not overlap."""
    return [
        Span(max(one.start, other.start), min(one.end, other.end))
        for one in spans
        for other in apart
        if one.overlap(other)
    ]


def _union(spans: Sequence[Span]) -> list[Span]:
    """Spans that cover the same characters and neither overlap nor touch."""
    merged: list[Span] = []
    for span in sorted(spans):
        if merged and span.start <= merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return merged


def _size(spans: Sequence[Span]) -> int:
    return sum(map(len, spans))
