"""``python -m eval.fairytale``: retrieval on FairytaleQA, by the sections that hold the answers.

Each story is a text of its own, and joined they make texts of a book's length. A chunk is relevant when it
overlaps at least half of the shorter of chunk and gold section; ``dcg@k`` and ``recall@k`` count the first
relevant chunk alone, ``ndcg@10`` all; ``er@B`` is the share of the gold section's characters in the best
chunks that fit B tokens. Means are over questions. Without a data folder it scores the bundled sample.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from eval.baselines import table_compared
from eval.command import (
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
from eval.datasets.base import DATA_VARIABLE, data_directory, locate
from eval.datasets.fairytaleqa import FAIRYTALEQA, Split, Story, read_stories
from eval.datasets.sample import sample_directory
from eval.nulls import NULLS
from eval.placed import PlacedQuestion, PlacedText, cuts_named, drawn, placed_joined, with_nulls
from eval.plots import Words, beside
from eval.provenance import footer, plot_note
from eval.section_scoring import score_sections
from eval.table import TableRow, markdown, write_csv, write_json
from eval.table_plots import plot_table

PROGRAM = "python -m eval.fairytale"
SHAPES = ("story", "joined")
BOUNDED = ("dcg@20", "er@1000")
RULE = "half of the shorter of chunk and section"

# A figure on the split that something was fitted on says less; docs/decisions tells what was chosen where.
FITTED: dict[Split, tuple[str, ...]] = {"train": ("trigger", "background weights"), "val": ()}
CHOSEN: dict[Split, tuple[str, ...]] = {
    "train": ("default chunk size", "fusion weight"),
    "val": ("fusion weight", "stop words of questions"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit code, 0 when a report was printed."""
    command = Command.of(PROGRAM, arguments)
    options = _parser().parse_args(command.given)
    return command.run(options, lambda: _run(options, command))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=PROGRAM, description=__doc__.split("\n\n")[0].split(": ", 1)[1])
    parser.add_argument("--split", choices=("val", "train"), default="val", help="default: val")
    parser.add_argument("--shape", nargs="+", choices=SHAPES, default=list(SHAPES), help="default: both")
    parser.add_argument(
        "--chunker",
        nargs="+",
        default=["recursive", "sections"],
        metavar="NAME",
        help="chunkers of ours, and 'sections', the experts' own cut (default: recursive sections)",
    )
    parser.add_argument(
        "--null",
        nargs="+",
        choices=NULLS,
        default=[],
        help="also as many chunks as each, cut by chance or evenly",
    )
    add_retrieval(parser, "hybrid")
    parser.add_argument(
        "--data", type=Path, metavar="DIR", help=f"the data root or the set's own folder (or {DATA_VARIABLE})"
    )
    add_baseline(parser)
    add_sampling(parser)
    add_cache(parser)
    add_outputs(
        parser,
        plot="DCG and, into FILE-er beside it, evidence recall, with bands, of the stories one by one; of "
        "those joined into FILE-joined",
    )
    return parser


def _run(options: argparse.Namespace, command: Command) -> None:
    folder, name = _folder(options.data)
    stories = read_stories(folder, options.split)
    cuts = with_nulls(
        cuts_named(options.chunker, lambda name: asked_chunker(name, options)), options.null, options.seed
    )
    asked = asked_retrieval(options)
    baseline = asked_baseline(options, [cut.name for cut in cuts], asked.retrievers)
    real = name == FAIRYTALEQA.name
    fitted = FITTED[options.split] if real else ()
    rows: list[TableRow] = []
    for shape in dict.fromkeys(options.shape):
        texts = drawn(_texts(stories, shape), options.limit, options.seed)
        for cut in cuts:
            say(
                f"{options.split}, {shape}: {cut.name}, {len(texts)} texts, "
                f"{', '.join(map(str, asked.retrievers))}"
            )
            labels = {"split": options.split, "shape": shape, "texts": len(texts)}
            for scores in score_sections(texts, cut, asked.retrievers, asked.windows, reading=asked.reading):
                row = scores.row(labels)
                rows.append(_marked(row, fitted, CHOSEN[options.split] if real else ()))
    if baseline is not None:
        rows = table_compared(rows, baseline, BOUNDED)
    record = command.record(name, RULE, _files(folder, options.split), asked.deciding, options.seed)
    strategies = {cut.name: cut.strategy for cut in cuts}
    print(markdown(rows, bounded=BOUNDED))
    print(f"\n{footer(record, strategies)}")
    if options.json is not None:
        write_json(options.json, rows, record)
    if options.csv is not None:
        write_csv(options.csv, rows, record)
    if options.plot is not None:
        _plot(options.plot, rows, plot_note(record, strategies))


def _plot(path: Path, rows: Sequence[TableRow], note: str) -> None:
    for shape in SHAPES:
        own = [row for row in rows if row.labels["shape"] == shape]
        if own:
            words = Words(f"FairytaleQA {own[0].labels['split']}, {shape}", note)
            plot_table(path if shape == "story" else beside(path, shape), own, words, named=_legend)


def _legend(row: TableRow) -> str:
    return f"{row.labels['chunker']}, {row.labels['retriever']}"


def _marked(row: TableRow, fitted: Sequence[str], chosen: Sequence[str]) -> TableRow:
    labels = {**row.labels, "fitted on": ", ".join(fitted) or "–"}
    details = {**row.details, "fitted_on": list(fitted), "chosen_on": list(chosen)}
    return replace(row, labels=labels, details=details)


def _folder(asked: Path | None) -> tuple[Path, str]:
    directory = data_directory(asked)
    if directory is None:
        say(f"no data folder: scoring the bundled sample; for the real set, {FAIRYTALEQA.instructions}")
        return sample_directory() / FAIRYTALEQA.folder, "bundled sample"
    place = locate(FAIRYTALEQA, directory)
    say(f"data: {place.folder} ({place.kind} given)")
    return place.folder, FAIRYTALEQA.name


def _files(folder: Path, split: Split) -> list[Path]:
    return [
        path for part in ("questions", "section-stories") for path in (folder / part / split).glob("*.csv")
    ]


def _texts(stories: Sequence[Story], shape: str) -> list[PlacedText]:
    if shape == "story":
        return [
            PlacedText(
                story.name,
                story.text,
                tuple(
                    PlacedQuestion(question.id, question.text, question.sections)
                    for question in story.questions
                ),
                tuple(section.span for section in story.sections),
            )
            for story in stories
        ]
    return placed_joined(stories)


if __name__ == "__main__":
    sys.exit(main())
