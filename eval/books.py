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
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import chunkers
from answering import SELECTORS, load_selector
from chunkers.base import Chunker
from eval.answer_scoring import AskedText, Asking, Reply, confidences_of, reply_row
from eval.asked_sets import SETS, AskedSet, asked_files, read_asked
from eval.command import Command, add_cache, add_outputs, add_sampling, asked_cache, say
from eval.datasets.base import DATA_VARIABLE, data_directory
from eval.datasets.fairytaleqa import FAIRYTALEQA
from eval.embedders import embedder_named, vector_shelf
from eval.kept_vectors import KeptVectors
from eval.metrics import RiskCoverage, risk_coverage
from eval.placed import drawn
from eval.plots import Words, plot_risk_coverage
from eval.provenance import footer, plot_note
from eval.table import TableRow, markdown, write_csv, write_json
from service.embedding.remembering import RememberingEmbedder
from service.retrieval import RETRIEVERS
from service.settings import Settings
from service.values import DEFAULT_K

PROGRAM = "python -m eval.books"
BOUNDED = ("right@1", "right@3")
RULE = "a sentence that overlaps the evidence"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit code, 0 when a report was printed."""
    command = Command.of(PROGRAM, arguments)
    options = _parser().parse_args(command.given)
    return command.run(options, lambda: _run(options, command))


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
        "--selector",
        nargs="+",
        metavar="NAME",
        help=f"default: as shipped; of {', '.join(SELECTORS)}",
    )
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
    add_cache(parser)
    add_outputs(
        parser,
        plot="risk by coverage, a line a set and selector: the share of wrong ones among the surest",
    )
    return parser


def _run(options: argparse.Namespace, command: Command) -> None:
    data = data_directory(options.data)
    sets: list[AskedSet] = list(dict.fromkeys(options.set or _default(data)))
    if "gutenqa" in sets:
        say(
            "a look at gutenqa/dev, which confirms and chooses nothing: add it to docs/decisions/dev-looks.md"
        )
    settings = Settings.load(chunker=options.chunker)
    inner = embedder_named(settings.embedder)
    kept = KeptVectors(inner, vector_shelf(asked_cache(options), say))
    embedder = RememberingEmbedder(inner)
    selectors = tuple(dict.fromkeys(options.selector or [settings.selector]))
    for selector in selectors:
        load_selector(selector)  # a name that is none is told before anything is embedded
    rows: list[TableRow] = []
    curves: dict[str, RiskCoverage] = {}
    with tempfile.TemporaryDirectory(prefix="sawyer-books-") as place:
        for name in sets:
            asking = Asking(
                Path(place) / name, settings, embedder, selectors, kept, options.k, options.retriever
            )
            replies = _replies(asking, name, _drawn(read_asked(name, data), options))
            rows += _rows(name, replies)
            for selector in selectors:
                line = name if len(selectors) == 1 else f"{name}, {selector}"
                every = [one for text in replies.values() for one in text[selector]]
                curves[line] = risk_coverage(*confidences_of(every))
    files = [path for name in sets for path in asked_files(name, data)]
    chunker = repr(_chunker(settings))
    record = {
        **command.record(", ".join(sets), RULE, files, embedder, options.seed),
        "chunker": chunker,
        "retriever": options.retriever,
        "selector": list(selectors),
        "k": options.k,
    }
    strategies = {
        settings.chunker: chunker,
        "retriever": f"{options.retriever}, k {options.k}",
        "selector": ", ".join(selectors),
    }
    print(markdown(rows, bounded=BOUNDED))
    print(f"\n{footer(record, strategies)}")
    if options.json is not None:
        write_json(options.json, rows, record)
    if options.csv is not None:
        write_csv(options.csv, rows, record)
    if options.plot is not None:
        plot_risk_coverage(
            options.plot, curves, Words("From question to answer sentence", plot_note(record, strategies))
        )


def _default(data: Path | None) -> tuple[AskedSet, ...]:
    if data is None:
        say(f"no data folder: asking the bundled story; for the real sets, {FAIRYTALEQA.instructions}")
        return ("sample",)
    return ("fairytaleqa", "gutenqa")


def _replies(asking: Asking, name: AskedSet, texts: Sequence[AskedText]) -> dict[str, dict[str, list[Reply]]]:
    """What each text's questions came to, by its name and by selector."""
    replies = {}
    for text in texts:
        say(f"{name}: {text.placed.name}, {len(text.placed.questions)} questions")
        replies[text.placed.name] = asking.ask(text)
    return replies


def _rows(name: AskedSet, replies: Mapping[str, Mapping[str, Sequence[Reply]]]) -> list[TableRow]:
    """A row a text and selector and, where there are several texts, one for all of them."""
    texts = {text: [of] for text, of in replies.items()}
    if len(replies) > 1:
        texts[f"all {len(replies)}"] = list(replies.values())
    return [
        reply_row({"set": name, "text": text, "selector": selector}, [one[selector] for one in of])
        for text, of in texts.items()
        for selector in of[0]
    ]


def _drawn(texts: Sequence[AskedText], options: argparse.Namespace) -> list[AskedText]:
    placed = drawn([text.placed for text in texts], options.limit, options.seed)
    return [replace(text, placed=kept) for text, kept in zip(texts, placed, strict=True) if kept.questions]


def _chunker(settings: Settings) -> Chunker:
    return chunkers.build(
        settings.chunker, size=settings.chunk_size, unit=settings.chunk_unit, overlap=settings.chunk_overlap
    )


if __name__ == "__main__":
    sys.exit(main())
