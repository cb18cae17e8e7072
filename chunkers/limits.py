"""Sizes that a content-driven chunker keeps to, whatever the content says."""

from __future__ import annotations

from dataclasses import dataclass

from core.errors import InvalidValue


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of a chunk's size, in the chunker's unit; None sets none.

    Attributes:
        least: a smaller chunk joins a neighbour.
        soft: a larger chunk is cut at its best inner boundary, if it has one between paragraphs.
        hard: a larger chunk is cut in any case: between paragraphs, else sentences, words, clusters.

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
