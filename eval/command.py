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

from core.artifacts import file_digest
from core.errors import SawyerError
from core.protocols import Embedder
from eval.provenance import versions
from eval.retrievers import Retriever, known
from eval.significance import LEVEL, RESAMPLES, SEED
from service.embedding.remembering import RememberingEmbedder


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

    def run(self, body: Callable[[], None]) -> int:
        """The exit code: 0, or that of the error that ended it, which is said in one line."""
        try:
            body()
        except SawyerError as error:
            print(f"{self.program}: error: {error}", file=sys.stderr)
            return error.outcome.exit_code
        return 0

    def record(self, data: Iterable[Path], embedder: Embedder | None, seed: int) -> dict[str, Any]:
        """What the figures depend on besides the strategies, and the seconds since the start.

        Args:
            data: the files that decide texts, questions and golds.
            embedder: None when no vector decided anything.
        """
        return {
            "command": shlex.join([*self.program.split(), *self.given]),
            "data_sha256": digest_of(data),
            "embedder": None
            if embedder is None
            else {
                "name": embedder.name,
                "fingerprint": embedder.fingerprint,
                "similarity": embedder.similarity,
            },
            "seed": seed,
            "bootstrap": {"resamples": RESAMPLES, "level": LEVEL, "seed": SEED},
            "versions": versions(),
            "seconds": round(time.monotonic() - self.started, 1),
        }


def add_sampling(parser: argparse.ArgumentParser) -> None:
    """``--limit`` and ``--seed``."""
    parser.add_argument("--limit", type=_positive, metavar="N", help="ask N questions, drawn at random")
    parser.add_argument("--seed", type=int, default=13, help="of what is drawn (default: 13)")


def add_outputs(parser: argparse.ArgumentParser) -> None:
    """``--json`` and ``--csv``."""
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write rows and provenance as JSON")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="also write the rows as CSV")


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


def asked_retrievers(options: argparse.Namespace) -> tuple[list[Retriever], RememberingEmbedder | None]:
    """The retrievers of `add_retrieval`, each once, and the embedder; None where ``bm25`` needs none.

    Raises:
        InvalidValue: no such retriever or embedder.
    """
    retrievers = [Retriever.parse(name) for name in dict.fromkeys(options.retriever)]
    if all(retriever == Retriever("bm25") for retriever in retrievers):
        return retrievers, None
    return retrievers, RememberingEmbedder(embedder_named(options.embedder))


def embedder_named(name: str) -> Embedder:
    """The embedder that a command line names; an endpoint's address and key come from the settings."""
    from service.embedding import build_embedder
    from service.settings import Settings

    if not name.startswith("openai:"):
        return build_embedder(name)
    endpoint = Settings.load()
    return build_embedder(name, base_url=endpoint.embedder_base_url, api_key=endpoint.embedder_api_key)


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
