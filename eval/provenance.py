"""What a figure depends on besides the strategy: data, embedder, versions, seed and command."""

from __future__ import annotations

import platform
import shlex
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from core.protocols import Embedder
from eval.datasets.base import QuestionSet, data_digest
from eval.significance import LEVEL, RESAMPLES, SEED

# The packages that decide where a text is cut, how it is ranked, or what a figure is.
_PACKAGES = ("sawyer-rag", "numpy", "nupunkt", "tokenizers", "onnxruntime", "tantivy", "PyStemmer", "bm25s")


def provenance(
    command: Sequence[str],
    questions: QuestionSet,
    books: Sequence[str],
    rules: Sequence[str],
    embedder: Embedder | None,
    *,
    seed: int = SEED,
) -> dict[str, Any]:
    """The record that goes with a report; ``embedder`` is None when no vector decided anything."""
    return {
        "command": shlex.join(command),
        "set": questions.name,
        "data_sha256": data_digest(questions, books),
        "rule": list(rules),
        "embedder": None
        if embedder is None
        else {"name": embedder.name, "fingerprint": embedder.fingerprint, "similarity": embedder.similarity},
        "seed": seed,
        "bootstrap": {"resamples": RESAMPLES, "level": LEVEL},
        "versions": versions(),
    }


def versions() -> dict[str, str]:
    """Python's, and those of the packages that decide a figure."""
    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found
