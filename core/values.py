"""The values that travel between floors: spans of a text and what is made of them.

Offsets are half-open ranges of Unicode code points into ``Document.text``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.errors import InvalidValue


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A half-open range ``[start, end)`` of code points.

    Raises:
        InvalidValue: unless ``0 <= start <= end``.
    """

    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end:
            raise InvalidValue(f"span must satisfy 0 <= start <= end, got [{self.start}, {self.end})")

    def __len__(self) -> int:
        return self.end - self.start

    def of(self, text: str) -> str:
        """The slice of ``text`` that this span names; the one place where text is cut."""
        return text[self.start : self.end]

    def holds(self, other: Span) -> bool:
        """Whether ``other`` lies wholly inside this span."""
        return self.start <= other.start and other.end <= self.end

    def overlap(self, other: Span) -> int:
        """Number of code points in both spans."""
        return max(0, min(self.end, other.end) - max(self.start, other.start))

    def shifted(self, by: int) -> Span:
        """The same range, ``by`` code points later."""
        return Span(self.start + by, self.end + by)


@dataclass(frozen=True, slots=True)
class Document:
    """A text with a name. ``text`` is the decoded file, unchanged but for a byte-order mark."""

    id: str
    text: str
    title: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Chunk:
    """What is retrieved: ``text == document.text[span.start:span.end]``, always.

    Attributes:
        chapter: the headings above the chunk, outermost first.
        index_text: what the lexical index (and whole-chunk embedding) reads in place of ``text``.
    """

    id: str
    document_id: str
    span: Span
    text: str
    chapter: tuple[str, ...] = ()
    index_text: str | None = None

    @property
    def indexed(self) -> str:
        """What the lexical index reads."""
        return self.text if self.index_text is None else self.index_text

    @property
    def chapter_path(self) -> str:
        """The chapter as JSON and people see it: headings joined by `` / ``."""
        return " / ".join(self.chapter)


@dataclass(frozen=True, slots=True)
class Hit:
    """A retrieved chunk. A higher score is better; ``rank`` counts from 1."""

    chunk: Chunk
    score: float
    rank: int
