"""The chunker's contract and the only maker of chunks."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from core.values import Span


@runtime_checkable
class Chunker(Protocol):
    """A frozen dataclass whose fields are its whole configuration and whose ``repr`` identifies it."""

    def split(self, text: str) -> list[Span]:
        """Spans of ``text`` whose starts and ends strictly increase and that leave no visible
        character out (gaps hold only white space); blank text gives none.
        """
