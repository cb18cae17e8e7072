"""An embedder that embeds a sentence once while the collection stays as it is."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock

import numpy as np

from core.protocols import Embedder, Vectors
from service.embedding.around import AroundEmbedder

SENTENCES_KEPT = 4096  # a vector each, 6 MB of the default embedder's


class SentenceEmbedder(AroundEmbedder):
    """The same vectors as ``inner`` gives; those of the last `SENTENCES_KEPT` passages stay in memory.

    They stay until `forget`, which whoever deletes a text must call. Any number of threads use it.
    """

    def __init__(self, inner: Embedder) -> None:
        super().__init__(inner)
        self._rows: dict[str, Vectors] = {}  # the longest remembered first
        self._lock = Lock()

    def forget(self) -> None:
        """Let go of all that was remembered."""
        with self._lock:
            self._rows.clear()

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """(n, dim) float32, in the order of ``texts``."""
        known = {text: row for text in texts if (row := self._rows.get(text)) is not None}
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if new:
            made = dict(zip(new, self._inner.embed_passages(new), strict=True))
            known |= made
            with self._lock:
                self._rows |= made
                for text in list(self._rows)[: max(0, len(self._rows) - SENTENCES_KEPT)]:
                    del self._rows[text]
        return np.array([known[text] for text in texts], np.float32).reshape(-1, self.dim)

    def embed_query(self, text: str) -> Vectors:
        """(dim,) float32."""
        return self._inner.embed_query(text)
