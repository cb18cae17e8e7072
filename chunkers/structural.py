"""Cuts where the text itself parts: levels are data, one algorithm."""

from __future__ import annotations

from dataclasses import dataclass, field

from chunkers.boundaries import LEVELS
from chunkers.packing import check_sizes, pack
from chunkers.sizes import Characters, Size
from core.errors import InvalidValue
from core.values import Span


@dataclass(frozen=True, slots=True)
class Structural:
    """Units of the first level, or as many neighbouring ones as ``size`` allows.

    Attributes:
        levels: names from `chunkers.boundaries.LEVELS`, coarsest first. A unit larger than ``size`` is
            cut at the next level, at last between grapheme clusters.
        size: None makes every unit of the first level a chunk of its own, however long.
        overlap: neighbouring chunks share at most this, in whole sentences, else words.

    Raises:
        InvalidValue: a level that is not known; unless ``size >= 1`` and ``0 <= overlap < size``; an
            overlap without a size.
    """

    levels: tuple[str, ...]
    size: int | None = None
    unit: Size = field(default_factory=Characters)
    overlap: int = 0

    def __post_init__(self) -> None:
        if not self.levels or not set(self.levels) <= LEVELS.keys():
            raise InvalidValue(f"levels must be some of {', '.join(LEVELS)}, got {self.levels}")
        check_sizes(self.size, self.unit, self.overlap)

    def __str__(self) -> str:
        if self.size is None:
            return f"every {self.levels[0]}"
        levels = ", else ".join(f"{level}s" for level in self.levels)
        return f"whole {levels}, up to {self.size:,} {self.unit.unit}, overlap {self.overlap:,}"

    def split(self, text: str) -> list[Span]:
        """Spans of ``text``; see `chunkers.base.Chunker`."""
        levels = [LEVELS[name] for name in self.levels]
        if self.size is None:
            return levels[0].spans(text)
        return pack(text, self.unit.ruler(text), levels, self.size, overlap=self.overlap)
