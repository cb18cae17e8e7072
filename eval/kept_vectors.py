"""An embedder whose passages' vectors are kept on disk, and which says what they cost."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from core.identity import digest
from core.protocols import Embedder, Vectors
from eval.costs import Cost
from eval.formulas import TOKENS_PER_WORD
from eval.keeping import Shelf
from service.embedding.around import AroundEmbedder


class KeptVectors(AroundEmbedder):
    """The same vectors as ``inner`` gives; a list of passages is embedded once, by whoever is first.

    A question is embedded anew: to keep so little takes longer than to make it.

    Args:
        shelf: None keeps nothing and only counts the cost.
    """

    def __init__(self, inner: Embedder, shelf: Shelf | None) -> None:
        super().__init__(inner)
        self._shelf = shelf
        self.cost = Cost()

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """(n, dim) float32, in the order of ``texts``."""
        if self._shelf is None:
            rows, seconds = _timed(lambda: self._inner.embed_passages(texts))
        else:
            rows, seconds = self._from_shelf(self._shelf, texts)
        self._count(texts, seconds)
        return rows

    def embed_query(self, text: str) -> Vectors:
        """(dim,) float32."""
        row, seconds = _timed(lambda: self._inner.embed_query(text))
        self._count([text], seconds)
        return row

    def _count(self, texts: Sequence[str], seconds: float) -> None:
        words = sum(len(text.split()) for text in texts)
        self.cost += Cost(seconds, len(texts), round(TOKENS_PER_WORD * words))

    def _from_shelf(self, shelf: Shelf, texts: Sequence[str]) -> tuple[Vectors, float]:
        key = digest("passages", self.fingerprint, *texts)
        found = shelf.read_rows(key)
        if found is None:
            with shelf.alone(key):  # another process may have been first
                found = shelf.read_rows(key) or self._keep(shelf, key, texts)
        rows, said = found
        return rows, float(said["seconds"])

    def _keep(self, shelf: Shelf, key: str, texts: Sequence[str]) -> tuple[Vectors, dict[str, Any]]:
        rows, seconds = _timed(lambda: self._inner.embed_passages(texts))
        shelf.write_rows(key, rows, {"seconds": seconds})
        return rows, {"seconds": seconds}


def _timed(embed: Callable[[], Vectors]) -> tuple[Vectors, float]:
    started = time.perf_counter()
    rows = embed()
    return rows, time.perf_counter() - started
