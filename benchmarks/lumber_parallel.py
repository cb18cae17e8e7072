"""How much faster LumberChunker is with chains running ahead, at the same boundaries, and what they waste.

    python -m benchmarks.lumber_parallel --data DIR [--book NAME ...] [--rule hash|score] [--delay MS[-MS]]

A loopback server (rule_server.py) stands for a chat model: it answers after 200 ms, or after 50 to 350 ms,
over the real client. Two rules pick: the digest of the window, under which chains meet by chance alone, and
the passage with the highest fixed score, under which they meet soon. Each of ten seeds is another rule.

    calls   on the true chain, as one chain alone makes them
    ratio   wall time of one chain alone, over that with eight calls at once
    waste   calls off the true chain, over those on it
    worst   ratio and waste of the worst seeds

The boundaries must be those of one chain alone, which are found without waiting, or the run fails. Wall
time of one chain alone is its calls times what a call takes, measured in the same run on the first calls
of the book; --sequential runs it whole instead. Medians over the seeds. Without a server, "rehearsed" is
what the same scheduler reaches with a clock of its own, over --rehearsals seeds and no overhead.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # so that the command runs as a file, from anywhere

from benchmarks.rule_server import reply  # noqa: E402 - the path comes first
from chunkers.base import Cut, unwatched  # noqa: E402 - the path comes first
from chunkers.chains import Chains, rehearse  # noqa: E402 - the path comes first
from chunkers.lumber import Lumber  # noqa: E402 - the path comes first
from chunkers.lumber_asking import Asking  # noqa: E402 - the path comes first
from chunkers.lumber_windows import windows  # noqa: E402 - the path comes first
from chunkers.pickers import ChatPicker  # noqa: E402 - the path comes first
from core.errors import CallLimit  # noqa: E402 - the path comes first
from service.chat import OpenAIChat  # noqa: E402 - the path comes first
from service.provider import Endpoint  # noqa: E402 - the path comes first

BOOKS = {
    "A Christmas Carol": "A_Christmas_Carol_-_Charles_Dickens.md",
    "Dracula": "Dracula_-_Bram_Stoker.md",
}
RULES = ("hash", "score")
DELAYS = ("200", "50-350")
# Ratio at least, and waste at most by rule, that the run fails without.
BOUNDS = {
    "A Christmas Carol": (4.0, {"hash": 0.25, "score": 0.10}),
    "Dracula": (7.0, {"hash": 0.05, "score": 0.05}),
}
_TIMED_CALLS = 25  # of one chain alone, to know what a call takes


class Instant:
    """The server's model without the server: a `core.protocols.ChatModel` that takes no time."""

    def __init__(self, name: str) -> None:
        self.name = name

    def keeps_schema(self, *_: object) -> bool:
        """No."""
        return False

    def notices(self) -> Sequence[str]:
        """None."""
        return ()

    def complete(self, system: str, user: str, **_: object) -> str:
        """What the server would say."""
        messages = [{"content": system}, {"content": user}]
        return reply({"model": self.name, "messages": messages})


@dataclass(frozen=True)
class Run:
    """One text cut with workers, beside one chain alone."""

    calls: int
    wasted: int
    seconds: float
    alone: float

    @property
    def ratio(self) -> float:
        """How many times as long one chain alone takes."""
        return self.alone / self.seconds

    @property
    def waste(self) -> float:
        """Calls off the true chain, over those on it."""
        return self.wasted / self.calls


def run(text: str, url: str, model: str, workers: int, *, sequential: bool) -> Run:
    """Cut a text with one seed's rule, and check the boundaries."""
    expected = cut(Lumber(ChatPicker(Instant(model)), workers=1), text)[0]
    chat = OpenAIChat(model, Endpoint(url, "none", 60, 0))
    chat.keeps_schema()  # once an endpoint: neither side's time
    alone = Lumber(ChatPicker(chat), workers=1)
    calls = expected.counts["calls"]
    if sequential:
        _, seconds = cut(alone, text)
    else:
        started = perf_counter()
        with suppress(CallLimit):
            replace(alone, max_calls=_TIMED_CALLS).split(text)
        seconds = (perf_counter() - started) / _TIMED_CALLS * calls
    made, took = cut(replace(alone, workers=workers), text)
    if list(made.spans) != list(expected.spans):
        raise SystemExit(f"{model}: {workers} workers gave other boundaries than one")
    return Run(calls, made.counts["wasted"], took, seconds)


def cut(chunker: Lumber, text: str) -> tuple[Cut, float]:
    """What the chunker makes of the text, and in how many seconds."""
    started = perf_counter()
    made = chunker.cut(text, unwatched)
    return made, perf_counter() - started


