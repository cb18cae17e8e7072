"""BM25 as others compute it, for comparison with their figures: no stemming, no stop words."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from core.errors import MissingExtra

K1 = 1.2
B = 0.75

_WORD = re.compile(r"\w+")


class PlainBm25:
    """Lucene's BM25 over whole chunks, on `plain_words`.

    Source: Robertson and Zaragoza 2009, section 3.4; idf and normalisation as in Lucene 8
    (Kamphuis et al. 2020), computed by bm25s.

    Raises:
        MissingExtra: bm25s is not installed.
    """

    def __init__(self, chunks: Sequence[str]) -> None:
        try:
            import bm25s
        except ImportError as error:
            raise MissingExtra("retriever bm25 needs bm25s; pip install 'sawyer-rag[eval]'") from error
        words = [plain_words(chunk) for chunk in chunks]
        self._size = len(chunks)
        self._vocabulary = {word for chunk in words for word in chunk}
        self._model = bm25s.BM25(method="lucene", k1=K1, b=B)
        if self._vocabulary:
            self._model.index(words, show_progress=False)

    def rank(self, question: str) -> list[int]:
        """Every chunk, best first; equals, those without a shared word among them, keep text order."""
        known = [word for word in plain_words(question) if word in self._vocabulary]
        scores = self._model.get_scores(known) if known else np.zeros(self._size)
        return [int(at) for at in np.argsort(-scores, kind="stable")]


def plain_words(text: str) -> list[str]:
    """Lower-cased runs of letters, digits and underscores."""
    return _WORD.findall(text.lower())
