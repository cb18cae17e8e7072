"""When neighbouring sentences part: rules over their vectors, read in one pass."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from core.errors import InvalidValue
from core.protocols import Vectors

# Rows of one chunk that a sentence is compared with at most, so that time stays linear in the text.
_MOST_COMPARED = 256


class SemanticRule(Protocol):
    """A frozen dataclass that its ``repr`` identifies, as a chunker is."""

    def strengths(self, batches: Iterable[Vectors]) -> NDArray[np.float64]:
        """(n,) how strongly the content parts right before each unit: above 0 it is cut there.

        Index 0 is meaningless: -inf. Only a bounded number of rows is kept while reading.

        Args:
            batches: (m, dim) vectors of neighbouring units, in reading order; n rows in all.

        Raises:
            InvalidValue: a vector that is not finite.
        """


@dataclass(frozen=True, slots=True)
class Percentile:
    """Cut where neighbours are further apart than ``percent`` of all neighbours in the text.

    The strength is the cosine distance of both, less the threshold.

    Raises:
        InvalidValue: unless ``0 < percent < 100``.

    Source: Kamradt 2023, "5 levels of text splitting", level 4, and LangChain's SemanticChunker, whose
        default of 95 this is.
    """

    percent: float = 95

    def __post_init__(self) -> None:
        if not 0 < self.percent < 100:
            raise InvalidValue(f"percent must be in (0, 100), got {self.percent}")

    def __str__(self) -> str:
        return f"two are further apart than {self.percent:g} % of neighbours"

    def strengths(self, batches: Iterable[Vectors]) -> NDArray[np.float64]:
        """See `SemanticRule`."""
        parts: list[NDArray[np.float64]] = []
        last: NDArray[np.float64] | None = None  # (1, dim)
        for rows in _unit_batches(batches):
            before = rows[:-1] if last is None else np.vstack([last, rows[:-1]])
            after = rows[1:] if last is None else rows
            parts.append(1 - np.einsum("ij,ij->i", before, after))
            last = rows[-1:]
        if last is None:
            return np.empty(0)
        distances = np.concatenate(parts)  # (n - 1,)
        if not len(distances):
            return np.array([-np.inf])
        return np.concatenate([[-np.inf], distances - np.percentile(distances, self.percent)])


@dataclass(frozen=True, slots=True)
class MaxMin:
    """Cut where a sentence is less like any in the chunk than the chunk's most unlike two are.

    A sentence joins when its greatest similarity to the chunk's sentences exceeds both ``floor`` and
    ``scale * sigmoid(sentences - 1)`` times the least similarity inside the chunk; the second one joins
    the first when ``first`` times their similarity exceeds ``floor``. The strength is what it falls short.

    Attributes:
        floor: how alike sentences of one chunk are at the least; depends on the embedder.
        scale: the share of the least similarity that is asked for.
        first: two sentences alone say little of a chunk, so that their similarity counts for more.

    Raises:
        InvalidValue: unless ``-1 <= floor <= 1``, ``scale >= 0`` and ``first > 0``.

    Source: Kiss, Nagy and Szilágyi 2025, "Max-Min semantic chunking of documents for RAG application",
        Discover Computing 28, algorithm 1: ``scale`` is its c, ``first`` its init_const, ``floor`` its
        hard_thr, with the published values. A sentence is compared with the last 256 of its chunk at most,
        and is embedded with its neighbours, without which few reach the floor.
    """

    floor: float = 0.6
    scale: float = 0.9
    first: float = 1.5

    def __post_init__(self) -> None:
        if not (-1 <= self.floor <= 1 and self.scale >= 0 and self.first > 0):
            raise InvalidValue(
                "floor must be in [-1, 1], scale at least 0 and first above 0, got "
                f"floor {self.floor}, scale {self.scale}, first {self.first}"
            )

    def __str__(self) -> str:
        return f"one is less like its chunk than the chunk's most unlike two, or than {self.floor:g}"

    def strengths(self, batches: Iterable[Vectors]) -> NDArray[np.float64]:
        """See `SemanticRule`."""
        found: list[float] = []
        chunk = _Chunk()
        for rows in _unit_batches(batches):
            for row in rows:
                alike = chunk.alike(row)
                strength = self._shortfall(chunk, max(alike)) if alike else -np.inf
                if strength > 0:
                    chunk, alike = _Chunk(), []
                chunk.append(row, alike)
                found.append(strength)
        return np.array(found)

    def _shortfall(self, chunk: _Chunk, most_alike: float) -> float:
        if chunk.size == 1:
            return max(0.0, self.floor) - self.first * most_alike
        asked = self.scale * chunk.least / (1 + np.exp(1 - chunk.size))
        return float(max(asked, self.floor)) - most_alike


class _Chunk:
    """A growing chunk: its last 256 rows, in any order, and how alike its most unlike two are."""

    def __init__(self) -> None:
        self.size = 0
        self.least = np.inf
        self._ring = np.empty((0, 0))

    def alike(self, row: NDArray[np.float64]) -> list[float]:
        """Similarities of a row to those kept, (min(size, 256),)."""
        similarities: list[float] = (self._ring[: self.size] @ row).tolist() if self.size else []
        return similarities

    def append(self, row: NDArray[np.float64], alike: Sequence[float]) -> None:
        """Add a row, in place of the oldest when 256 are kept; ``alike`` is what `alike` gives for it."""
        if self.size == len(self._ring) < _MOST_COMPARED:
            grown = np.empty((max(8, 2 * self.size), len(row)))
            if self.size:
                grown[: self.size] = self._ring
            self._ring = grown
        self._ring[self.size % _MOST_COMPARED] = row
        self.size += 1
        self.least = min([self.least, *alike])


def _unit_batches(batches: Iterable[Vectors]) -> Iterator[NDArray[np.float64]]:
    """The same rows at length 1 (a zero row stays zero), whatever the embedder's similarity; none empty."""
    for batch in batches:
        if not np.isfinite(batch).all():
            raise InvalidValue("vectors must be finite, got NaN or infinity from the embedder")
        if len(batch):
            wide = batch.astype(np.float64)
            lengths = np.linalg.norm(wide, axis=1, keepdims=True)  # (m, 1)
            yield wide / np.where(lengths > 0, lengths, 1)
