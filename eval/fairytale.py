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
from pathlib import Path

from eval.command import Command, add_outputs, add_retrieval, add_sampling, asked_retrievers, say
from eval.datasets.base import DATA_VARIABLE, data_directory, locate
from eval.datasets.fairytaleqa import FAIRYTALEQA, Split, Story, read_stories
from eval.datasets.sample import sample_directory
from eval.joined import join
from eval.nulls import NULLS
from eval.placed import PlacedQuestion, PlacedText, cuts_named, drawn, with_nulls
from eval.section_scoring import score_sections
from eval.table import TableRow, markdown, write_csv, write_json

PROGRAM = "python -m eval.fairytale"
SHAPES = ("story", "joined")
BOUNDED = ("dcg@20", "er@1000")

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
    return command.run(lambda: _run(options, command))


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
    add_sampling(parser)
    add_outputs(parser)
    return parser


def _run(options: argparse.Namespace, command: Command) -> None:
    folder, name = _folder(options.data)
    stories = read_stories(folder, options.split)
    cuts = with_nulls(cuts_named(options.chunker), options.null, options.seed)
    retrievers, embedder = asked_retrievers(options)
    real = name == FAIRYTALEQA.name
    fitted = FITTED[options.split] if real else ()
    rows: list[TableRow] = []
    for shape in dict.fromkeys(options.shape):
        texts = drawn(_texts(stories, shape), options.limit, options.seed)
        for cut in cuts:
            say(
                f"{options.split}, {shape}: {cut.name}, {len(texts)} texts, {', '.join(map(str, retrievers))}"
            )
            labels = {"split": options.split, "shape": shape, "texts": len(texts)}
            for scores in score_sections(texts, cut, retrievers, embedder):
                row = scores.row(labels)
                rows.append(_marked(row, fitted, CHOSEN[options.split] if real else ()))
    print(markdown(rows, bounded=BOUNDED))
    record = command.record(
        _files(folder, options.split),
        embedder if any(retriever.needs_vectors for retriever in retrievers) else None,
        options.seed,
    )
    if options.json is not None:
        write_json(options.json, rows, {**record, "set": name, "rule": "half of chunk or section"})
    if options.csv is not None:
        write_csv(options.csv, rows)


def _marked(row: TableRow, fitted: Sequence[str], chosen: Sequence[str]) -> TableRow:
    labels = {**row.labels, "fitted on": ", ".join(fitted) or "–"}
    return TableRow(
        labels,
        row.figures,
        row.intervals,
        {**row.details, "fitted_on": list(fitted), "chosen_on": list(chosen)},
    )


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
    return [
        PlacedText(
            text.name,
            text.text,
            tuple(
                PlacedQuestion(asked.question.id, asked.question.text, asked.sections)
                for asked in text.questions
            ),
            text.sections,
        )
        for text in join(stories)
    ]


if __name__ == "__main__":
    sys.exit(main())
