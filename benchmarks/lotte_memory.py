"""What a collection in LoTTE's layout costs in memory, disk and time, by its number of passages.

Passages are drawn from a Zipfian vocabulary, vectors from their text's checksum: what is measured is how the
index grows, not the embedder. Each line is a process of its own; ``resident`` is its peak, which counts what
it maps of the lexical index on the disk.

    python -m benchmarks.lotte_memory [--passages N [N ...]] [--words 100] [--retriever lexical dense hybrid]

LoTTE pooled is ``--passages 2400000``.
"""

from __future__ import annotations

import argparse
import multiprocessing
import tempfile
import time
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.peak import peak_memory
from core.protocols import Similarity, Vectors
from eval.datasets.lotte import TopicFolder
from eval.lotte_index import PassageIndex
from service.retrieval import RETRIEVERS
from service.values import RetrieverName

VOCABULARY = 200_000
QUERIES = 64
PLACES = 100
_SHARE = 5_000  # passages drawn at once


@dataclass(frozen=True, slots=True)
class Cost:
    """What indexing and ranking took; sizes in bytes, times in seconds."""

    passages: int
    retriever: RetrieverName
    resident: int
    disk: int
    indexing: float
    ranking: float


class DrawnEmbedder:
    """Unit vectors drawn from a text's checksum: as large as MiniLM's, and nearly free."""

    name = "drawn"
    dim = 384
    fingerprint = "drawn-384"
    similarity: Similarity = "cosine"

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """(n, 384) float32."""
        return np.array([self.embed_query(text) for text in texts], np.float32).reshape(len(texts), self.dim)

    def embed_query(self, text: str) -> Vectors:
        """(384,) float32."""
        row = np.random.default_rng(zlib.crc32(text.encode())).standard_normal(self.dim, np.float32)
        return row / np.linalg.norm(row)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--passages", type=int, nargs="+", default=[25_000, 50_000, 100_000])
    parser.add_argument("--words", type=int, default=100, help="words a passage (default: 100)")
    parser.add_argument("--retriever", nargs="+", choices=RETRIEVERS, default=list(RETRIEVERS))
    options = parser.parse_args()
    print("| passages | retriever | resident, MiB | disk, MiB | indexing, s | ranking, s a query |")
    print("|---:|---|---:|---:|---:|---:|")
    for passages in options.passages:
        with tempfile.TemporaryDirectory(prefix="sawyer-lotte-") as directory:
            folder = Path(directory) / "drawn" / "dev"
            write_collection(folder, passages, options.words)
            for retriever in options.retriever:
                cost = measure(folder, passages, retriever)
                print(
                    f"| {cost.passages:,} | {cost.retriever} | {cost.resident / 2**20:,.0f} "
                    f"| {cost.disk / 2**20:,.0f} | {cost.indexing:,.0f} | {cost.ranking / QUERIES:.3f} |",
                    flush=True,
                )


def write_collection(folder: Path, passages: int, words: int) -> None:
    """A ``collection.tsv`` of drawn passages."""
    folder.mkdir(parents=True)
    with (folder / "collection.tsv").open("w", encoding="utf-8") as stream:
        for pid, text in enumerate(_drawn_texts(passages, words, seed=1)):
            stream.write(f"{pid}\t{text}\n")


def measure(folder: Path, passages: int, retriever: RetrieverName) -> Cost:
    """Index the collection and rank a few queries, in a new process."""
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        return pool.apply(_cost, (folder, passages, retriever))


def _cost(folder: Path, passages: int, retriever: RetrieverName) -> Cost:
    queries = list(_drawn_texts(QUERIES, 6, seed=2))
    with tempfile.TemporaryDirectory(prefix="sawyer-lotte-") as directory:
        started = time.perf_counter()
        topic = TopicFolder("drawn", "dev", folder)
        index = PassageIndex.build(topic, Path(directory), retriever, DrawnEmbedder(), report=_unheard)
        indexed = time.perf_counter()
        ranked = sum(len(ranking) for ranking in index.rank(queries, PLACES))
        done = time.perf_counter()
        if not ranked:
            raise AssertionError("a query must find something, or ranking was not measured")
        disk = sum(path.stat().st_size for path in Path(directory).rglob("*") if path.is_file())
    return Cost(passages, retriever, peak_memory(), disk, indexed - started, done - indexed)


def _drawn_texts(count: int, words: int, *, seed: int) -> Iterator[str]:
    generator = np.random.default_rng(seed)
    vocabulary = np.array([_word(place) for place in range(VOCABULARY)])
    weights = 1 / np.arange(1, VOCABULARY + 1)
    bounds = np.cumsum(weights / weights.sum())
    for start in range(0, count, _SHARE):
        share = min(_SHARE, count - start)
        places = np.searchsorted(bounds, generator.random((share, words)), side="right")
        for row in vocabulary[np.minimum(places, VOCABULARY - 1)]:
            halves = " ".join(row[: words // 2]), " ".join(row[words // 2 :])
            yield ". ".join(half.capitalize() for half in halves) + "."


def _word(place: int) -> str:
    """A pronounceable word for a number, so that sentences, words and tokens are cut as they would be."""
    consonants, vowels = "bdfgklmnprstvz", "aeiou"
    word = ""
    while place or not word:
        place, syllable = divmod(place, len(consonants) * len(vowels))
        word += consonants[syllable // len(vowels)] + vowels[syllable % len(vowels)]
    return word


def _unheard(line: str) -> None:
    """A benchmark's progress is its table."""


if __name__ == "__main__":
    main()
