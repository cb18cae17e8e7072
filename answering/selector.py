"""How well a sentence answers a question, first form: shared rare words and likeness of meaning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from answering.counts import weighted_overlap
from core.protocols import Embedder
from core.text import IdfTable

# Chosen on FairytaleQA train by `python -m eval.train trigger`, which prints the whole curve.
SIMILARITY_WEIGHT = 1.0


@dataclass(frozen=True)
class OverlapSelector:
    """A Scorer: ``overlap + similarity_weight * similarity``.

    Attributes:
        idf: term weights of the collection that is asked.
        similarity_weight: what one unit of cosine is worth in shares of the question's idf mass.
    """

    embedder: Embedder
    idf: IdfTable
    similarity_weight: float = SIMILARITY_WEIGHT

    def score(self, question: str, texts: Sequence[str]) -> NDArray[np.float64]:
        """(n,): higher is better; a text that shares no word may still win by its meaning."""
        if not texts:
            return np.empty(0)
        vectors = self.embedder.embed_passages(texts).astype(np.float64)
        similarity = vectors @ self.embedder.embed_query(question).astype(np.float64)
        return weighted_overlap(question, texts, self.idf) + self.similarity_weight * similarity
