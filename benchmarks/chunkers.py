"""How fast Sawyer's chunkers are beside others that count tokens, in one run, turn by turn.

    python -m benchmarks.chunkers --data DIR            *Emma*, *War and Peace* and 20 MB of books together
    python -m benchmarks.chunkers --text FILE [FILE...]

Every chunk is at most 512 tokens, counted by the same tokenizer on all sides: cl100k_base, as tiktoken
reads it, and MiniLM's. Sides take turns within each round and start each time with nothing remembered.
``x`` is how many times our seconds the peer takes, the median over rounds. Ours give spans and texts;
"longest" is the most tokens in a chunk of the last round, counted anew.

The run fails when ours are slower than the fastest peer written in Python for any kind, tokenizer and text,
or take over 1.5 times as long for a character of the longest text as for one of the shortest.

tiktoken fetches the file of cl100k_base. Without a network, take the copy that llama-index-core ships:

    pip download --no-deps llama-index-core
    unzip -j llama_index_core-*.whl '*/tiktoken_cache/9b5ad71b2ce5302211f9c61530b329a4922fc6a4' -d tiktoken
    TIKTOKEN_CACHE_DIR=tiktoken python -m benchmarks.chunkers --data DIR
"""

from __future__ import annotations

import argparse
import gc
import logging
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, get_args

import chunkers
from benchmarks.peers import KINDS, PEERS, Cuts, Kind, TokenizerName, forget, size, tokenizer
from chunkers.fixed import Fixed
from chunkers.structural import Structural

BOOKS = ("Emma_-_Jane_Austen.md", "War_and_Peace_-_Leo_Tolstoy.md")
TOGETHER = 20_000_000  # bytes
SIZE = 512  # tokens
GROWTH = 1.5  # seconds a character, the longest text against the shortest
HEAD = ("text", "tokenizer", "kind", "by", "M chars", "chunks", "longest", "ms", "M chars/s", "x")
SEAM = "\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Side:
    """What one side took and made.

    Attributes:
        seconds: a value a round.
        ratios: to ours, a value a round.
    """

    name: str
    seconds: Sequence[float]
    ratios: Sequence[float]
    chunks: int
    longest: int
    compiled: bool


def ours(kind: Kind, name: TokenizerName) -> chunkers.Chunker:
    """Our chunker of a kind, as `chunkers.build` makes it, with the size in any tokens."""
    if kind == "fixed":
        return Fixed(SIZE, size(name))
    made = chunkers.build(kind, size=SIZE, unit="tokens")
    assert isinstance(made, Structural)
    return Structural(made.levels, SIZE, size(name))


def texts(arguments: argparse.Namespace) -> dict[str, str]:
    """The texts to cut, by name, shortest first, read without newline translation."""
    if arguments.text:
        return {path.stem: _read(path) for path in arguments.text}
    folder = arguments.data / "books" if (arguments.data / "books").is_dir() else arguments.data
    read = {name.split("_-_")[0].replace("_", " "): _read(folder / name) for name in BOOKS}
    together: list[str] = []
    length = 0
    for path in sorted(folder.glob("*.md")):
        if length < TOGETHER:
            together.append(_read(path))
            length += path.stat().st_size
    return {**read, f"{len(together)} books": SEAM.join(together)}


def _read(path: Path) -> str:
    return path.read_bytes().decode("utf-8")


def seconds(work: Cuts, text: str) -> tuple[float, Sequence[Any]]:
    """How long one call takes, garbage collection apart, and the chunks it gives."""
    forget()
    gc.collect()
    gc.disable()  # as timeit does: what a collection costs depends on the other side's garbage
    begun = perf_counter()
    made = work(text)
    taken = perf_counter() - begun
    gc.enable()
    return taken, made


