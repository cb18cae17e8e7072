"""Which way of joining lexical and dense scores ranks best: the table behind docs/decisions/0002-fusion.md.

FairytaleQA's stories are joined into texts of a book's length and cut by the default chunker; a chunk is
relevant when it overlaps at least half of the shorter of itself and a gold section.

    python -m benchmarks.fusion --data DIR [--split val|train] [--limit N]
"""

from __future__ import annotations

import argparse
import math
import random
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import chunkers
from core.protocols import Embedder
from core.values import Span
from eval.chunked import cut_book
from eval.command import Command
from eval.datasets.base import locate
from eval.datasets.fairytaleqa import FAIRYTALEQA, read_stories, read_training_stories
from eval.joined import JoinedText, join
from eval.rankers import BookRankers
from service.embedding import build_embedder
from service.embedding.remembering import RememberingEmbedder
from service.retrieval import Fusion, Scores

WEIGHTS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8)


def main(given: Sequence[str] | None = None) -> int:
    """Print the table; the exit code."""
    command = Command.of("python -m benchmarks.fusion", given)
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--split", choices=("val", "train"), default="val")
    parser.add_argument("--limit", type=int, default=1025, help="questions, drawn evenly (seed 1)")
    arguments = parser.parse_args(command.given)
    return command.run(arguments, lambda: _run(arguments))


def _run(arguments: argparse.Namespace) -> None:
    folder = locate(FAIRYTALEQA, arguments.data).folder
    read = read_training_stories if arguments.split == "train" else read_stories
    embedder = RememberingEmbedder(build_embedder("minilm"))
    gains: dict[str, list[float]] = {}
    for text in join(read(folder, arguments.split)):
        for name, gain in _gains(text, embedder, arguments.limit):
            gains.setdefault(name, []).append(gain)
    questions = len(next(iter(gains.values())))
    print(f"FairytaleQA {arguments.split}, {questions} questions\n\n| ranking | DCG@20 |\n|---|---:|")
    for name, values in gains.items():
        print(f"| {name} | {100 * np.mean(values):.1f} |")


def _gains(text: JoinedText, embedder: Embedder, limit: int) -> list[tuple[str, float]]:
    book = cut_book(text.name, text.text, chunkers.build("recursive"))
    searcher = BookRankers(book, embedder).searcher()
    chosen = random.Random(1).sample(text.questions, min(limit, len(text.questions)))
    found = []
    for asked in chosen:
        relevant = _relevant(book.spans or (), asked.sections)
        question = asked.question.text
        lexical, dense = searcher.scores(question, "lexical"), searcher.scores(question, "dense")
        rankings = {"lexical": lexical, "dense": dense, **_fused(np.maximum(lexical, 0.0), dense)}
        rankings["hybrid, as shipped"] = searcher.scores(question, "hybrid")
        found += [(name, _dcg(scores, relevant)) for name, scores in rankings.items()]
    return found


def _fused(lexical: Scores, dense: Scores) -> dict[str, Scores]:
    rank_sum = 1 / (60 + _ranks(lexical)) + 1 / (60 + _ranks(dense))
    return {
        "reciprocal ranks (k = 60)": rank_sum,
        "sum of scores scaled to [0, 1]": _unit(lexical) + _unit(dense),
        **{f"standard scores, w = {w}": Fusion(w).join(lexical, dense) for w in WEIGHTS},
    }


def _ranks(scores: Scores) -> NDArray[np.int64]:
    return np.argsort(np.argsort(-scores, kind="stable"))


def _unit(scores: Scores) -> Scores:
    return (scores - scores.min()) / (np.ptp(scores) or 1.0)


def _relevant(chunks: Sequence[Span], sections: Sequence[Span]) -> set[int]:
    return {
        place
        for place, chunk in enumerate(chunks)
        for section in sections
        if 2 * chunk.overlap(section) >= min(len(chunk), len(section))
    }


def _dcg(scores: Scores, relevant: set[int]) -> float:
    order = np.argsort(-scores, kind="stable")[:20]
    return next((1 / math.log2(rank + 2) for rank, place in enumerate(order) if int(place) in relevant), 0.0)


if __name__ == "__main__":
    sys.exit(main())
