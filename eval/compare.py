"""``python -m eval.compare``: chunkers and retrievers on your own text and questions, and which to take.

A chunk is relevant when it holds a whole answer. ``er@B`` is the share of questions whose answer is reached
within B retrieved tokens, 1.3 to a word: unlike DCG it is not fooled by large chunks, so it decides. The best
configuration is compared with every other on the same questions; what they cannot tell apart is said so.
Without a text it compares on the bundled story.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

import chunkers
from core.errors import InvalidValue
from eval.command import Command, add_outputs, add_retrieval, add_sampling, asked_retrievers, say
from eval.compared import BUDGETS, METRICS, Compared, compare
from eval.datasets.own import read_own_questions, read_own_text
from eval.datasets.sample import BOOK, Sample
from eval.metrics import Metric
from eval.placed import PlacedText, cuts_named, drawn
from eval.plots import Line, Words, plot_evidence_recall
from eval.recommendation import recommend
from eval.table import markdown, write_csv, write_json

PROGRAM = "python -m eval.compare"
DECISIVE = Metric("er", 1_000)
COMMON = 10  # places of one answer from which a longer quotation would serve better


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit code, 0 when a report was printed."""
    command = Command.of(PROGRAM, arguments)
    options = _parser().parse_args(command.given)
    return command.run(lambda: _run(options, command))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=PROGRAM, description=__doc__.split("\n\n")[0].split(": ", 1)[1])
    parser.add_argument("--text", type=Path, metavar="FILE", help="any format that Sawyer ingests")
    parser.add_argument(
        "--questions",
        type=Path,
        metavar="FILE",
        help="CSV with a header or JSON lines: question, and answer (words of the text) or start and end",
    )
    parser.add_argument(
        "--chunker", nargs="+", default=list(chunkers.CHUNKERS), metavar="NAME", help="default: all of ours"
    )
    add_retrieval(parser, "lexical", "dense", "hybrid")
    parser.add_argument(
        "--by",
        default=str(DECISIVE),
        choices=[str(metric) for metric in METRICS],
        help=f"default: {DECISIVE}",
    )
    parser.add_argument(
        "--plot", type=Path, metavar="FILE", help="also draw er@B by budget, PNG or SVG by its ending"
    )
    add_sampling(parser)
    add_outputs(parser)
    return parser


def _run(options: argparse.Namespace, command: Command) -> None:
    text, files = _own(options)
    (text,) = drawn([text], options.limit, options.seed)
    retrievers, embedder = asked_retrievers(options)
    compared: list[Compared] = []
    for cut in cuts_named(options.chunker):
        say(f"{text.name}: {cut.name}, {len(text.questions)} questions, {', '.join(map(str, retrievers))}")
        compared += compare(text, cut, retrievers, embedder)
    rows = [one.row() for one in compared]
    found = recommend({one.name: one.values[options.by] for one in compared})
    print(markdown(rows, bounded=[options.by]))
    print(f"\n{found.text(options.by)}")
    record = command.record(
        files, embedder if any(retriever.needs_vectors for retriever in retrievers) else None, options.seed
    )
    if options.json is not None:
        write_json(options.json, rows, record, recommendation=found.as_json(options.by))
    if options.csv is not None:
        write_csv(options.csv, rows)
    if options.plot is not None:
        # A band each would hide the lines.
        note = f"band: 95 % of {found.best}; data {record['data_sha256'][:12]}"
        words = Words(f"{text.name}: {found.questions} questions", note)
        plot_evidence_recall(
            options.plot, [_line(one, band=one.name == found.best) for one in compared], words
        )


def _own(options: argparse.Namespace) -> tuple[PlacedText, list[Path]]:
    if (options.text is None) != (options.questions is None):
        raise InvalidValue("--text and --questions must be given together, got one of them")
    if options.text is None:
        say("no --text and --questions: comparing on the bundled story")
        story, questions = Sample().files(BOOK)
        options.text, options.questions = story, questions
    text = read_own_text(options.text)
    asked = read_own_questions(options.questions, text)
    for question in asked:
        if len(question.golds) >= COMMON:
            places = len(question.golds)
            say(
                f"question {question.id}: its answer stands in {places} places; a longer quotation tells more"
            )
    return PlacedText(options.text.name, text, asked), [options.text, options.questions]


def _line(one: Compared, *, band: bool) -> Line:
    budgets = [float(metric.cutoff or 0) for metric in BUDGETS]
    shares = [fmean(one.values[str(metric)].values()) for metric in BUDGETS]
    return Line(one.name, budgets, shares, [one.interval(str(metric)) for metric in BUDGETS] if band else ())


if __name__ == "__main__":
    sys.exit(main())
