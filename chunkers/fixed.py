"""Every n characters, words or tokens, whatever the text says there."""

from __future__ import annotations

from dataclasses import dataclass, field

from chunkers.boundaries import LEVELS
from chunkers.packing import check_sizes, pack
from chunkers.sizes import Characters, Size
from core.values import Span


@dataclass(frozen=True, slots=True)
class Fixed:
    """Chunks of ``size`` units, each repeating the last ``overlap`` units of the one before.

    Characters are counted to the code point, but no grapheme cluster is cut; words and tokens are cut
    at words, and inside a word only where it alone has more tokens than ``size``. White space at a
    chunk's ends is left out.

    Raises:
        InvalidValue: unless ``size >= 1`` and ``0 <= overlap < size``.
    """

    size: int
    unit: Size = field(default_factory=Characters)
    overlap: int = 0

    def __post_init__(self) -> None:
        check_sizes(self.size, self.unit, self.overlap)

    def __str__(self) -> str:
        return f"every {self.size:,} {self.unit.unit}, overlap {self.overlap:,}"

    def split(self, text: str) -> list[Span]:
        """Spans of ``text``; see `chunkers.base.Chunker`."""
        levels = () if isinstance(self.unit, Characters) else (LEVELS["word"],)
        return pack(text, self.unit.ruler(text), levels, self.size, overlap=self.overlap)
