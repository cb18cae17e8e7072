"""``python -m eval.books``: from question to answer sentence or to none, in the pipeline as it is shipped.

Each text is ingested by itself and asked its questions (``right@k``: a sentence among the first k overlaps
the evidence), and what it cannot answer: questions of another author's text, of another text of the same
author, and its own with the passages that hold the evidence removed. ``answered`` of those are false answers;
``auroc`` tells how well the probability parts them from the answerable. The row ``all`` is over all that was
asked, in the mix that the counts above it show. FairytaleQA's texts are stories joined, its authors the
collections that they come from. Without a data folder it asks the bundled story.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import chunkers
from answering import SELECTORS, load_selector, name_meant
from chunkers.base import Chunker
from eval.answer_scoring import Asking, Reply
from eval.asked import KINDS, AskedText, drawn
from eval.asked_sets import SETS, AskedSet, asked_files, read_asked
from eval.command import Command, add_cache, add_outputs, add_sampling, asked_cache, say
from eval.datasets.base import DATA_VARIABLE, data_directory
from eval.datasets.fairytaleqa import FAIRYTALEQA
from eval.embedders import embedder_named, vector_shelf
from eval.kept_vectors import KeptVectors
from eval.metrics import RiskCoverage, risk_coverage
from eval.plots import Words, plot_risk_coverage
from eval.provenance import footer, plot_note
from eval.reply_rows import BOUNDED, confidences_of, reply_rows
from eval.table import TableRow, markdown, write_csv, write_json
from service.embedding.remembering import RememberingEmbedder
from service.retrieval import RETRIEVERS
from service.settings import Settings
from service.values import DEFAULT_K, DEFAULT_SELECTOR

PROGRAM = "python -m eval.books"
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
    parser.add_argument(
        "--asked",
        nargs="+",
        choices=KINDS,
        default=list(KINDS),
        metavar="KIND",
        help=f"default: all of {', '.join(KINDS)}",
    )
    parser.add_argument("--chunker", metavar="NAME", help="default: as shipped")
    parser.add_argument("--retriever", choices=RETRIEVERS, default="hybrid", help="default: hybrid")
    parser.add_argument(
        "--selector",
        nargs="+",
        metavar="NAME",
        help=f"default: as shipped; of {', '.join(SELECTORS)}, each with @POINT or without; @POINT alone "
        "is the default's",
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
    embedder = RememberingEmbedder(inner)
    # around what remembers: a text without some of its stories is embedded for the windows that are new
    kept = KeptVectors(embedder, vector_shelf(asked_cache(options), say))
    own = name_meant(settings.selector, DEFAULT_SELECTOR)
    selectors = tuple(dict.fromkeys(name_meant(name, own) for name in options.selector or [own]))
    for selector in selectors:
        load_selector(selector)  # a name that is none is told before anything is embedded
    rows: list[TableRow] = []
    curves: dict[str, RiskCoverage] = {}
    with tempfile.TemporaryDirectory(prefix="sawyer-books-") as place:
        for name in sets:
            asking = Asking(
                Path(place) / name, settings, embedder, selectors, kept, options.k, options.retriever
            )
            texts = drawn(read_asked(name, data), options.asked, options.limit, options.seed)
            for selector, replies in _replies(asking, name, texts).items():
                rows += _rows(name, selector, replies)
                line = name if len(selectors) == 1 else f"{name}, {selector}"
                curves[line] = risk_coverage(*confidences_of(replies))
    files = [path for name in sets for path in asked_files(name, data)]
    chunker = repr(_chunker(settings))
    record = {
        **command.record(", ".join(sets), RULE, files, embedder, options.seed),
        "chunker": chunker,
        "retriever": options.retriever,
        "selector": list(selectors),
        "k": options.k,
        "asked": options.asked,
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


def _replies(asking: Asking, name: AskedSet, texts: Sequence[AskedText]) -> dict[str, list[Reply]]:
    """What the questions of all texts came to, by selector."""
    replies: dict[str, list[Reply]] = {selector: [] for selector in asking.selectors}
    for text in texts:
        say(f"{name}: {text.name}, {len(text.questions)} questions")
        for selector, found in asking.ask(text).items():
            replies[selector] += found
    return replies


def _rows(name: AskedSet, selector: str, replies: Sequence[Reply]) -> list[TableRow]:
    """Rows a text that questions were written for and, where there are several, rows of all of them."""
    homes = list(dict.fromkeys(reply.home for reply in replies))
    texts = {home: [reply for reply in replies if reply.home == home] for home in homes}
    if len(homes) > 1:
        texts[f"all {len(homes)}"] = list(replies)
    return [
        row
        for text, of in texts.items()
        for row in reply_rows({"set": name, "text": text, "selector": selector}, of)
    ]


def _chunker(settings: Settings) -> Chunker:
    return chunkers.build(
        settings.chunker, size=settings.chunk_size, unit=settings.chunk_unit, overlap=settings.chunk_overlap
    )


if __name__ == "__main__":
    sys.exit(main())
