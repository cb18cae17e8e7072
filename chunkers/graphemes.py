r"""Grapheme clusters: what a reader sees as one character is never cut.

Source: Unicode Standard Annex 29, extended grapheme clusters, as the ``regex`` package implements
``\X``. Regional indicators are paired here: ``\X`` looks back over the whole run of them at every
step, which is quadratic on a long one.
"""

from __future__ import annotations

import regex

# Below U+0300 nothing joins its neighbour except LF after CR.
_FIRST_JOINER = "\u0300"

_CLUSTER = regex.compile(r"\p{RI}\p{RI}[\p{GCB=Extend}\p{GCB=SpacingMark}\p{GCB=ZWJ}]*|\X")
_JOINS_BEFORE = regex.compile(r"[\p{GCB=Extend}\p{GCB=SpacingMark}\p{GCB=ZWJ}]")
_JOINS_AFTER = regex.compile(r"\p{GCB=Prepend}")
_CONTROL = regex.compile(r"[\p{GCB=Control}\p{GCB=CR}\p{GCB=LF}]")
# Between two characters of these kinds there is a boundary whatever stands around them.
_CERTAIN = regex.compile(
    r"(?r)(?<=[\p{GCB=Other}\p{GCB=Control}\p{GCB=LF}])(?=[\p{GCB=Other}\p{GCB=Control}\p{GCB=CR}])"
)


def cluster_floor(text: str, at: int, low: int) -> int:
    """The last cluster boundary in ``[low, at]``, where ``low`` is itself one."""
    if at >= len(text) or at <= low:
        return min(at, len(text))
    if text[at - 1] < _FIRST_JOINER and text[at] < _FIRST_JOINER:
        return at - 1 if text[at - 1] == "\r" and text[at] == "\n" else at
    certain = _CERTAIN.search(text, low, at + 1)
    boundary: int = certain.start() if certain and certain.start() > low else low
    while boundary < at:
        end = cluster_end(text, boundary)
        if end > at:
            break
        boundary = end
    return boundary


def cluster_end(text: str, start: int) -> int:
    """Where the cluster that starts at ``start`` ends."""
    end: int = _CLUSTER.match(text, start).end()
    return end


def clean_gap(text: str, end: int, start: int) -> tuple[int, int] | None:
    """Fit a gap ``[end, start)`` of white space, or of nothing, to the clusters around it.

    White space with a combining mark is one visible cluster and belongs to what follows. None when a
    cluster reaches across, so that there is no boundary at all.
    """
    if text[end - 1] < _FIRST_JOINER and text[start] < _FIRST_JOINER:
        return end, start
    if _JOINS_AFTER.match(text, end - 1) and not _CONTROL.match(text, end):
        return None
    if _JOINS_BEFORE.match(text, start) and not _CONTROL.match(text, start - 1):
        start -= 1
    return (end, start) if end <= start else None
