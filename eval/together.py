"""``python -m eval.together``: chunkers in retrieval, on GutenQA's development books and on FairytaleQA val.

``dev``: questions on books with exact evidence; a chunk is relevant when it holds all of it, and ``er@1000``
is 1 when such a chunk is reached within 1,000 retrieved tokens. ``val``: FairytaleQA val joined; a chunk is
relevant when it overlaps half of itself or of a gold section, and ``er@1000`` is the share of the section's
characters that is reached. ``together``: both, each question counting once.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean

from core.errors import NotFound
from eval.baselines import table_compared
from eval.command import (
    Command,
    add_baseline,
    add_cache,
    add_retrieval,
    add_sampling,
    asked_baseline,
    asked_chunker,
    asked_retrieval,
    say,
)
from eval.compared import compare
from eval.datasets.base import DATA_VARIABLE, data_directory, locate
from eval.datasets.fairytaleqa import FAIRYTALEQA, read_stories
from eval.datasets.gutenqa import GUTENQA, GutenQA
from eval.nulls import NULLS
from eval.placed import PlacedQuestion, PlacedText, cuts_named, placed_joined, with_nulls
from eval.provenance import footer
from eval.section_scoring import score_sections
from eval.significance import bootstrap_interval
from eval.table import TableRow, markdown, write_csv, write_json

PROGRAM = "python -m eval.together"
METRICS = ("dcg@20", "er@1000")
SETS = ("dev", "val", "together")
RULES = ("span (dev)", "half of chunk or section (val)")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit code, 0 when a report was printed."""
    command = Command.of(PROGRAM, arguments)
    options = _parser().parse_args(command.given)
    return command.run(options, lambda: _run(options, command))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=PROGRAM, description=__doc__.split("\n\n")[0].split(": ", 1)[1])
    parser.add_argument(
        "--chunker", nargs="+", default=["lumber", "recursive"], metavar="NAME", help="chunkers of ours"
    )
    parser.add_argument(
        "--null", nargs="+", choices=NULLS, default=[], help="also as many chunks as the first chunker's"
    )
    add_retrieval(parser, "hybrid")
    parser.add_argument("--data", type=Path, metavar="DIR", help=f"the data root (or {DATA_VARIABLE})")
    add_baseline(parser)
    add_sampling(parser)
    add_cache(parser)
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write rows and provenance as JSON")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="also write the rows as CSV")
    return parser


def _run(options: argparse.Namespace, command: Command) -> None:
    directory = data_directory(options.data)
    if directory is None:
        raise NotFound(f"both sets are needed, got no data folder: {GUTENQA.instructions}")
    books, files = _books(directory)
    place = locate(FAIRYTALEQA, directory)
    joined = placed_joined(read_stories(place.folder, "val"))
    first, *others = cuts_named(options.chunker, lambda name: asked_chunker(name, options))
    cuts = [*with_nulls([first], options.null, options.seed), *others]
    asked = asked_retrieval(options)
    baseline = asked_baseline(options, [cut.name for cut in cuts], asked.retrievers)
    rows: list[TableRow] = []
    for cut in cuts:
        say(f"{cut.name}: {len(books)} books, {len(joined)} joined texts")
        for retriever in asked.retrievers:
            labels = {"chunker": cut.name, "retriever": str(retriever)}
            dev = [compare(book, cut, [retriever], asked.windows, reading=asked.reading)[0] for book in books]
            (val,) = score_sections(joined, cut, [retriever], asked.windows, reading=asked.reading)
            found = {"dev": {}, "val": {metric: dict(val.values[metric]) for metric in METRICS}}
            for metric in METRICS:
                found["dev"][metric] = {
                    question: value for one in dev for question, value in one.values[metric].items()
                }
            found["together"] = {
                metric: {**found["dev"][metric], **found["val"][metric]} for metric in METRICS
            }
            rows += [_row({"set": name, **labels}, found[name], cut.strategy) for name in SETS]
    rows.sort(key=lambda row: SETS.index(str(row.labels["set"])))
    if baseline is not None:
        rows = table_compared(rows, baseline, METRICS)
    files += [path for part in ("questions", "section-stories") for path in _csv(place.folder / part / "val")]
    record = command.record("GutenQA dev, FairytaleQA val", RULES, files, asked.deciding, options.seed)
    print(markdown(rows, bounded=METRICS))
    print(f"\n{footer(record, {cut.name: cut.strategy for cut in cuts})}")
    if options.json is not None:
        write_json(options.json, rows, record)
    if options.csv is not None:
        write_csv(options.csv, rows, record)


def _books(directory: Path) -> tuple[list[PlacedText], list[Path]]:
    """The books whose questions have exact evidence, and the files that decide them."""
    questions = GutenQA(locate(GUTENQA, directory))
    found: list[PlacedText] = []
    files: list[Path] = []
    for book in questions.books():
        placed = tuple(
            PlacedQuestion(query.id, query.text, (query.span,))
            for query in questions.queries(book)
            if query.span is not None
        )
        if placed:
            found.append(PlacedText(book, questions.text(book), placed))
            files += questions.files(book)
    return found, files


def _row(labels: dict[str, str], values: dict[str, dict[str, float]], strategy: str) -> TableRow:
    return TableRow(
        labels={**labels, "n": len(values[METRICS[0]])},
        figures={metric: fmean(values[metric].values()) for metric in METRICS},
        intervals={metric: bootstrap_interval([list(values[metric].values())]) for metric in METRICS},
        details={"strategy": strategy},
        values=values,
    )


def _csv(folder: Path) -> Iterator[Path]:
    yield from sorted(folder.glob("*.csv"))


if __name__ == "__main__":
    sys.exit(main())
