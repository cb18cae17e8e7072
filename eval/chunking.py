"""``python -m eval.chunking``: chunkers by themselves, on exact passages and on boundaries that people set.

``passages``: Chroma's corpora; token recall, precision and IoU of the first k chunks, mean and standard
deviation over questions, beside its own table. ``choi`` and ``sections`` (FairytaleQA val): Pk, WindowDiff
(less is better) and F1 of exact boundaries, in sentences and in paragraphs; k is half the mean segment.
Without a data folder it scores the bundled samples.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import chunkers
from chunkers.base import Chunker
from core.errors import InvalidValue
from core.protocols import Embedder
from eval.boundary_scoring import NULLS, ChunkSegmenter, Segmenter, boundary_rows, choi_text, story_text
from eval.command import Command, add_outputs, add_retrieval, add_sampling, asked_retrievers, say
from eval.datasets.base import DATA_VARIABLE, Declaration, data_directory, locate
from eval.datasets.choi import CHOI, read_choi
from eval.datasets.chunking_evaluation import CHUNKING_EVALUATION, read_corpora
from eval.datasets.fairytaleqa import FAIRYTALEQA, read_stories
from eval.datasets.sample import sample_directory
from eval.passage_scoring import K, passage_rows, published_rows
from eval.retrievers import Retriever
from eval.table import TableRow, markdown, write_csv, write_json

PROGRAM = "python -m eval.chunking"
PARTS: Mapping[str, Declaration] = {
    "passages": CHUNKING_EVALUATION,
    "choi": CHOI,
    "sections": FAIRYTALEQA,
}
BOUNDED = ("pk", "window_diff", "f1")
Value = TypeVar("Value")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit code, 0 when a report was printed."""
    command = Command.of(PROGRAM, arguments)
    options = _parser().parse_args(command.given)
    return command.run(lambda: _run(options, command))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=PROGRAM, description=__doc__.split("\n\n")[0].split(": ", 1)[1])
    parser.add_argument("--part", nargs="+", choices=PARTS, default=list(PARTS), help="default: all")
    parser.add_argument(
        "--chunker", nargs="+", default=list(chunkers.CHUNKERS), metavar="NAME", help="default: all of ours"
    )
    parser.add_argument("--size", type=int, help="largest chunk, in --unit (default: each chunker's own)")
    parser.add_argument("--unit", choices=chunkers.UNITS, default="chars", help="default: chars")
    parser.add_argument(
        "--overlap", type=int, default=0, help="of neighbouring chunks, in --unit (default: 0)"
    )
    add_retrieval(parser, "dense", "hybrid")
    parser.add_argument("--k", type=int, default=K, help=f"chunks retrieved for a question (default: {K})")
    parser.add_argument(
        "--data", type=Path, metavar="DIR", help=f"the data root (default: {DATA_VARIABLE}, else the samples)"
    )
    add_sampling(parser)
    add_outputs(parser)
    return parser


def _run(options: argparse.Namespace, command: Command) -> None:
    if options.k < 1:
        raise InvalidValue(f"--k must be at least 1, got {options.k}")
    named = [
        (name, chunkers.build(name, size=options.size, unit=options.unit, overlap=options.overlap))
        for name in dict.fromkeys(options.chunker)
    ]
    segmenters: list[Segmenter] = [ChunkSegmenter(name, chunker) for name, chunker in named]
    folders = _folders(options)
    # Boundaries need no retriever, and none is loaded for them.
    retrievers, embedder = asked_retrievers(options) if "passages" in folders else ([], None)
    rows: list[TableRow] = []
    published: list[TableRow] = []
    for part, folder in folders.items():
        say(f"{part}: {folder}")
        if part == "passages":
            found = _passages(folder, named, options, retrievers, embedder)
            published = published_rows()
            table = markdown([*found, *published])
        elif part == "choi":
            found = _choi(folder, [*segmenters, *NULLS], options)
            table = markdown(found, bounded=BOUNDED)
        else:
            found = _sections(folder, [*segmenters, *NULLS])
            table = markdown(found, bounded=BOUNDED)
        print(f"{PARTS[part].name}\n\n{table}\n")
        rows += [replace(row, labels={"part": part, **row.labels}) for row in found]
    files = [
        path
        for folder in folders.values()
        for path in folder.rglob("*")
        if path.suffix in (".csv", ".md", ".ref")
    ]
    if options.json is not None:
        record = command.record(files, embedder, options.seed)
        write_json(options.json, rows, record, published=[row.as_json() for row in published])
    if options.csv is not None:
        write_csv(options.csv, rows)


def _passages(
    folder: Path,
    named: Sequence[tuple[str, Chunker]],
    options: argparse.Namespace,
    retrievers: Sequence[Retriever],
    embedder: Embedder | None,
) -> list[TableRow]:
    corpora = read_corpora(folder)
    corpora = replace(corpora, questions=tuple(_drawn(corpora.questions, options)))
    return passage_rows(corpora, named, retrievers, embedder, k=options.k)


def _choi(folder: Path, segmenters: Sequence[Segmenter], options: argparse.Namespace) -> list[TableRow]:
    texts = [choi_text(document) for document in _drawn(read_choi(folder), options)]
    rows: list[TableRow] = []
    for group in (*dict.fromkeys(text.group for text in texts), None):
        own = [text for text in texts if group in (text.group, None)]
        rows += boundary_rows({"segments": group or "all"}, own, segmenters)
    return rows


def _sections(folder: Path, segmenters: Sequence[Segmenter]) -> list[TableRow]:
    stories = read_stories(folder, "val")
    texts = [text for text in map(story_text, stories) if text is not None]
    if len(texts) < len(stories):
        say(f"{len(stories) - len(texts)} stories left out: each of their paragraphs is a section")
    return boundary_rows({}, texts, segmenters)


def _folders(options: argparse.Namespace) -> dict[str, Path]:
    parts = list(dict.fromkeys(options.part))
    directory = data_directory(options.data)
    if directory is None:
        say(
            "no data folder: scoring the bundled samples; for the real sets, "
            f"{CHUNKING_EVALUATION.instructions}"
        )
        return {part: sample_directory() / PARTS[part].folder for part in parts}
    return {part: locate(PARTS[part], directory).folder for part in parts}


def _drawn(values: Sequence[Value], options: argparse.Namespace) -> list[Value]:
    if options.limit is None or options.limit >= len(values):
        return list(values)
    chosen = random.Random(options.seed).sample(range(len(values)), options.limit)  # noqa: S311 - a sample, no secret
    return [values[at] for at in sorted(chosen)]


if __name__ == "__main__":
    sys.exit(main())
