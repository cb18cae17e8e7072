"""An embedder that embeds each text once, however many chunkers, retrievers and weights ask for it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.protocols import Embedder, Vectors
from service.embedding.around import AroundEmbedder


class RememberingEmbedder(AroundEmbedder):
    """The same vectors as ``inner`` gives; what it has embedded stays in memory as long as it lives."""

    def __init__(self, inner: Embedder) -> None:
        super().__init__(inner)
        self._passages: dict[str, Vectors] = {}
        self._queries: dict[str, Vectors] = {}

    def remember(self, texts: Sequence[str], rows: Vectors) -> None:
        """Take what ``inner`` gave for these texts at another time: they are not embedded again.

        Raises:
            ValueError: there are not as many rows as texts.
        """
        self._passages.update(zip(texts, rows, strict=True))

    def forget(self) -> None:
        """Let go of all that was remembered of passages."""
        self._passages.clear()

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """(n, dim) float32, in the order of ``texts``."""
        new = [text for text in dict.fromkeys(texts) if text not in self._passages]
        if new:
            self._passages.update(zip(new, self._inner.embed_passages(new), strict=True))
        return np.array([self._passages[text] for text in texts], np.float32).reshape(-1, self.dim)

    def embed_query(self, text: str) -> Vectors:
        """(dim,) float32."""
        if text not in self._queries:
            self._queries[text] = self._inner.embed_query(text)
        return self._queries[text]
