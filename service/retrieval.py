"""From a question to ranked chunks: dense, lexical, or both fused.

A chunk's dense score is that of its best window; its lexical score is BM25 over its stems. Evaluation
and the service rank with the same `Searcher`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from core.errors import InvalidValue
from core.protocols import Embedder, Vectors
from service.lexical import LexicalIndex
from service.stores import ChunkTable
from service.values import RetrieverName

Scores = NDArray[np.float64]

# (query vector, n) -> [(window id, similarity)], best first: what a large collection asks of its HNSW.
Nearest = Callable[[Vectors, int], list[tuple[str, float]]]

RETRIEVERS: tuple[RetrieverName, ...] = get_args(RetrieverName)


@dataclass(frozen=True, slots=True)
class Fusion:
    """``score = w * z(lexical) + (1 - w) * z(dense)``, z being the standard score within the collection.

    Ranks are not fused: reciprocal rank fusion lets a weak ranking drown a strong one, because it
    forgets by how much each of them prefers its first (docs/decisions/0002-fusion.md).

    Attributes:
        lexical_weight: w in [0, 1].
        depth: how many chunks the lexical index is asked for, and how many windows HNSW is.
    """

    lexical_weight: float = 0.6
    depth: int = 1000

    def join(self, lexical: Scores, dense: Scores) -> Scores:
        """(n,): both rankings of the same n chunks as one. A score that is absent is -inf."""
        weight = self.lexical_weight
        return weight * _standardised(lexical, missing=0.0) + (1 - weight) * _standardised(dense)


class Searcher:
    """One collection as it stood at ``table.revision``, ready to be searched from any thread."""

    def __init__(
        self,
        table: ChunkTable,
        lexical: LexicalIndex,
        embedder: Embedder,
        *,
        nearest: Nearest | None = None,
        fusion: Fusion | None = None,
    ) -> None:
        self.table = table
        self._lexical = lexical
        self._embedder = embedder
        self._nearest = nearest
        self._fusion = fusion or Fusion()
        self._rows = {chunk_id: row for row, chunk_id in enumerate(table.chunk_ids)}
        by_chunk = (
            table.pairs[np.argsort(table.pairs[:, 1], kind="stable")] if len(table.pairs) else table.pairs
        )
        self._windows = by_chunk[:, 0]
        self._chunks, self._starts = np.unique(by_chunk[:, 1], return_index=True)

    def search(self, question: str, k: int, retriever: RetrieverName) -> list[tuple[str, float]]:
        """The ``k`` best chunk ids with their scores, best first; equals keep reading order.

        Chunks that nothing speaks for (no shared word, under ``lexical``) are not returned.
        """
        scores = self.scores(question, retriever)
        return [(self.table.chunk_ids[row], float(scores[row])) for row in best_rows(scores, k)]

    def scores(self, question: str, retriever: RetrieverName) -> Scores:
        """(n_chunks,): one score a chunk of the table, -inf where there is none."""
        if not len(self.table.chunk_ids):
            return np.empty(0)
        if retriever == "dense":
            return self._dense(question)
        if retriever == "lexical":
            return self._bm25(question)
        if retriever == "hybrid":
            return self._fusion.join(self._bm25(question), self._dense(question))
        raise InvalidValue(f"retriever must be one of {', '.join(RETRIEVERS)}, got {retriever!r}")

    def _bm25(self, question: str) -> Scores:
        scores = np.full(len(self._rows), -np.inf)
        for chunk_id, score in self._lexical.search(question, self._fusion.depth):
            row = self._rows.get(chunk_id)
            if row is not None:  # else: of a generation that is hidden and not yet purged
                scores[row] = score
        return scores

    def _dense(self, question: str) -> Scores:
        query = self._embedder.embed_query(question)
        scores = np.full(len(self._rows), -np.inf)
        if self.table.vectors is not None:
            similarities = (self.table.vectors @ query).astype(np.float64)
        else:
            similarities = self._approximate(query)
        if len(self._chunks):
            scores[self._chunks] = np.maximum.reduceat(similarities[self._windows], self._starts)
        return scores

    def _approximate(self, query: Vectors) -> Scores:
        if self._nearest is None:
            raise InvalidValue("a table without vectors needs `nearest`, got None")
        found = dict(self._nearest(query, self._fusion.depth))
        return np.array([found.get(window_id, -np.inf) for window_id in self.table.window_ids])


def best_rows(scores: Scores, k: int) -> NDArray[np.intp]:
    """The places of the ``k`` highest scores, best first; equals keep their order, -inf is left out."""
    found = np.flatnonzero(np.isfinite(scores))
    if len(found) > k:
        # Everything that ties with the k-th stays in, so that the stable sort decides.
        kth = np.partition(scores[found], len(found) - k)[len(found) - k]
        found = found[scores[found] >= kth]
    return found[np.argsort(-scores[found], kind="stable")][:k]


def _standardised(scores: Scores, *, missing: float | None = None) -> Scores:
    """Mean 0, deviation 1. Absent scores count as ``missing``, by default as the lowest one present."""
    present = scores[np.isfinite(scores)]
    if not len(present):
        return np.zeros_like(scores)
    filled = np.where(np.isfinite(scores), scores, present.min() if missing is None else missing)
    deviation = float(filled.std())
    return (filled - filled.mean()) / deviation if deviation > 0 else np.zeros_like(filled)
