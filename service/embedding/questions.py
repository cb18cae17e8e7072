"""An embedder that embeds a question once, though the search and the selector both ask for its vector."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from core.protocols import Embedder, Vectors
from service.embedding.around import AroundEmbedder

QUESTIONS_KEPT = 64  # more than are asked at a time; each is one vector


class QuestionEmbedder(AroundEmbedder):
    """The same vectors as ``inner`` gives; those of the last `QUESTIONS_KEPT` questions stay in memory.

    Passages are not remembered: what is deleted must be forgotten.
    """

    def __init__(self, inner: Embedder) -> None:
        super().__init__(inner)
        self._query = lru_cache(maxsize=QUESTIONS_KEPT)(inner.embed_query)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """(n, dim) float32, in the order of ``texts``."""
        return self._inner.embed_passages(texts)

    def embed_query(self, text: str) -> Vectors:
        """(dim,) float32."""
        return self._query(text)
