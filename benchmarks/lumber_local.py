"""What lumber[local] takes beyond the embedding of a text that its index needs anyway.

    python -m benchmarks.lumber_local --data DIR            *A Christmas Carol* and *Emma*
    python -m benchmarks.lumber_local --text FILE [FILE...]

"embedding" is the seconds for the vectors of the text's windows, "beyond" those for all else from the text to
its chunks: reading, features, model, limits. The picker is given the vectors, as ingest gives it them, and
the run fails if it asks for another one. Figures are medians over rounds, taken in turn; the run also fails
when "share", beyond to embedding, is over 15 % for any text.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from time import perf_counter

import chunkers
from chunkers.recipe import Models
from chunkers.windows import window_spans
from core.protocols import Embedder
from service.embedding import build_embedder
from service.embedding.remembering import RememberingEmbedder

BOOKS = ("A_Christmas_Carol_-_Charles_Dickens.md", "Emma_-_Jane_Austen.md")
MOST = 0.15
HEAD = ("text", "M chars", "windows", "chunks", "embedding, s", "beyond, s", "share")


def measure(text: str, embedder: Embedder, rounds: int) -> tuple[list[float], list[float], int, int]:
    """Seconds a round of embedding and of all else; numbers of windows and chunks."""
    windows = [span.of(text) for span in window_spans(text)]
    embedding: list[float] = []
    beyond: list[float] = []
    chunks: Sequence[object] = ()
    for _ in range(rounds):
        begun = perf_counter()
        vectors = embedder.embed_passages(windows)
        embedding.append(perf_counter() - begun)

        known = RememberingEmbedder(_Silent(embedder))
        known.remember(windows, vectors)
        chunker = chunkers.build("lumber", models=Models(embedder=known, picker="local"))
        begun = perf_counter()
        chunks = chunker.split(text)
        beyond.append(perf_counter() - begun)
    return embedding, beyond, len(windows), len(chunks)


class _Silent:
    """The embedder's names, and no vectors."""

    def __init__(self, named: Embedder) -> None:
        self.name, self.dim, self.fingerprint = named.name, named.dim, named.fingerprint
        self.similarity = named.similarity

    def embed_passages(self, texts: Sequence[str]) -> object:
        raise AssertionError(f"a text besides the windows is embedded: {texts[0]!r}")

    def embed_query(self, text: str) -> object:
        raise AssertionError(f"a question is embedded: {text!r}")


def main() -> int:
    """Print the table; 1 when a share is too large."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--text", nargs="+", type=Path, metavar="FILE", help="texts to cut")
    source.add_argument("--data", type=Path, metavar="DIR", help="the data folder, or its books/")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    paths = arguments.text
    if paths is None:
        folder = arguments.data / "books" if (arguments.data / "books").is_dir() else arguments.data
        paths = [folder / name for name in BOOKS]

    embedder = build_embedder("minilm")
    warm = "It rained all day long, and nobody came."
    measure(warm, embedder, 1)  # load what is loaded once
    print("| " + " | ".join(HEAD) + " |")
    print("|---|" + "---:|" * (len(HEAD) - 1))
    worst = 0.0
    for path in paths:
        text = path.read_bytes().decode("utf-8")
        embedding, beyond, windows, chunks = measure(text, embedder, arguments.rounds)
        share = median(beyond) / median(embedding)
        worst = max(worst, share)
        row = (
            path.stem.split("_-_")[0].replace("_", " "),
            f"{len(text) / 1e6:.1f}",
            f"{windows:,}",
            f"{chunks:,}",
            f"{median(embedding):.2f}",
            f"{median(beyond):.2f}",
            f"{share:.1%}",
        )
        print("| " + " | ".join(row) + " |", flush=True)
    print(f"\nlargest share: {worst:.1%} (at most {MOST:.0%} is asked for)")
    return 0 if worst <= MOST else 1


if __name__ == "__main__":
    sys.exit(main())
