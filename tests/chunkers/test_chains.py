"""Chains begun anywhere give the one true chain, learn no step twice, and save time where it pays."""

from __future__ import annotations

import threading
from random import Random
from statistics import median

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chunkers.chains import Chains, rehearse, walk
from core.errors import ProviderError

_counts = settings(deadline=None, suppress_health_check=list(HealthCheck))


class Steps:
    """Where each of n starts leads, at random, and how long a window is."""

    def __init__(self, count: int, widest: int, chance: Random) -> None:
        self.reach = [min(start + chance.randint(1, widest), count) for start in range(count)]
        for start in reversed(range(count - 1)):
            self.reach[start] = max(min(self.reach[start], self.reach[start + 1]), start + 1)
        self.places = [0.0]
        for _ in range(count):
            self.places.append(self.places[-1] + chance.randint(1, 9))
        self.leads = [chance.randint(start + 1, end) for start, end in enumerate(self.reach)]
        self.settled = {start: end for start, end in enumerate(self.reach) if end == start + 1}

    def chains(self, workers: int, remembered: dict[int, int] | None = None) -> Chains:
        return Chains(self.places, self.reach, self.settled, remembered or {}, workers)

    def true_chain(self) -> list[int]:
        starts, at = [], 0
        while at < len(self.reach):
            starts.append(at)
            at = self.leads[at]
        return starts


def steps(draw: st.DrawFn) -> Steps:
    return Steps(draw(st.integers(0, 300)), draw(st.integers(1, 12)), draw(st.randoms(use_true_random=False)))


def test_any_order_of_answers_gives_the_true_chain_and_asks_no_start_twice(soak: bool) -> None:
    @settings(_counts, max_examples=2_000 if soak else 150)
    @given(st.composite(steps)(), st.integers(1, 12), st.randoms(use_true_random=False))
    def holds(found: Steps, workers: int, chance: Random) -> None:
        remembered = {
            start: end
            for start, end in enumerate(found.leads)
            if start not in found.settled and chance.random() < 0.2
        }
        chains, asked, running = found.chains(workers, remembered), set(), []
        while not chains.done:
            due = chains.due()
            assert not asked.intersection(due)
            assert not remembered.keys() & set(due)
            asked.update(due)
            running += due
            assert 0 < len(running) <= workers
            start = running.pop(chance.randrange(len(running)))
            chains.learn(start, found.leads[start])
        assert chains.chain() == found.true_chain()
        assert not chains.due()

    holds()


def test_one_worker_never_leaves_the_true_chain() -> None:
    found = Steps(500, 12, Random(1))
    asked: list[int] = []

    def learn(start: int) -> int:
        asked.append(start)
        return found.leads[start]

    walked = walk(found.chains(1), learn, 1)
    assert asked == [start for start in found.true_chain() if start not in found.settled]
    assert walked.chain == found.true_chain()


def test_threads_give_the_same_chain() -> None:
    found = Steps(2_000, 12, Random(2))
    reached: list[int] = []
    walked = walk(found.chains(8), lambda start: found.leads[start], 8, reached=reached.append)
    assert walked.chain == found.true_chain()
    assert walked.frontier == reached[-1] == 2_000
    assert reached == sorted(reached)


def test_a_failed_step_matters_only_to_the_chain_that_needs_it() -> None:
    found = Steps(2_000, 12, Random(3))
    needed = set(found.true_chain())

    def learn(start: int) -> int | ProviderError:
        return found.leads[start] if start in needed else ProviderError(f"at {start}")

    walked = walk(found.chains(8), learn, 8)
    assert walked.error is None
    assert walked.chain == found.true_chain()

    fails = next(at for at in found.true_chain() if at > 700 and at not in found.settled)
    walked = walk(
        found.chains(8),
        lambda start: ProviderError(f"at {start}") if start == fails else found.leads[start],
        8,
    )
    assert str(walked.error) == f"at {fails}"
    assert walked.frontier == fails
    assert list(walked.chain) == [start for start in found.true_chain() if start < fails]


def test_what_is_raised_ends_the_walk_when_the_calls_under_way_have_come_back() -> None:
    found = Steps(2_000, 12, Random(4))
    under_way: set[int] = set()

    def learn(start: int) -> int:
        under_way.add(start)
        try:
            if len(under_way) > 4:
                raise RuntimeError("the key is wrong")
            threading.Event().wait(0.02)
            return found.leads[start]
        finally:
            under_way.discard(start)

    with pytest.raises(RuntimeError, match="the key is wrong"):
        walk(found.chains(8), learn, 8)
    assert not under_way


def test_no_more_steps_are_learned_than_allowed() -> None:
    found = Steps(2_000, 12, Random(5))
    for workers, most in ((1, 7), (8, 7), (8, 1), (8, 40)):
        walked = walk(found.chains(workers), lambda start: found.leads[start], workers, most=most)
        assert len(walked.asked) == most
        assert list(walked.chain) == [at for at in found.true_chain() if at < walked.frontier]


def test_eight_workers_are_seven_times_as_fast_on_a_long_text_and_waste_little() -> None:
    times, wasted = [], []
    for seed in range(9):
        found = Steps(4_000, 12, Random(seed))
        took = rehearse(found.chains(8), lambda start, found=found: found.leads[start], lambda: 1.0)
        times.append(took.needed / took.seconds)
        wasted.append((took.learned - took.needed) / took.needed)
    assert median(times) > 7
    assert median(wasted) < 0.05


def test_a_remembered_chain_is_gone_on_with_at_all_its_ends() -> None:
    found = Steps(4_000, 12, Random(6))
    first = found.chains(8)
    learned: dict[int, int] = {}
    running: list[int] = []
    while len(learned) < 300:  # broken off in the middle
        running += first.due()
        start = running.pop(0)
        learned[start] = found.leads[start]
        first.learn(start, found.leads[start])
    took = rehearse(found.chains(8, learned), lambda start: found.leads[start], lambda: 1.0)
    needed = len([at for at in found.true_chain() if at not in found.settled])
    assert took.learned < 1.1 * (needed - 300) + 20
    assert took.needed / took.seconds > 6
