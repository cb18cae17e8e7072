"""Public fakes: real behaviour, small and deterministic, in place of what is slow."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.protocols import Similarity, Vectors
from core.text import content_terms


class HashEmbedder:
    """Bag of stemmed words hashed into ``dim`` signed buckets, unit rows: similar words, similar vectors."""

    similarity: Similarity = "cosine"

    def __init__(self, dim: int = 64, name: str = "hash") -> None:
        self.dim = dim
        self.name = name
        self.fingerprint = f"hash-{dim}"
        self.calls = 0

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        self.calls += len(texts)
        rows = [self._row(text) for text in texts]
        return np.array(rows, dtype=np.float32).reshape(len(rows), self.dim)

    def embed_query(self, text: str) -> Vectors:
        return self._row(text)

    def _row(self, text: str) -> NDArray[np.float32]:
        row = np.full(self.dim, 1e-3, dtype=np.float32)
        for term in content_terms(text):
            value = int.from_bytes(hashlib.sha256(term.encode()).digest()[:8], "big")
            row[value % self.dim] += 1.0 if value >> 63 else -1.0
        return (row / np.linalg.norm(row)).astype(np.float32)
