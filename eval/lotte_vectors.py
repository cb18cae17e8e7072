"""Vectors of more passages than memory holds: written to a file in batches, compared in blocks, exactly."""

from __future__ import annotations

import contextlib
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from core.errors import StoreError
from core.protocols import Embedder, Vectors

BATCH = 1024  # texts embedded at once
BLOCK_BYTES = 24 * 2**20  # of rows compared at once: 16,384 of MiniLM's


@dataclass(frozen=True, slots=True)
class VectorFile:
    """Rows of float32 in a file, in groups of at least one: a passage's windows.

    Attributes:
        starts: (groups + 1,) int64: the first row of each group, and the number of rows.
    """

    path: Path
    dim: int
    starts: NDArray[np.int64]

    @staticmethod
    def write(
        path: Path, groups: Iterable[Sequence[str]], embedder: Embedder, *, batch: int = BATCH
    ) -> VectorFile:
        """Embed the texts of every group, in order, about ``batch`` at once.

        Raises:
            StoreError: the file cannot be written.
        """
        starts = array("q", [0])
        waiting: list[str] = []
        with _writing(path) as stream:
            for texts in groups:
                waiting += texts
                starts.append(starts[-1] + len(texts))
                if len(waiting) >= batch:
                    stream.write(embedder.embed_passages(waiting).tobytes())
                    waiting.clear()
            if waiting:
                stream.write(embedder.embed_passages(waiting).tobytes())
        return VectorFile(path, embedder.dim, np.array(starts, np.int64))

    def best(self, queries: Vectors, *, block_bytes: int = BLOCK_BYTES) -> NDArray[np.float32]:
        """(queries, groups): the similarity of each group's best row.

        Args:
            queries: (queries, dim) float32.
            block_bytes: of rows compared at once; a group stays whole.
        """
        found = np.empty((len(queries), len(self.starts) - 1), np.float32)
        for first, last, rows in self._blocks(block_bytes // (4 * self.dim)):
            similarities = queries @ rows.T  # (queries, rows)
            within = self.starts[first:last] - self.starts[first]
            found[:, first:last] = np.maximum.reduceat(similarities, within, axis=1)
        return found

    def _blocks(self, size: int) -> Iterator[tuple[int, int, Vectors]]:
        """First group, the one after the last, and their rows."""
        first = 0
        # Read rather than mapped: what a mapping touches counts as this process's memory.
        with self.path.open("rb") as stream:
            while first < len(self.starts) - 1:
                full = int(np.searchsorted(self.starts, self.starts[first] + size, side="right")) - 1
                last = max(first + 1, full)
                count = int(self.starts[last] - self.starts[first])
                rows = np.fromfile(stream, np.float32, count * self.dim).reshape(count, self.dim)
                yield first, last, rows
                first = last


@contextlib.contextmanager
def _writing(path: Path) -> Iterator[BinaryIO]:
    try:
        with path.open("wb") as stream:
            yield stream
    except OSError as error:
        raise StoreError(
            f"vectors cannot be written to {path} ({error.strerror}); free disk space, or set TMPDIR to a "
            "folder that has it"
        ) from error
