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

from core.errors import InvalidValue
from eval.baselines import table_compared
from eval.command import (
    MODEL_FREE,
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
from eval.compared import METRICS, Compared, compare
from eval.datasets.own import read_own_questions, read_own_text
from eval.datasets.sample import BOOK, Sample
from eval.metrics import Metric
from eval.placed import Cut, PlacedText, cuts_named, drawn
from eval.plots import Strip, Words, beside, plot_evidence_recall
from eval.provenance import footer, plot_note
from eval.recommendation import recommend
from eval.strips import StripPlot
from eval.table import markdown, write_csv, write_json
from eval.table_plots import metric_line

PROGRAM = "python -m eval.compare"
DECISIVE = Metric("er", 1_000)
RULE = "a chunk that holds a whole answer"
COMMON = 10  # places of one answer from which a longer quotation would serve better


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit code, 0 when a report was printed."""
    command = Command.of(PROGRAM, arguments)
    options = _parser().parse_args(command.given)
    return command.run(options, lambda: _run(options, command))


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
        "--chunker",
        nargs="+",
        default=list(MODEL_FREE),
        metavar="NAME",
        help=f"default: {' '.join(MODEL_FREE)}",
    )
    add_retrieval(parser, "lexical", "dense", "hybrid")
    parser.add_argument(
        "--by",
        default=str(DECISIVE),
        choices=[str(metric) for metric in METRICS],
        help=f"default: {DECISIVE}",
    )
    add_baseline(parser)
    add_sampling(parser)
    add_cache(parser)
    add_outputs(
        parser, plot="er@B by budget and, into FILE-strips beside it, where chunkers cut the busiest chapter"
    )
    return parser


def _run(options: argparse.Namespace, command: Command) -> None:
    text, files = _own(options)
    (text,) = drawn([text], options.limit, options.seed)
    asked, cuts = (
        asked_retrieval(options),
        cuts_named(options.chunker, lambda name: asked_chunker(name, options)),
    )
    baseline = asked_baseline(options, [cut.name for cut in cuts], asked.retrievers)
    compared: list[Compared] = []
    for cut in cuts:
        under = ", ".join(map(str, asked.retrievers))
        say(f"{text.name}: {cut.name}, {len(text.questions)} questions, {under}")
        compared += compare(text, cut, asked.retrievers, asked.windows, reading=asked.reading)
    rows = [one.row() for one in compared]
    if baseline is not None:
        rows = table_compared(rows, baseline, [options.by])
    found = recommend({one.name: one.values[options.by] for one in compared})
    record = command.record(text.name, RULE, files, asked.deciding, options.seed)
    strategies = {cut.name: cut.strategy for cut in cuts}
    print(markdown(rows, bounded=[options.by]))
    print(f"\n{footer(record, strategies)}\n\n{found.text(options.by)}")
    if options.json is not None:
        write_json(options.json, rows, record, recommendation=found.as_json(options.by))
    if options.csv is not None:
        write_csv(options.csv, rows, record)
    if options.plot is not None:
        note = plot_note(record, strategies)
        # A band each would hide the lines.
        lines = [metric_line(one.row(), "er", one.name, band=one.name == found.best) for one in compared]
        title = f"{text.name}: {found.questions} questions"
        plot_evidence_recall(options.plot, lines, Words(title, f"band: 95 % of {found.best}\n{note}"))
        _strips(text, cuts).draw(beside(options.plot, "strips"), note)


def _strips(text: PlacedText, cuts: Sequence[Cut]) -> StripPlot:
    evidence = sorted({gold for question in text.questions for gold in question.golds})
    strips = (Strip(cut.name, cut.cut(text).spans or ()) for cut in cuts)
    return StripPlot(text.name, text.text, tuple(strips), tuple(evidence))


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


if __name__ == "__main__":
    sys.exit(main())
