"""How fast chunkers that count characters are beside langchain-text-splitters, in one run, turn by turn.

    python benchmarks/chunkers_langchain.py --data DIR            *Emma*, *War and Peace* and twice both
    python benchmarks/chunkers_langchain.py --text FILE [FILE...]

What is compared, at equal size, without overlap:

    fixed       CharacterTextSplitter(separator=""), the faster of the two ways to cut at characters
    recursive   RecursiveCharacterTextSplitter with its own separators (it has no sentences)
    paragraph   CharacterTextSplitter on the regular expression for a blank line that knows CR LF too;
                every paragraph a chunk (chunk_size=1), and packed

Sawyer's chunks are spans, so their offsets are exact; LangChain gives offsets when asked
(add_start_index=True). "offsets" compares the two doing that: each chunk's text and where it starts.
"text" lets LangChain leave the offsets out. Times are medians; both sides take turns within each round.
The run fails when "offsets" is less than three times LangChain's speed anywhere.
"""

from __future__ import annotations

import argparse
import gc
import logging
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from langchain_text_splitters import CharacterTextSplitter, RecursiveCharacterTextSplitter, TextSplitter

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # so that the command runs as a file, from anywhere

import chunkers  # noqa: E402 - the path comes first

BOOKS = ("Emma_-_Jane_Austen.md", "War_and_Peace_-_Leo_Tolstoy.md")
COPIES = 2
AT_LEAST = 3.0
BLANK_LINE = r"\r?\n[^\S\n]*\n\s*"


@dataclass(frozen=True)
class Pair:
    """One of our chunkers and what LangChain has for the same task."""

    name: str
    ours: chunkers.Chunker
    theirs: Callable[[bool], TextSplitter]  # called with add_start_index


def pairs() -> list[Pair]:
    """What is compared; see the head of this file."""

    def characters(index: bool) -> TextSplitter:
        return CharacterTextSplitter("", chunk_size=1_300, chunk_overlap=0, add_start_index=index)

    def recursive(size: int) -> Callable[[bool], TextSplitter]:
        return lambda index: RecursiveCharacterTextSplitter(
            chunk_size=size, chunk_overlap=0, add_start_index=index
        )

    def paragraphs(size: int) -> Callable[[bool], TextSplitter]:
        return lambda index: CharacterTextSplitter(
            BLANK_LINE, is_separator_regex=True, chunk_size=size, chunk_overlap=0, add_start_index=index
        )

    build = chunkers.build
    return [
        Pair("fixed, 1,300", build("fixed", size=1_300), characters),
        Pair("recursive, 1,300", build("recursive", size=1_300), recursive(1_300)),
        Pair("recursive, 400", build("recursive", size=400), recursive(400)),
        Pair("paragraph", build("paragraph"), paragraphs(1)),
        Pair("paragraph, 1,300", build("paragraph", size=1_300), paragraphs(1_300)),
    ]


def texts(arguments: argparse.Namespace) -> dict[str, str]:
    """The texts to cut, by name, read without newline translation."""
    if arguments.text:
        paths = [Path(name) for name in arguments.text]
    else:
        folder = Path(arguments.data)
        folder = folder / "books" if (folder / "books").is_dir() else folder
        paths = [folder / name for name in BOOKS]
    read = {path.stem.split("_-_")[0].replace("_", " "): path.read_bytes().decode("utf-8") for path in paths}
    together = "\r\n\r\n".join(read.values())
    return {**read, f"{COPIES} x all": "\r\n\r\n".join([together] * COPIES)}


def seconds(work: Callable[[], Any]) -> tuple[float, int]:
    """How long one call takes, garbage collection apart, and how many chunks it gives."""
    gc.collect()
    gc.disable()  # as timeit does: what a collection costs depends on the other side's garbage
    begun = perf_counter()
    made = work()
    taken = perf_counter() - begun
    gc.enable()
    return taken, len(made)


def measure(pair: Pair, text: str, rounds: int) -> list[str]:
    """One row of the table but for its ratios' rule: medians over rounds, taken in turn."""
    works: list[Callable[[], Any]] = [
        lambda: [(span.start, span.of(text)) for span in pair.ours.split(text)],
        lambda: pair.theirs(True).create_documents([text]),
        lambda: pair.theirs(False).split_text(text),
    ]
    turns = [[seconds(work) for work in works] for _ in range(rounds)]
    ours, offsets, plain = (median(turn[side][0] for turn in turns) for side in range(3))
    return [
        pair.name,
        f"{len(text) / 1e6:.1f}",
        f"{turns[0][0][1]:,}",
        f"{turns[0][1][1]:,}",
        f"{ours * 1e3:.0f}",
        f"{offsets * 1e3:.0f}",
        f"{plain * 1e3:.0f}",
        f"{len(text) / ours / 1e6:.0f}",
        f"{offsets / ours:.1f}",
        f"{plain / ours:.1f}",
    ]


def main() -> int:
    """Print the table; 1 when a ratio falls short."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--text", nargs="+", metavar="FILE", help="texts to cut")
    source.add_argument("--data", metavar="DIR", help="the data folder, or its books/")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    logging.getLogger("langchain_text_splitters").setLevel(logging.ERROR)  # "chunk longer than specified"

    head = [
        "text",
        "chunker, characters",
        "M chars",
        "chunks",
        "theirs",
        "ms",
        "theirs, offsets",
        "theirs, text",
        "M chars/s",
        "x offsets",
        "x text",
    ]
    print("| " + " | ".join(head) + " |")
    print("|---|---|" + "---:|" * (len(head) - 2))
    lowest = float("inf")
    for name, text in texts(arguments).items():
        for pair in pairs():
            row = measure(pair, text, arguments.rounds)
            lowest = min(lowest, float(row[-2]))
            print("| " + " | ".join([name, *row]) + " |", flush=True)
    print(f"\nlowest ratio with offsets: {lowest:.1f} (at least {AT_LEAST:.0f} is asked for)")
    return 0 if lowest >= AT_LEAST else 1


if __name__ == "__main__":
    sys.exit(main())
