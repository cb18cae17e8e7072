"""A process that takes one endless line through the pipeline, all but the embedding, and says what it cost.

    python -m tests.support.long_line_worker DIRECTORY SHAPE MEGABYTES

One line of JSON on standard output: seconds by stage, the largest memory in megabytes, and whether the
sentence at the very end is found. The embedder is a digest, so that what is measured is all the rest.
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.peak import peak_memory
from core.protocols import Similarity, Vectors
from service.values import Source
from tests.support.pipelines import pipeline

SHAPES = {
    "words": "word ",
    "sentences": "The harbour lay still under a pewter sky. ",
    "chinese": "海上生明月",
}
LAST = {
    "words": " The xylograph was carved by Tobias.",
    "sentences": "The xylograph was carved by Tobias.",
    "chinese": "。木刻是托拜厄斯雕的。",
}
QUESTION = {"chinese": "木刻是谁雕的？"}


class DigestEmbedder:
    """Eight numbers from a digest of the text: unit rows that mean nothing and cost nothing."""

    name = "digest"
    dim = 8
    fingerprint = "digest-8"
    similarity: Similarity = "cosine"

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        digests = b"".join(hashlib.sha256(text.encode()).digest()[: self.dim] for text in texts)
        rows = np.frombuffer(digests, dtype=np.uint8).reshape(len(texts), self.dim) - np.float32(127.5)
        unit: Vectors = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
        return unit

    def embed_query(self, text: str) -> Vectors:
        return self.embed_passages([text])[0]


def main(directory: str, shape: str, megabytes: str) -> None:
    """Ingest the line, ask for its end, and print what it took."""
    size = int(megabytes) * 1_000_000
    piece = SHAPES[shape]
    data = (piece * (size // len(piece.encode())) + LAST[shape]).encode()
    began = time.monotonic()
    seconds: dict[str, float] = {}

    def told(stage: str, done: int, total: int) -> None:
        seconds[stage] = time.monotonic() - began

    with pipeline(Path(directory), size=1_300, embedder=DigestEmbedder()) as sawyer:
        report = sawyer.ingest(Source("line.txt", data), progress=told)
        seconds["published"] = time.monotonic() - began
        answer = sawyer.ask(QUESTION.get(shape, "Who carved the xylograph?"), retriever="lexical")
        seconds["answered"] = time.monotonic() - began - seconds["published"]
    best = answer.decision.answer
    result = {
        "state": report.state,
        "reason": report.reason,
        "windows": report.document.windows,
        "answer": best.candidate.text if best else None,
        "seconds": {stage: round(until, 1) for stage, until in seconds.items()},
        "megabytes": peak_memory() // 1_000_000,
    }
    sys.stdout.write(json.dumps(result) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
