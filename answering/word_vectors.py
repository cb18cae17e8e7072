"""A vector for each frequent English word, frozen: what alignment, the CNN and the question classes read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.artifacts import Artifact, load, models_directory, save
from core.errors import InvalidValue
from core.protocols import Vectors

NAME = "word_vectors"
_STEPS = 127  # of an int8


@dataclass(frozen=True)
class WordVectors:
    """Rows by word, in the spelling that `core.text.words` gives.

    Attributes:
        rows: word to row.
        matrix: (n + 1, dim) float32; the last row is zero, for words that are not known.
    """

    rows: dict[str, int]
    matrix: Vectors

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return int(self.matrix.shape[1])

    def indices(self, words: Sequence[str]) -> NDArray[np.intp]:
        """(n,) rows of the words; the last row for one that is not known."""
        unknown = len(self.rows)
        return np.array([self.rows.get(word, unknown) for word in words], dtype=np.intp)

    def of(self, words: Sequence[str]) -> Vectors:
        """(n, dim) float32: the words' vectors, zeros for one that is not known."""
        return self.matrix[self.indices(words)]

    def units(self, words: Sequence[str]) -> Vectors:
        """(n, dim) float32: the words' vectors at length 1, zeros for one that is not known."""
        at = self.indices(words)
        return self.matrix[at] / self._lengths[at]

    @cached_property
    def _lengths(self) -> Vectors:
        """(n + 1, 1) float32; 1 for a zero vector, so that it can divide."""
        lengths = np.linalg.norm(self.matrix, axis=1, keepdims=True)
        return np.where(lengths > 0, lengths, np.float32(1))

    def mean(self, words: Sequence[str]) -> NDArray[np.float32]:
        """(dim,) float32: the mean over the words that are known; zeros when none is."""
        known = [self.rows[word] for word in words if word in self.rows]
        if not known:
            return np.zeros(self.dim, dtype=np.float32)
        return np.asarray(np.add.reduce(self.matrix[known], axis=0) / len(known))


def word_vectors(words: Sequence[str], matrix: Vectors) -> WordVectors:
    """The value of words, each once, and their vectors (n, dim).

    Raises:
        InvalidValue: a word stands twice, or there is not one vector a word.
    """
    rows = {word: row for row, word in enumerate(words)}
    if len(rows) != len(words) or matrix.ndim != 2 or len(matrix) != len(words):
        raise InvalidValue(f"each of {len(rows)} words must have one vector, got {matrix.shape}")
    padded = np.concatenate([matrix, np.zeros((1, matrix.shape[1]))])
    return WordVectors(rows, padded.astype(np.float32))


@lru_cache(maxsize=2)
def load_word_vectors(base: Path | None = None) -> WordVectors:
    """Read the artefact, by default the shipped one.

    Raises:
        ArtifactError: see `core.artifacts.load`.
    """
    artifact = load(base or models_directory() / NAME)
    words = artifact.arrays["words"].tobytes().decode("utf-8").split("\n")
    scales = artifact.arrays["scales"].astype(np.float32)
    return word_vectors(words, artifact.arrays["vectors"].astype(np.float32) * scales[:, None])


def save_word_vectors(
    words: Sequence[str], matrix: Vectors, base: Path | None = None, **provenance: object
) -> None:
    """Write words and vectors (n, dim), each row rounded to 255 steps up to its own largest component."""
    largest = np.maximum(np.abs(matrix).max(axis=1), np.finfo(np.float32).tiny)
    scales = (largest / _STEPS).astype(np.float32)
    arrays: dict[str, NDArray[Any]] = {
        "words": np.frombuffer("\n".join(words).encode("utf-8"), dtype=np.uint8),
        "vectors": np.round(matrix / scales[:, None]).astype(np.int8),
        "scales": scales,
    }
    save(base or models_directory() / NAME, Artifact(arrays, {"provenance": provenance}))