def compare(kind: Kind, name: TokenizerName, text: str, rounds: int) -> list[Side]:
    """Ours, then each peer of the kind."""
    peers = [peer for peer in PEERS if peer.kind == kind and name in peer.tokenizers]
    chunker = ours(kind, name)

    def own(text: str) -> list[tuple[int, str]]:
        return [(span.start, span.of(text)) for span in chunker.split(text)]

    taken: list[list[float]] = [[] for _ in (own, *peers)]
    made: list[Sequence[Any]] = [[] for _ in (own, *peers)]
    for round_ in range(rounds):
        works = [own, *(peer.make(name, SIZE) for peer in peers)]
        # The order turns, so that none always follows the same one.
        for side in sorted(range(len(works)), key=lambda side: (side + round_) % len(works)):
            spent, made[side] = seconds(works[side], text)
            taken[side].append(spent)
    count = size(name)
    return [
        Side(
            name="Sawyer" if peer is None else peer.name,
            seconds=taken[at],
            ratios=[theirs / mine for theirs, mine in zip(taken[at], taken[0], strict=True)],
            chunks=len(made[at]),
            longest=max(count(_text(chunk)) for chunk in made[at]),
            compiled=peer is not None and peer.compiled,
        )
        for at, peer in enumerate([None, *peers])
    ]


def _text(chunk: Any) -> str:
    return chunk[1] if isinstance(chunk, tuple) else str(getattr(chunk, "text", chunk))


def fastest(sides: Sequence[Side]) -> float:
    """The median over rounds of the fastest Python peer's time to ours."""
    python = [side.ratios for side in sides[1:] if not side.compiled]
    return median(map(min, zip(*python, strict=True)))


def rows(sides: Sequence[Side], first: Sequence[str], length: int) -> list[str]:
    """A line of the table for each side."""
    return [
        "| "
        + " | ".join(
            [
                *first,
                side.name,
                f"{length / 1e6:.1f}",
                f"{side.chunks:,}",
                f"{side.longest:,}",
                f"{median(side.seconds) * 1e3:,.0f}",
                f"{length / median(side.seconds) / 1e6:.1f}",
                "" if side.name == "Sawyer" else f"{median(side.ratios):.2f}",
            ]
        )
        + " |"
        for side in sides
    ]


def verdict(ratios: Mapping[tuple[str, ...], float], paces: Mapping[tuple[str, str], Sequence[float]]) -> int:
    """Print the least favourable figures; 1 when one falls short."""
    print("\nthe fastest Python peer's time to ours, the least of all texts:")
    lowest: dict[tuple[str, str], float] = {}
    for (_, name, kind), ratio in ratios.items():
        lowest[name, kind] = min(ratio, lowest.get((name, kind), ratio))
    for (name, kind), ratio in lowest.items():
        print(f"  {name} {kind}: {ratio:.2f}")
    growth = {key: pace[-1] / pace[0] for key, pace in paces.items()}
    print("our seconds a character, the longest text to the shortest:")
    for (name, kind), ratio in growth.items():
        print(f"  {name} {kind}: {ratio:.2f}")
    return 0 if min(lowest.values()) >= 1 and max(growth.values()) <= GROWTH else 1


def main() -> int:
    """Print the table; 1 when a figure falls short."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--text", nargs="+", type=Path, metavar="FILE", help="texts to cut, shortest first")
    source.add_argument("--data", type=Path, metavar="DIR", help="the data folder, or its books/")
    parser.add_argument("--tokenizer", nargs="+", choices=get_args(TokenizerName), help="default: both")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    logging.getLogger("langchain_text_splitters").setLevel(logging.ERROR)  # "chunk longer than specified"

    names: Sequence[TokenizerName] = arguments.tokenizer or get_args(TokenizerName)
    for name in names:  # load what is loaded once
        tokenizer(name)
        size(name).ruler("a")
    print("| " + " | ".join(HEAD) + " |")
    print("|---|---|---|---|" + "---:|" * (len(HEAD) - 4))
    ratios: dict[tuple[str, ...], float] = {}
    paces: dict[tuple[str, str], list[float]] = {}
    for title, text in texts(arguments).items():
        for name in names:
            for kind in KINDS:
                sides = compare(kind, name, text, arguments.rounds)
                print(*rows(sides, (title, name, kind), len(text)), sep="\n", flush=True)
                ratios[title, name, kind] = fastest(sides)
                paces.setdefault((name, kind), []).append(median(sides[0].seconds) / len(text))
    return verdict(ratios, paces)


if __name__ == "__main__":
    sys.exit(main())
