"""Finds where pieces of a text came from, when a splitter that is not ours gives texts and no offsets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from chunkers.boundaries import WHITE_SPACE, white_end
from core.errors import InvalidValue
from core.values import Span

_SHOWN = 60  # characters of a text in a message


class Placed(NamedTuple):
    """Where pieces stand; those that lie wholly inside a neighbour are counted and left out."""

    spans: list[Span]
    inside: int


def place(text: str, pieces: Sequence[str]) -> Placed:
    """Where each piece stands, without white space at its ends: ``span.of(text)`` is the piece.

    Starts and ends strictly increase and no visible character is left out; pieces may overlap. Where a
    text repeats itself so that there is a choice, neighbours overlap as little as they can. Pieces of
    white space alone have no span.

    Raises:
        InvalidValue: no such placement: the text of a piece was changed, or some of the text dropped.
    """
    cores = [core for core in (piece.strip(WHITE_SPACE) for piece in pieces) if core]
    if not cores and white_end(text, 0) == len(text):
        return Placed([], 0)
    path, _ = _path(text, cores, 1)
    if path is None:
        path, furthest = _path(text, cores, 0)
    if path is None:
        raise _misplaced(text, cores, furthest)
    return _outermost(path)


def _path(text: str, cores: Sequence[str], step: int) -> tuple[list[Span] | None, int]:
    """A place for every piece, starts and ends growing by at least ``step``; else None.

    Depth first: the least overlap is tried first and is nearly always right. A place that led nowhere is
    not tried for the same piece again, so that the work stays bounded whatever the text repeats.

    Returns:
        The places, and how many pieces could be followed at the most.
    """
    path: list[Span] = []
    choices = [_choices(text, core, None, step) for core in cores[:1]]
    tried: set[tuple[int, int]] = set()
    furthest = 0
    while choices:
        at = len(path)
        span = next((span for span in choices[-1] if (at, span.start) not in tried), None)
        if span is None:
            choices.pop()
            del path[-1:]
            continue
        tried.add((at, span.start))
        furthest = max(furthest, at + 1)
        if at + 1 < len(cores):
            path.append(span)
            choices.append(_choices(text, cores[at + 1], span, step))
        elif white_end(text, span.end) == len(text):
            return [*path, span], furthest
    return None, furthest


def _choices(text: str, core: str, before: Span | None, step: int) -> Iterator[Span]:
    """Where a piece can stand, from where it follows ``before`` down to where both share the most."""
    low, high = 0, white_end(text, 0)
    if before is not None:
        low, high = max(before.start, before.end - len(core)) + step, white_end(text, before.end)
    if text.startswith(core, high):
        yield Span(high, high + len(core))
        high -= 1
    while (start := text.rfind(core, low, high + len(core))) >= low:
        yield Span(start, start + len(core))
        high = start - 1


def _outermost(path: Sequence[Span]) -> Placed:
    """Without the spans that a neighbour holds, so that starts and ends strictly increase."""
    spans: list[Span] = []
    for span in path:
        while spans and span.holds(spans[-1]):
            spans.pop()
        if not (spans and spans[-1].holds(span)):
            spans.append(span)
    return Placed(spans, len(path) - len(spans))


def _misplaced(text: str, cores: Sequence[str], furthest: int) -> InvalidValue:
    """What went wrong with the first piece that could not be placed."""
    if furthest == len(cores):
        return InvalidValue(
            f"the pieces of a splitter must cover the text, got {len(cores)} that end before its end does; "
            "choose a splitter that leaves nothing out"
        )
    shown = repr(cores[furthest] if len(cores[furthest]) <= _SHOWN else cores[furthest][:_SHOWN] + "...")
    if cores[furthest] not in text:
        return InvalidValue(
            "the pieces of a splitter must be slices of the text, so that they can be placed, got piece "
            f"{furthest + 1}, {shown}, which the text does not hold; choose a splitter that changes nothing "
            "but white space at the ends of its pieces"
        )
    return InvalidValue(
        "the pieces of a splitter must follow one another and leave out nothing but white space, got piece "
        f"{furthest + 1}, {shown}, which does not continue where the one before ends; have the splitter keep "
        "its separators (keep_separator=True, strip_headers=False)"
    )
