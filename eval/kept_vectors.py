"""An embedder whose vectors are kept on disk, and which says what they cost."""

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
    """The same vectors as ``inner`` gives; each list of texts is embedded once, by the process that is first.

    Args:
        shelf: None keeps nothing and only counts the cost.
    """

    def __init__(self, inner: Embedder, shelf: Shelf | None) -> None:
        super().__init__(inner)
        self._shelf = shelf
        self.cost = Cost()

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """(n, dim) float32, in the order of ``texts``."""
        return self._kept("passages", texts, lambda: self._inner.embed_passages(texts))

    def embed_query(self, text: str) -> Vectors:
        """(dim,) float32."""
        return self._kept("query", [text], lambda: self._inner.embed_query(text))

    def _kept(self, kind: str, texts: Sequence[str], embed: Callable[[], Vectors]) -> Vectors:
        if self._shelf is None:
            rows, seconds = _timed(embed)
        else:
            rows, seconds = self._from_shelf(self._shelf, digest(kind, self.fingerprint, *texts), embed)
        words = sum(len(text.split()) for text in texts)
        self.cost += Cost(seconds, len(texts), round(TOKENS_PER_WORD * words))
        return rows

    def _from_shelf(self, shelf: Shelf, key: str, embed: Callable[[], Vectors]) -> tuple[Vectors, float]:
        found = shelf.read_rows(key)
        if found is None:
            with shelf.alone(key):
                found = shelf.read_rows(key) or _keep(
                    shelf, key, embed
                )  # another process may have been first
        rows, said = found
        return rows, float(said["seconds"])


def _keep(shelf: Shelf, key: str, embed: Callable[[], Vectors]) -> tuple[Vectors, dict[str, Any]]:
    rows, seconds = _timed(embed)
    shelf.write_rows(key, rows, {"seconds": seconds})
    return rows, {"seconds": seconds}


def _timed(embed: Callable[[], Vectors]) -> tuple[Vectors, float]:
    started = time.perf_counter()
    rows = embed()
    return rows, time.perf_counter() - started
