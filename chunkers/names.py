"""Which names come into play at a passage: persons and places, told by their capitals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import regex
from numpy.typing import NDArray

from core.text import STOP_WORDS
from core.values import Span

ABSENT = 1_600  # characters after which a name that comes back is new again

_CAPITAL = regex.compile(r"\b\p{Lu}\p{Ll}[\p{L}'’-]*")
# A capital within a sentence makes a name, one that opens a sentence does not.
_NAME = regex.compile(r"(?<=[\p{Ll},;]\s)\p{Lu}\p{Ll}[\p{L}'’-]*")


@dataclass(frozen=True, slots=True)
class NewNames:
    """Of each of n passages (n,): how many of its names are new or were absent long, and how many not."""

    new: NDArray[np.float64]
    met: NDArray[np.float64]


def names_in_play(passages: Sequence[str], spans: Sequence[Span]) -> NewNames:
    """Count each passage's names.

    Args:
        passages: in reading order.
        spans: where they stand in their text.
    """
    known = {name for passage in passages for name in _NAME.findall(passage)}
    known = {name for name in known if name.lower() not in STOP_WORDS}
    last: dict[str, int] = {}
    new, met = np.zeros(len(passages)), np.zeros(len(passages))
    for at, (passage, span) in enumerate(zip(passages, spans, strict=True)):
        names = known & set(_CAPITAL.findall(passage))
        fresh = sum(1 for name in names if span.start - last.get(name, -ABSENT - 1) > ABSENT)
        new[at], met[at] = fresh, len(names) - fresh
        last.update(dict.fromkeys(names, span.end))
    return NewNames(new, met)
