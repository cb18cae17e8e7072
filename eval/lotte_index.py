"""Millions of short passages, indexed and ranked in bounded memory, as the service would rank them.

Words are in a tantivy index on the disk, vectors of windows in a file beside it. In memory are, for each
passage, its pid and where its windows start, and one array of scores a query.
"""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from chunkers.windows import window_spans
from core.errors import InvalidValue
from core.protocols import Embedder, Vectors
from eval.datasets.lotte import Topic
from eval.datasets.lotte_files import Passage
from eval.lotte_vectors import VectorFile
from service.lexical import TantivyIndex
from service.retrieval import Fusion, Scores, best_rows
from service.values import RetrieverName

# Called with what has been done so far; one line of text.
Report = Callable[[str], None]

# How many queries go through the vectors together: as many as keep their dense scores below so many bytes.
TOGETHER = 256
SCORE_BYTES = 128 * 2**20
_REPORT_SECONDS = 20


@dataclass(frozen=True)
class PassageIndex:
    """A topic's passages that are not empty; an empty one is never retrieved.

    ``dense``, ``lexical`` and ``hybrid`` score as `service.retrieval.Searcher` does over chunks that are the
    passages; a test holds the two together.

    Attributes:
        pids: (n,) int64, by row, in the order of the collection.
        words: None where the retriever asks for none; its ids are padded rows.
        vectors: None where the retriever asks for none; a group is a passage's windows.
    """

    pids: NDArray[np.int64]
    words: TantivyIndex | None
    vectors: VectorFile | None
    embedder: Embedder | None
    fusion: Fusion

    @staticmethod
    def build(
        topic: Topic,
        directory: Path,
        retriever: RetrieverName,
        embedder: Embedder | None,
        *,
        limit: int | None = None,
        report: Report,
    ) -> PassageIndex:
        """Read the passages once to check them, then once for each engine that the retriever needs.

        Args:
            directory: an empty folder, for as long as the index is used.
            embedder: None with ``lexical`` alone.
            limit: the first so many passages only, for a try.

        Raises:
            InvalidValue: the retriever needs an embedder and there is none.
            NotFound: no collection.
            DataError: a malformed line.
            StoreError: the disk is full.
        """
        if embedder is None and retriever != "lexical":
            raise InvalidValue(f"retriever {retriever} needs an embedder, got none")
        pids = np.array(array("q", (one.pid for one in _filled(topic, limit))), np.int64)
        words = vectors = None
        if retriever != "dense":
            words = TantivyIndex(directory / "words")
            passages = _told(_filled(topic, limit), len(pids), f"{topic.name}: words of", report)
            words.add((f"{row:09d}", one.text) for row, one in enumerate(passages))
        if retriever != "lexical" and embedder is not None:
            passages = _told(_filled(topic, limit), len(pids), f"{topic.name}: vectors of", report)
            windows = (_windows(one.text) for one in passages)
            vectors = VectorFile.write(directory / "vectors.f32", windows, embedder)
        return PassageIndex(pids, words, vectors, embedder, Fusion())

    def rank(self, queries: Sequence[str], places: int) -> Iterator[list[tuple[int, float]]]:
        """For each query the ``places`` best (pid, score), best first; equals in the collection's order."""
        together = min(TOGETHER, max(1, SCORE_BYTES // (4 * max(1, len(self.pids)))))
        for start in range(0, len(queries), together):
            batch = queries[start : start + together]
            for query, dense in zip(batch, self._dense(batch), strict=True):
                scores = self._scores(query, dense)
                yield [(int(self.pids[row]), float(scores[row])) for row in best_rows(scores, places)]

    def _scores(self, query: str, dense: Vectors | None) -> Scores:
        if dense is None:
            return self._bm25(query)
        if self.words is None:
            return dense.astype(np.float64)
        return self.fusion.join(self._bm25(query), dense.astype(np.float64))

    def _bm25(self, query: str) -> Scores:
        scores = np.full(len(self.pids), -np.inf)
        if self.words is not None:
            for row, score in self.words.search(query, self.fusion.depth):
                scores[int(row)] = score
        return scores

    def _dense(self, queries: Sequence[str]) -> Sequence[Vectors | None]:
        if self.vectors is None or self.embedder is None:
            return [None] * len(queries)
        rows = np.array([self.embedder.embed_query(query) for query in queries], np.float32)
        return list(self.vectors.best(rows))


def _filled(topic: Topic, limit: int | None) -> Iterator[Passage]:
    return (passage for passage in islice(topic.passages(), limit) if passage.text.strip())


def _windows(text: str) -> list[str]:
    # Text of characters that only some take for white space has no window; it is one itself.
    return [span.of(text) for span in window_spans(text)] or [text]


def _told(passages: Iterator[Passage], total: int, what: str, report: Report) -> Iterator[Passage]:
    started = told = time.monotonic()
    for done, passage in enumerate(passages, start=1):
        yield passage
        now = time.monotonic()
        if now - told >= _REPORT_SECONDS:
            told = now
            left = (now - started) * (total - done) / done
            rest = f"{left:.0f} seconds" if left < 120 else f"{left / 60:.0f} minutes"
            report(f"{what} {done:,} of {total:,} passages, about {rest} left")