def rehearsed(text: str, rule: str, delay: str, workers: int, seeds: int) -> tuple[float, float]:
    """Median ratio and waste without server, threads and overhead."""
    chunker = Lumber(ChatPicker(Instant(rule)))
    ruler = chunker.unit.ruler(text)
    found = windows(text, chunker.unit, ruler, chunker.size, chunker.mode)
    places = [*(span.start for span in found.passages), len(text)]
    low, high = map(float, (delay.split("-") * 2)[:2])
    ratios, wastes = [], []
    for seed in range(seeds):
        asking = Asking(text, found, ChatPicker(Instant(f"{rule}-{seed}-0")))
        chance = Random(seed)
        spent: list[float] = []

        def next_delay(chance: Random = chance, spent: list[float] = spent) -> float:
            spent.append(chance.uniform(low, high))
            return spent[-1]

        known: dict[int, int] = {}

        def learn(start: int, asking: Asking = asking, known: dict[int, int] = known) -> int:
            if start not in known:
                known[start] = int(asking(start))  # type: ignore[call-overload] - a rule does not fail
            return known[start]

        took = rehearse(Chains(places, found.end, found.settled(), {}, workers), learn, next_delay)
        mean = sum(spent) / len(spent)
        ratios.append(took.needed * mean / took.seconds)
        wastes.append((took.learned - took.needed) / took.needed)
    return median(ratios), median(wastes)


@contextmanager
def server() -> Iterator[str]:
    """A rule server in a process of its own; gives its base URL."""
    with subprocess.Popen(
        [sys.executable, str(ROOT / "benchmarks" / "rule_server.py")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.stdin.close()
            process.wait(10)


def main() -> int:
    """Print the table; 1 when a bound is missed."""
    options = _parser().parse_args()
    missed = []
    print(f"{os.cpu_count()} cores, {options.workers} calls at once, medians of {options.seeds} seeds\n")
    print("| text | rule | delay, ms | calls | alone, s | at once, s | ratio | waste | worst | rehearsed |")
    print("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|")
    with server() as url:
        for name, text in _texts(options).items():
            for rule, delay in product(options.rule, options.delay):
                models = [f"{rule}-{seed}-{delay}" for seed in range(options.seeds)]
                runs = [
                    run(text, url, model, options.workers, sequential=options.sequential) for model in models
                ]
                ideal = rehearsed(text, rule, delay, options.workers, options.rehearsals)
                missed += _row(name, rule, delay, runs, ideal)
    for line in missed:
        print(line)
    return 1 if missed else 0


def _texts(options: argparse.Namespace) -> dict[str, str]:
    if options.text:
        return {path.stem: path.read_bytes().decode() for path in options.text}
    if options.data is None:
        raise SystemExit("say where the books are: --data DIR, or SAWYER_DATA; or name a --text")
    return {book: (options.data / "books" / BOOKS[book]).read_bytes().decode() for book in options.book}


def _row(name: str, rule: str, delay: str, runs: Sequence[Run], ideal: tuple[float, float]) -> list[str]:
    """Print a row; what it misses of its bounds."""
    ratio, waste = median(one.ratio for one in runs), median(one.waste for one in runs)
    cells = [
        name,
        rule,
        delay,
        f"{median(one.calls for one in runs):.0f}",
        f"{median(one.alone for one in runs):.1f}",
        f"{median(one.seconds for one in runs):.2f}",
        f"{ratio:.2f}",
        f"{waste:.1%}",
        f"{min(one.ratio for one in runs):.2f}, {max(one.waste for one in runs):.1%}",
        f"{ideal[0]:.2f}, {ideal[1]:.1%}",
    ]
    print(f"| {' | '.join(cells)} |", flush=True)
    if name not in BOUNDS:
        return []
    least, most = BOUNDS[name]
    missed = []
    if ratio < least:
        missed.append(f"{name}, {rule}, {delay}: the ratio must be at least {least}, got {ratio:.2f}")
    if waste > most[rule]:
        missed.append(f"{name}, {rule}, {delay}: the waste must be at most {most[rule]:.0%}, got {waste:.1%}")
    return missed


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    data = os.environ.get("SAWYER_DATA")
    parser.add_argument("--data", type=Path, default=Path(data) if data else None, metavar="DIR")
    parser.add_argument(
        "--text", nargs="+", type=Path, metavar="FILE", help="texts of your own, without bounds"
    )
    parser.add_argument("--book", nargs="+", choices=BOOKS, default=list(BOOKS), metavar="NAME")
    parser.add_argument("--rule", nargs="+", choices=RULES, default=RULES)
    parser.add_argument("--delay", nargs="+", default=DELAYS, metavar="MS", help="200, or 50-350")
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--rehearsals", type=int, default=20, metavar="SEEDS")
    parser.add_argument("--sequential", action="store_true", help="run one chain alone to the end")
    return parser


if __name__ == "__main__":
    sys.exit(main())
