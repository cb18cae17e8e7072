"""Follows a chain of steps, each slow to learn, from several places at once, to the same end.

Where a step leads depends on its start alone. So chains begun further on run into one another, and once
two share a start they share the rest: the true chain, from 0, takes over what was found out ahead of it.
A chain that was begun off the true one wastes its steps up to where the true one meets it.

`Chains` decides which steps to learn next and touches no clock and no thread; `walk` learns them in
threads, `rehearse` with a clock of its own.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from typing import NamedTuple

from chunkers.workers import Workers
from core.errors import SawyerError

# Steps that a stretch must be expected to take before somebody idle is sent into it: two chains take about
# this many to meet where paragraphs are short. Chosen by `rehearse`, see benchmarks/lumber_parallel.py.
_WORTH = 6
# How far from its even place a chain may begin, in parts of the stretch, to meet others sooner.
_LEEWAY = 0.25
# The last of the chains begun meets nobody, so its stretch may be this much longer.
_LONGER_LAST = 0.2
# Steps of half a window that are assumed to be known when the length of a step is estimated.
_PRIOR = 8

# Where the step from a start leads; an error that only matters if the true chain needs the step.
Learn = Callable[[int], "int | SawyerError"]


class Chains:
    """Which steps to learn, and what is known: ``frontier`` is how far the true chain has come.

    Args:
        places: (n + 1,) where each of n starts stands, and where the text ends; ascending.
        reach: (n,) the furthest that a step from each start can lead, in (start, n].
        settled: start -> end of steps that leave no choice.
        remembered: start -> end of steps that were learned before.
        workers: how many steps may be learned at once.
    """

    def __init__(
        self,
        places: Sequence[float],
        reach: Sequence[int],
        settled: Mapping[int, int],
        remembered: Mapping[int, int],
        workers: int,
    ) -> None:
        self.frontier = 0
        self._places = places
        self._end = len(reach)
        self._known = {**settled, **remembered}
        self._reach = reach
        self._workers = workers
        self._running: set[int] = set()
        self._failed: set[int] = set()
        self._begun = sorted(remembered)
        self._heads = self._open_ends()  # where a chain goes on
        widest = [places[reach[start]] - places[start] for start in range(self._end)]
        self._window = sum(widest) / len(widest) if widest else 0.0
        self._learned, self._lengths = _PRIOR, _PRIOR * self._window / 2
        self._advance()

    @property
    def done(self) -> bool:
        """Whether the true chain has reached the end."""
        return self.frontier >= self._end

    @property
    def stuck(self) -> bool:
        """Whether the true chain needs a step that failed."""
        return self.frontier in self._failed

    def due(self, most: int | None = None) -> list[int]:
        """Starts to learn the steps of now, counted as running from here on; never the same one twice.

        Args:
            most: no more than so many; the true chain's comes first.
        """
        if self.done or self.stuck:
            return []
        free = self._workers - len(self._running)
        room = free if most is None else min(free, most)
        due: list[int] = []
        for head in (self.frontier, *self._heads):
            if len(due) < room and self._is_open(head):
                due.append(self._run(head))
        self._heads = [head for head in self._heads if self._is_open(head)]
        while len(due) < room:
            begun = [self._run(start) for start in self._ahead()[: room - len(due)]]
            if not begun:
                break
            due += begun
        return due

    def learn(self, start: int, end: int) -> None:
        """The step from ``start``, which was due, leads to ``end``."""
        self._running.discard(start)
        self._known[start] = end
        self._learned += 1
        self._lengths += self._places[end] - self._places[start]
        self._heads.append(self._follow(end))
        self._advance()

    def fail(self, start: int) -> None:
        """The step from ``start``, which was due, cannot be learned."""
        self._running.discard(start)
        self._failed.add(start)

    def chain(self) -> list[int]:
        """The starts of the true chain, as far as it is known."""
        starts, at = [], 0
        while at < self.frontier:
            starts.append(at)
            at = self._known[at]
        return starts

    def _open_ends(self) -> list[int]:
        """Where what was remembered leads, in order."""
        ends: dict[int, int] = {}
        for start in sorted(self._known, reverse=True):
            end = self._known[start]
            ends[start] = ends.get(end, end)
        return sorted({ends[start] for start in self._begun})

    def _advance(self) -> None:
        self.frontier = self._follow(self.frontier)

    def _follow(self, start: int) -> int:
        while start < self._end and start in self._known:
            start = self._known[start]
        return start

    def _is_open(self, start: int) -> bool:
        looked_at = start in self._known or start in self._running or start in self._failed
        return start < self._end and not looked_at

    def _run(self, start: int) -> int:
        self._running.add(start)
        insort(self._begun, start)
        return start

    def _ahead(self) -> list[int]:
        """Where to begin chains in the longest stretch that nobody has looked into, if it is worth it."""
        idle = self._workers - len(self._running)
        low, high = max(self._stretches(), key=lambda ends: self._places[ends[1]] - self._places[ends[0]])
        length = self._places[high] - self._places[low]
        steps = length * self._learned / self._lengths
        parts = min(idle + 1, int(steps / _WORTH))
        share = length / (parts + _LONGER_LAST if high == self._end else parts) if parts else 0.0
        spots = [
            self._follow(self._spot(self._places[low] + part * share, share * _LEEWAY, low, high))
            for part in range(1, parts)
        ]
        return [start for start in dict.fromkeys(spots) if start < high and self._is_open(start)]

    def _stretches(self) -> Iterator[tuple[int, int]]:
        """From where each chain is to the next start that somebody has looked at."""
        for head in self._running:
            after = bisect_right(self._begun, head)
            yield head, self._begun[after] if after < len(self._begun) else self._end

    def _spot(self, place: float, leeway: float, low: int, high: int) -> int:
        """A start near ``place`` from which few others are in reach: chains soon meet where few are."""
        first = max(bisect_left(self._places, place - leeway), low + 1)
        last = min(bisect_right(self._places, place + leeway), high)
        middle = min(max(bisect_left(self._places, place), low + 1), high - 1)
        return min(
            range(first, last),
            key=lambda start: (self._reach[start] - start, abs(start - middle)),
            default=middle,
        )


@dataclass(frozen=True, slots=True)
class Walk:
    """What was learned on the way.

    Attributes:
        chain: starts of the true chain, up to ``frontier``.
        frontier: the end, or where an error or the limit stopped the true chain.
        asked: starts whose step somebody set out to learn, those off the true chain too.
        error: of the step that the true chain could not do without.
    """

    chain: Sequence[int]
    frontier: int
    asked: frozenset[int]
    error: SawyerError | None = None


def walk(
    chains: Chains,
    learn: Learn,
    workers: int,
    *,
    most: int | None = None,
    reached: Callable[[int], None] = lambda _: None,
) -> Walk:
    """Follow the true chain to the end, learning steps in threads; returns when no thread is at work.

    Only an interrupt waits for none of them.

    Args:
        chains: with as many workers.
        learn: called at most once a start, from any thread; what it raises ends the walk at once.
        workers: number of threads.
        most: steps that may be learned; the chain ends early when they are used up.
        reached: told how far the true chain has come.
    """
    asked: set[int] = set()
    errors: dict[int, SawyerError] = {}
    running: dict[Future[int | SawyerError], int] = {}
    with Workers(workers, "sawyer-chains") as pool:
        while True:
            due = chains.due(None if most is None else most - len(asked))
            asked.update(due)
            running.update((pool.submit(learn, start), start) for start in due)
            if chains.done or chains.stuck or not running:
                break
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                start, end = running.pop(future), future.result()
                if isinstance(end, SawyerError):
                    chains.fail(start)
                    errors[start] = end
                else:
                    chains.learn(start, end)
            reached(chains.frontier)
    return Walk(chains.chain(), chains.frontier, frozenset(asked), errors.get(chains.frontier))


class Rehearsal(NamedTuple):
    """What a walk would take: seconds of its own clock, and steps learned, on the true chain and in all."""

    seconds: float
    needed: int
    learned: int


def rehearse(chains: Chains, learn: Callable[[int], int], delay: Callable[[], float]) -> Rehearsal:
    """Walk without threads and without waiting.

    Args:
        chains: fresh ones.
        learn: where the step from a start leads.
        delay: seconds that the next step takes to learn.
    """
    now, asked = 0.0, set()
    running: list[tuple[float, int]] = []
    while True:
        for start in chains.due():
            asked.add(start)
            heapq.heappush(running, (now + delay(), start))
        if chains.done:
            return Rehearsal(now, len(asked.intersection(chains.chain())), len(asked))
        now, start = heapq.heappop(running)
        chains.learn(start, learn(start))
