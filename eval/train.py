"""`python -m eval.train NAME` retrains a shipped artefact, seeded, to the same figures.

Names: ``background`` (term weights), then ``trigger``, which uses them; ``word_vectors``, then
``question_class`` and ``published`` (the models of WikiQA's paper), which use them; ``reader``, then
``wikiqa_reader`` (what reads question and sentence together); ``lexical``, ``hybrid``, ``cross`` and
``clean`` (the project's own selectors), which use all of these; ``clean_points`` (when ``clean`` answers in
long texts), which asks the pipeline; ``boundary`` (the picker that needs no chat model).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from answering.learnt import LEARNT, LearntName
from core.errors import NotFound, SawyerError
from eval import (
    train_background,
    train_boundary,
    train_learnt,
    train_points,
    train_published,
    train_question_class,
    train_reader,
    train_trigger,
    train_word_vectors,
)
from eval.datasets.base import data_directory, locate
from eval.datasets.fairytaleqa import FAIRYTALEQA
from eval.datasets.trec_qc import TREC_QC
from eval.datasets.wikiqa import WIKIQA


def _trigger(data: Path, arguments: argparse.Namespace) -> None:
    folder = locate(FAIRYTALEQA, data).folder
    train_trigger.train(folder, per_text=arguments.per_text, seed=arguments.seed, save=not arguments.dry_run)


def _background(data: Path, arguments: argparse.Namespace) -> None:
    train_background.train(data, save=not arguments.dry_run)


def _boundary(data: Path, arguments: argparse.Namespace) -> None:
    train_boundary.train(data, per_text=arguments.per_text, seed=arguments.seed, save=not arguments.dry_run)


def _word_vectors(data: Path, arguments: argparse.Namespace) -> None:  # noqa: ARG001 - from a package
    train_word_vectors.train(save=not arguments.dry_run)


def _question_class(data: Path, arguments: argparse.Namespace) -> None:
    folder = locate(TREC_QC, data).folder
    train_question_class.train(folder, seed=arguments.seed, save=not arguments.dry_run)


def _published(data: Path, arguments: argparse.Namespace) -> None:
    folder = locate(WIKIQA, data).folder
    train_published.train(folder, seed=arguments.seed, save=not arguments.dry_run)


def _learnt(name: LearntName, data: Path, arguments: argparse.Namespace) -> None:
    train_learnt.train(name, data, seed=arguments.seed, save=not arguments.dry_run)


def _reader(name: train_reader.ReaderName, data: Path, arguments: argparse.Namespace) -> None:
    train_reader.train_reader(name, data, seed=arguments.seed, save=not arguments.dry_run)


def _points(name: LearntName, data: Path, arguments: argparse.Namespace) -> None:
    train_points.train_points(name, data, seed=arguments.seed, save=not arguments.dry_run)


TRAINERS: dict[str, Callable[[Path, argparse.Namespace], None]] = {
    "background": _background,
    "boundary": _boundary,
    "published": _published,
    "question_class": _question_class,
    "trigger": _trigger,
    "word_vectors": _word_vectors,
    **{name: partial(_learnt, name) for name in LEARNT},
    "clean_points": partial(_points, "clean"),
    **{name: partial(_reader, name) for name in train_reader.READERS},
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m eval.train", description=__doc__)
    parser.add_argument("name", choices=sorted(TRAINERS))
    parser.add_argument("--data", type=Path, help="the data root (default: $SAWYER_DATA)")
    parser.add_argument("--per-text", type=int, default=100, help="answerable questions a joined text")
    parser.add_argument("--seed", type=int, default=13)
    parser.add_argument("--dry-run", action="store_true", help="print the figures, write nothing")
    arguments = parser.parse_args(argv)
    try:
        data = data_directory(arguments.data)
        if data is None:
            raise NotFound(f"training needs data: {FAIRYTALEQA.instructions}")
        TRAINERS[arguments.name](data, arguments)
    except SawyerError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.outcome.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
