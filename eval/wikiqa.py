"""``python -m eval.wikiqa``: answer sentence selection and answer triggering on WikiQA.

Selection: MAP, MRR and P@1 over the questions with both kinds of sentence (``filtered``), with an answer
(``answerable``), and over all. Triggering: over all questions, only the best sentence of each counts. Equal
scores keep the order of the file. Without a data folder it scores the bundled sample.

``python -m eval.wikiqa score --ref REF --rank RANK`` is the corpus's official evaluator.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import cast

from core.errors import NotFound
from eval.command import Command, say
from eval.datasets.base import data_directory, locate, spelled_out
from eval.datasets.wikiqa import SPLITS, WIKIQA, Form, Split, present_splits, read_wikiqa, split_files
from eval.datasets.wikiqa_archive import HOME, fetch
from eval.keeping import default_directory
from eval.selection_command import SelectionSet, add_arguments, folder_of, run, write_report
from eval.selection_scoring import DENOMINATORS, Triggering, selection
from eval.wikiqa_score import THRESHOLD, read_pair, score
from eval.wikiqa_stats import as_markdown, statistics

PROGRAM = "python -m eval.wikiqa"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit code, 0 when a report was printed."""
    command = Command.of(PROGRAM, arguments)
    if command.given[:1] == ("score",):
        asked = _score_parser().parse_args(command.given[1:])
        return command.run(asked, lambda: _score(asked))
    options = _parser().parse_args(command.given)
    return command.run(options, lambda: _run(options, command))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=PROGRAM, description=__doc__.split("\n\n")[0].split(": ", 1)[1])
    add_arguments(parser, SPLITS)
    parser.add_argument("--raw", action="store_true", help="read the texts untokenised (WikiQA-SPLIT.tsv)")
    parser.add_argument(
        "--fetch",
        nargs="?",
        const=HOME,
        metavar="FROM",
        help="first get the published archive into the data folder (default: the user's cache folder), from "
        f"its home ({HOME}), a mirror's URL, or a folder that holds it",
    )
    parser.add_argument("--stats", action="store_true", help="count what the files present hold, and stop")
    return parser


def _score_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=f"{PROGRAM} score", description="The official evaluator.")
    parser.add_argument("--ref", type=Path, required=True, metavar="REF", help="WikiQA-SPLIT.ref")
    parser.add_argument("--rank", type=Path, required=True, metavar="RANK", help="scores, line by line")
    parser.add_argument(
        "--threshold", type=float, default=THRESHOLD, metavar="T", help=f"in (0, 1]; default: {THRESHOLD}"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures as JSON")
    return parser


def _run(options: argparse.Namespace, command: Command) -> None:
    if options.fetch is not None:
        options.data = _fetched(options)
    if options.stats:
        folder, name = folder_of(WIKIQA, options.data)
        entries = statistics(folder, present_splits(folder))
        print(as_markdown(entries))
        if options.json is not None:
            write_report(options.json, {"set": name, "splits": entries})
        return
    form: Form = "raw" if options.raw else "tokenised"
    run(
        options,
        command,
        SelectionSet(
            WIKIQA,
            read=lambda folder, split: read_wikiqa(folder, cast("Split", split), form),
            files=lambda folder, split: split_files(folder, cast("Split", split), form),
            shown={"filtered": "filtered"},
        ),
    )


def _fetched(options: argparse.Namespace) -> Path:
    """The data folder with the corpus in it."""
    directory = spelled_out(data_directory(options.data) or default_directory() / "data")
    try:
        folder = locate(WIKIQA, directory).folder
    except NotFound:  # a new data root
        folder = directory / WIKIQA.folder
    fetch(options.fetch, folder, say)
    return directory


def _score(options: argparse.Namespace) -> None:
    qrels, scored = read_pair(options.ref, options.rank)
    figures = score(qrels, scored, options.threshold)
    rows = {name: selection(qrels, scored, name) for name in DENOMINATORS}
    print("| questions | n | MAP | MRR | P@1 |\n|---|---:|---:|---:|---:|")
    for name, row in rows.items():
        print(f"| {name} | {row['n']} | {row['map']:.4f} | {row['mrr']:.4f} | {row['p@1']:.4f} |")
    print(_triggering_table(figures))
    if options.json is not None:
        write_report(options.json, {"selection": rows, "triggering": figures.as_json()})


def _triggering_table(figures: Triggering) -> str:
    lines = ["\n| triggering | threshold | P | R | F1 |", "|---|---:|---:|---:|---:|"]
    for name, one in (("official", figures.official), ("alternative", figures.alternative)):
        shown = " | ".join(f"{100 * value:.2f}" for value in (one.precision, one.recall, one.f1))
        lines.append(f"| {name} | {figures.threshold} | {shown} |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
