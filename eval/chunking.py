"""``python -m eval.chunking``: chunkers by themselves, on exact passages and on boundaries that people set.

``passages``: Chroma's corpora; token recall, precision and IoU of the first k chunks, mean and standard
deviation over questions, beside its own table. ``choi``, ``sections`` (FairytaleQA val) and ``published``
(the LumberChunker chunks of GutenQA's authors, *Emma* in stretches of 100 paragraphs): Pk, WindowDiff (less
is better), F1 of exact boundaries and of those at most one unit off, ``f1~1``; units are Choi's sentences,
else paragraphs, and k is half the mean segment. Without a data folder it scores the bundled samples.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import chunkers
from chunkers.base import Chunker
from core.errors import InvalidValue
from eval.asked_models import chunker_label
from eval.baselines import table_compared
from eval.boundary_nulls import EvenAs, ShuffledSegments
from eval.boundary_scoring import (
    NULLS,
    ChunkSegmenter,
    SegmentedText,
    Segmenter,
    boundary_rows,
    choi_text,
    story_text,
)
from eval.command import (
    MODEL_FREE,
    AskedRetrieval,
    Command,
    add_baseline,
    add_cache,
    add_outputs,
    add_retrieval,
    add_sampling,
    asked_baseline,
    asked_chunker,
    asked_retrieval,
    say,
)
from eval.datasets.base import DATA_VARIABLE, Declaration, data_directory, locate
from eval.datasets.choi import CHOI, read_choi
from eval.datasets.chunking_evaluation import CHUNKING_EVALUATION, read_corpora
from eval.datasets.fairytaleqa import FAIRYTALEQA, read_stories
from eval.datasets.gutenqa import GUTENQA
from eval.datasets.sample import sample_directory
from eval.passage_scoring import K, passage_rows, published_rows
from eval.plots import beside
from eval.provenance import footer, plot_note
from eval.published_boundaries import published_texts
from eval.retrievers import Retriever
from eval.strips import StripPlot, corpus_strips, segment_strips
from eval.table import TableRow, markdown, write_csv, write_json
from eval.texttiling import TextTiling

PROGRAM = "python -m eval.chunking"
PARTS: Mapping[str, Declaration] = {
    "passages": CHUNKING_EVALUATION,
    "choi": CHOI,
    "sections": FAIRYTALEQA,
    "published": GUTENQA,
}
RULES: Mapping[str, str] = {
    "passages": "characters shared with exact references",
    "choi": "boundaries between sentences",
    "sections": "boundaries between paragraphs",
    "published": "boundaries between paragraphs",
}
BOUNDED = ("recall", "iou", "pk", "window_diff", "f1", "f1~1")
Value = TypeVar("Value")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit code, 0 when a report was printed."""
    command = Command.of(PROGRAM, arguments)
    options = _parser().parse_args(command.given)
    return command.run(options, lambda: _run(options, command))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=PROGRAM, description=__doc__.split("\n\n")[0].split(": ", 1)[1])
    parser.add_argument("--part", nargs="+", choices=PARTS, default=list(PARTS), help="default: all")
    parser.add_argument(
        "--chunker",
        nargs="+",
        default=list(MODEL_FREE),
        metavar="NAME",
        help=f"default: {' '.join(MODEL_FREE)}",
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
    add_baseline(parser)
    parser.add_argument(
        "--along",
        metavar="TEXT",
        help="the document, story or corpus that --plot draws (default: the first)",
    )
    parser.add_argument(
        "--nulls",
        action="store_true",
        help="beside each chunker, as many segments as it makes: even ones, and its own in another order",
    )
    add_sampling(parser)
    add_cache(parser)
    add_outputs(
        parser,
        plot="where each chunker cuts along one text, below the gold; of several parts into FILE-PART",
    )
    return parser


def _run(options: argparse.Namespace, command: Command) -> None:
    if options.k < 1:
        raise InvalidValue(f"--k must be at least 1, got {options.k}")
    named = [_named(name, options) for name in dict.fromkeys(options.chunker)]
    ours = [ChunkSegmenter(name, chunker) for name, chunker in named]
    blind = [null for one in ours for null in (EvenAs(one), ShuffledSegments(one, options.seed))]
    segmenters: list[Segmenter] = [*ours, *(blind if options.nulls else ()), TextTiling(), *NULLS]
    folders = _folders(options)
    # Boundaries need no retriever, and none is loaded for them.
    asked = asked_retrieval(options) if "passages" in folders else AskedRetrieval(())
    names = [segmenter.name for segmenter in segmenters]
    baseline = asked_baseline(options, names, asked.retrievers or [Retriever("bm25")])
    rows: list[TableRow] = []
    drawn: dict[str, StripPlot] = {}
    for part, folder in folders.items():
        say(f"{part}: {folder}")
        found, strips = _part(part, folder, named, segmenters, asked, options)
        if baseline is not None:
            found = table_compared(found, baseline, BOUNDED)
        beside_ours = published_rows() if part == "passages" else []
        print(f"{PARTS[part].name}\n\n{markdown([*found, *beside_ours], bounded=BOUNDED)}\n")
        rows += [replace(row, labels={"part": part, **row.labels}) for row in found]
        if strips is not None:
            drawn[part] = strips
    if options.along is not None and not drawn:
        raise InvalidValue(f"--along must name a text of a part asked for, got {options.along}")
    files = [
        path
        for folder in folders.values()
        for path in folder.rglob("*")
        if path.suffix in (".csv", ".md", ".ref")
    ]
    name = ", ".join(PARTS[part].name for part in folders)
    rules = [RULES[part] for part in folders]
    record = command.record(name, rules, files, asked.deciding, options.seed)
    strategies = {segmenter.name: segmenter.strategy for segmenter in segmenters}
    print(footer(record, strategies))
    if options.json is not None:
        write_json(options.json, rows, record, published=[row.as_json() for row in published_rows()])
    if options.csv is not None:
        write_csv(options.csv, rows, record)
    if options.plot is not None:
        for part, strips in drawn.items():
            strips.draw(
                options.plot if len(folders) == 1 else beside(options.plot, part),
                plot_note(record, strategies),
            )


def _part(
    part: str,
    folder: Path,
    named: Sequence[tuple[str, Chunker]],
    segmenters: Sequence[Segmenter],
    asked: AskedRetrieval,
    options: argparse.Namespace,
) -> tuple[list[TableRow], StripPlot | None]:
    """The part's rows, and the strips of the text asked for, None when it is not among the part's."""
    if part == "passages":
        corpora = read_corpora(folder)
        corpora = replace(corpora, questions=tuple(_drawn(corpora.questions, options)))
        rows = passage_rows(
            corpora, named, asked.retrievers, asked.windows, reading=asked.reading, k=options.k
        )
        corpus = _along(corpora.texts, options)
        return rows, None if corpus is None else corpus_strips(corpora, corpus, named)
    if part == "choi":
        texts = [choi_text(document) for document in _drawn(read_choi(folder), options)]
        groups = (*dict.fromkeys(text.group for text in texts), None)
        rows = [
            row
            for group in groups
            for row in boundary_rows(
                {"segments": group or "all"},
                [text for text in texts if group in (text.group, None)],
                segmenters,
            )
        ]
    else:
        texts = _stories(folder) if part == "sections" else published_texts(folder / "emma")
        rows = boundary_rows({}, texts, segmenters)
    by_name = {text.name: text for text in texts}
    name = _along(by_name, options)
    return rows, None if name is None else segment_strips(by_name[name], segmenters)


def _stories(folder: Path) -> list[SegmentedText]:
    stories = read_stories(folder, "val")
    texts = [text for text in map(story_text, stories) if text is not None]
    if len(texts) < len(stories):
        say(f"{len(stories) - len(texts)} stories left out: each of their paragraphs is a section")
    return texts


def _along(names: Iterable[str], options: argparse.Namespace) -> str | None:
    return next((name for name in names if options.along in (None, name)), None)


def _named(name: str, options: argparse.Namespace) -> tuple[str, Chunker]:
    # Without a size, a chunker that follows the content keeps its own unit.
    own = options.size is None and name not in chunkers.STRUCTURAL
    unit = None if own else options.unit
    chunker = asked_chunker(name, options, size=options.size, unit=unit, overlap=options.overlap)
    return chunker_label(name, chunker), chunker


def _folders(options: argparse.Namespace) -> dict[str, Path]:
    parts = list(dict.fromkeys(options.part))
    directory = data_directory(options.data)
    if directory is None:
        say(
            "no data folder: scoring the bundled samples; for the real sets, "
            f"{CHUNKING_EVALUATION.instructions}"
        )
        if "published" in parts:
            say("published boundaries are left out: the samples have none")
        return {part: sample_directory() / PARTS[part].folder for part in parts if part != "published"}
    return {part: locate(PARTS[part], directory).folder for part in parts}


def _drawn(values: Sequence[Value], options: argparse.Namespace) -> list[Value]:
    if options.limit is None or options.limit >= len(values):
        return list(values)
    chosen = random.Random(options.seed).sample(range(len(values)), options.limit)  # noqa: S311 - a sample, no secret
    return [values[at] for at in sorted(chosen)]


if __name__ == "__main__":
    sys.exit(main())
