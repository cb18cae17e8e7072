"""``python -m eval.books``: from question to answer sentence, through the pipeline as it is shipped.

Each text is ingested by itself and asked its questions. ``right@k``: a sentence among the first k overlaps
the evidence. ``answered``: the trigger gave the first sentence out. FairytaleQA (val, joined): explicit
questions whose first answer stands in a gold section; evidence is the sentences that hold it. Without a data
folder it asks the bundled story, its unanswerable questions among them.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import chunkers
from chunkers.base import Chunker
from eval.answer_scoring import AskedText, Asking, Reply, reply_row
from eval.asked_sets import SETS, AskedSet, asked_files, read_asked
from eval.command import Command, add_outputs, add_sampling, embedder_named, say
from eval.datasets.base import DATA_VARIABLE, data_directory
from eval.datasets.fairytaleqa import FAIRYTALEQA
from eval.placed import drawn
from eval.table import TableRow, markdown, write_csv, write_json
from service.embedding.remembering import RememberingEmbedder
from service.retrieval import RETRIEVERS
from service.settings import Settings
from service.values import DEFAULT_K

PROGRAM = "python -m eval.books"
BOUNDED = ("right@1", "right@3")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit code, 0 when a report was printed."""
    command = Command.of(PROGRAM, arguments)
    options = _parser().parse_args(command.given)
    return command.run(lambda: _run(options, command))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=PROGRAM, description=__doc__.split("\n\n")[0].split(": ", 1)[1])
    parser.add_argument(
        "--set",
        nargs="+",
        choices=SETS,
        help="default: fairytaleqa gutenqa; without a data folder sample. gutenqa (dev) confirms and chooses "
        "nothing: every look at it is counted in docs/decisions/dev-looks.md",
    )
    parser.add_argument("--chunker", metavar="NAME", help="default: as shipped")
    parser.add_argument("--retriever", choices=RETRIEVERS, default="hybrid", help="default: hybrid")
    parser.add_argument(
        "--k",
        type=int,
        default=DEFAULT_K,
        help=f"passages that answers are looked for in (default: {DEFAULT_K})",
    )
    parser.add_argument(
        "--data", type=Path, metavar="DIR", help=f"the data root (default: {DATA_VARIABLE}, else the sample)"
    )
    add_sampling(parser)
    add_outputs(parser)
    return parser


def _run(options: argparse.Namespace, command: Command) -> None:
    data = data_directory(options.data)
    sets: list[AskedSet] = list(dict.fromkeys(options.set or _default(data)))
    if "gutenqa" in sets:
        say(
            "a look at gutenqa/dev, which confirms and chooses nothing: add it to docs/decisions/dev-looks.md"
        )
    settings = Settings.load(chunker=options.chunker)
    embedder = RememberingEmbedder(embedder_named(settings.embedder))
    rows: list[TableRow] = []
    with tempfile.TemporaryDirectory(prefix="sawyer-books-") as place:
        for name in sets:
            asking = Asking(Path(place) / name, settings, embedder, options.k, options.retriever)
            rows += _rows(asking, name, _drawn(read_asked(name, data), options))
    print(markdown(rows, bounded=BOUNDED))
    files = [path for name in sets for path in asked_files(name, data)]
    record = {
        **command.record(files, embedder, options.seed),
        "chunker": repr(_chunker(settings)),
        "retriever": options.retriever,
        "k": options.k,
    }
    if options.json is not None:
        write_json(options.json, rows, record)
    if options.csv is not None:
        write_csv(options.csv, rows)


def _default(data: Path | None) -> tuple[AskedSet, ...]:
    if data is None:
        say(f"no data folder: asking the bundled story; for the real sets, {FAIRYTALEQA.instructions}")
        return ("sample",)
    return ("fairytaleqa", "gutenqa")


def _rows(asking: Asking, name: AskedSet, texts: Sequence[AskedText]) -> list[TableRow]:
    """A row a text and, where there are several, one for all."""
    replies: list[list[Reply]] = []
    rows: list[TableRow] = []
    for text in texts:
        say(f"{name}: {text.placed.name}, {len(text.placed.questions)} questions")
        replies.append(asking.ask(text))
        rows.append(reply_row({"set": name, "text": text.placed.name}, [replies[-1]]))
    if len(texts) > 1:
        rows.append(reply_row({"set": name, "text": f"all {len(texts)}"}, replies))
    return rows


def _drawn(texts: Sequence[AskedText], options: argparse.Namespace) -> list[AskedText]:
    placed = drawn([text.placed for text in texts], options.limit, options.seed)
    return [replace(text, placed=kept) for text, kept in zip(texts, placed, strict=True) if kept.questions]


def _chunker(settings: Settings) -> Chunker:
    return chunkers.build(
        settings.chunker, size=settings.chunk_size, unit=settings.chunk_unit, overlap=settings.chunk_overlap
    )


if __name__ == "__main__":
    sys.exit(main())
