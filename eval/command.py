"""What the commands of the laboratory share: how one runs, what it says, and the record it leaves."""

from __future__ import annotations

import argparse
import hashlib
import shlex
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import chunkers
from chunkers.base import Chunker
from core.artifacts import file_digest
from core.errors import SawyerError
from core.protocols import Embedder
from eval.asked_models import asked_models, chunker_label
from eval.baselines import Baseline
from eval.embedders import Embedders, embedder_named
from eval.keeping import default_directory
from eval.outputs import check_outputs
from eval.provenance import versions
from eval.retrievers import Retriever, known
from eval.significance import LEVEL, RESAMPLES, SEED

# The chunkers that ask no model: what a command compares when none is named.
MODEL_FREE = ("fixed", "paragraph", "sentence", "recursive")


@dataclass(frozen=True)
class Command:
    """One call of a command, as it was written.

    Attributes:
        program: ``python -m eval.NAME``.
        started: monotonic seconds.
    """

    program: str
    given: tuple[str, ...]
    started: float = field(default_factory=time.monotonic)

    @staticmethod
    def of(program: str, arguments: Sequence[str] | None) -> Command:
        """The call with these arguments; None takes the process's own."""
        return Command(program, tuple(sys.argv[1:] if arguments is None else arguments))

    def run(self, options: argparse.Namespace, body: Callable[[], None]) -> int:
        """The exit code: 0, or that of the error that ended it, which is said in one line.

        Args:
            options: as parsed; what could not be written is refused before ``body`` begins.
        """
        try:
            check_outputs(options)
            body()
        except SawyerError as error:
            print(f"{self.program}: error: {error}", file=sys.stderr)
            return error.outcome.exit_code
        return 0

    def record(
        self,
        name: str,
        rule: str | Sequence[str],
        data: Iterable[Path],
        embedder: Embedder | None,
        seed: int,
        *,
        interval_seed: int = SEED,
    ) -> dict[str, Any]:
        """What the figures depend on besides the strategies, and the seconds since the start.

        Args:
            name: of the data set.
            rule: what makes a chunk or a sentence right.
            data: the files that decide texts, questions and golds.
            embedder: None when no vector decided anything.
            seed: of what was drawn.
        """
        return {
            "command": shlex.join([*self.program.split(), *self.given]),
            "set": name,
            "data_sha256": digest_of(data),
            "rule": rule,
            "embedder": None
            if embedder is None
            else {
                "name": embedder.name,
                "fingerprint": embedder.fingerprint,
                "similarity": embedder.similarity,
            },
            "seed": seed,
            "bootstrap": {"resamples": RESAMPLES, "level": LEVEL, "seed": interval_seed},
            "versions": versions(),
            "seconds": round(time.monotonic() - self.started, 1),
        }


def add_sampling(parser: argparse.ArgumentParser) -> None:
    """``--limit`` and ``--seed``."""
    parser.add_argument("--limit", type=_positive, metavar="N", help="ask N questions, drawn at random")
    parser.add_argument("--seed", type=int, default=13, help="of what is drawn (default: 13)")


def add_cache(parser: argparse.ArgumentParser) -> None:
    """``--cache``."""
    parser.add_argument(
        "--cache",
        type=Path,
        metavar="DIR",
        help="what was computed before, by its digest (default: the user's cache folder)",
    )


def add_baseline(parser: argparse.ArgumentParser) -> None:
    """``--baseline``."""
    parser.add_argument(
        "--baseline",
        metavar="ROW",
        help="paired differences of all rows to CHUNKER under their own retriever, or to CHUNKER/RETRIEVER",
    )


def add_outputs(parser: argparse.ArgumentParser, *, plot: str) -> None:
    """``--json``, ``--csv`` and ``--plot``, whose help says what is drawn."""
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write rows and provenance as JSON")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="also write the rows as CSV")
    parser.add_argument("--plot", type=Path, metavar="FILE", help=f"also draw {plot}; PNG or SVG")


def add_retrieval(parser: argparse.ArgumentParser, *retrievers: str) -> None:
    """``--retriever``, with these as its default, and ``--embedder``."""
    parser.add_argument(
        "--retriever",
        nargs="+",
        metavar="NAME",
        default=list(retrievers),
        help=f"{known()} (default: {' '.join(retrievers)})",
    )
    parser.add_argument("--embedder", default="minilm", metavar="NAME", help="default: minilm")


@dataclass(frozen=True, slots=True)
class AskedRetrieval:
    """What `add_retrieval` and `add_cache` asked for.

    Attributes:
        retrievers: each once.
        windows: embeds windows and questions, and keeps them; None where ``bm25`` needs no embedder.
        reading: embeds what a Scorer reads.
    """

    retrievers: tuple[Retriever, ...]
    windows: Embedder | None = None
    reading: Embedder | None = None

    @property
    def deciding(self) -> Embedder | None:
        """The embedder, for the record; None where no retriever needs a vector."""
        return self.windows if any(retriever.needs_vectors for retriever in self.retrievers) else None


def asked_retrieval(options: argparse.Namespace) -> AskedRetrieval:
    """The retrievers and the embedder that they need.

    Raises:
        InvalidValue: no such retriever or embedder.
    """
    retrievers = tuple(Retriever.parse(name) for name in dict.fromkeys(options.retriever))
    if all(retriever == Retriever("bm25") for retriever in retrievers):
        return AskedRetrieval(retrievers)
    embedders = Embedders.around(embedder_named(options.embedder), asked_cache(options), say)
    return AskedRetrieval(retrievers, embedders.windows, embedders.reading)


def asked_chunker(name: str, options: argparse.Namespace, **how: Any) -> Chunker:
    """The chunker of that name, with the embedder of `add_retrieval` and the chat model of the settings.

    What people should know of it is said.

    Args:
        how: sizes and the like, as `chunkers.build` takes them.
    """
    models = asked_models(options.embedder, asked_cache(options), say)
    chunker = chunkers.build(name, **how, models=models)
    for notice in getattr(chunker, "foreword", ()):
        say(f"{chunker_label(name, chunker)}: {notice}")
    return chunker


def asked_baseline(
    options: argparse.Namespace, chunkers: Iterable[str], retrievers: Iterable[Retriever]
) -> Baseline | None:
    """The baseline of `add_baseline`, among these chunkers under these retrievers; None when not asked for.

    Raises:
        InvalidValue: there is no such row.
    """
    if options.baseline is None:
        return None
    under = [str(retriever) for retriever in retrievers]
    return Baseline.named(options.baseline, {(name, one) for name in chunkers for one in under})


def asked_cache(options: argparse.Namespace) -> Path:
    """The folder of `add_cache`."""
    return Path(options.cache or default_directory()).absolute()


def say(line: str) -> None:
    """One line of progress, beside the report."""
    print(line, file=sys.stderr)


def digest_of(paths: Iterable[Path]) -> str:
    """SHA-256 over files by name, as bytes, wherever they lie."""
    parts = sorted(f"{path.name} {file_digest(path)}" for path in set(paths))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, got {number}")
    return number
