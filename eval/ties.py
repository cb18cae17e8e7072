"""A metric's expected value when ids of equal score stand in random order, in closed form.

Source: McSherry and Najork 2008, "Computing information retrieval performance measures efficiently in
the presence of tied scores", sections 2.1 to 2.6. A *group* holds the gains of ids of one score.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from eval.formulas import dcg, discount, exponential, linear, ratio

Groups = Sequence[Sequence[int]]


@dataclass(frozen=True, slots=True)
class TieBounds:
    """One query's value over all orders of ids of equal score."""

    least: float
    expected: float
    greatest: float


def _placed(groups: Groups, k: int | None) -> Iterator[tuple[Sequence[int], int, int]]:
    """Each group, the rank before its first, and how many of its ranks are at most k."""
    before = 0
    for group in groups:
        inside = len(group) if k is None else min(len(group), k - before)
        if inside <= 0:
            return
        yield group, before, inside
        before += len(group)


def _dcg(groups: Groups, k: int | None, gained: Callable[[int], float]) -> float:
    return math.fsum(
        math.fsum(map(gained, group))
        / len(group)
        * math.fsum(discount(before + at) for at in _places(inside))
        for group, before, inside in _placed(groups, k)
    )


def _found(groups: Groups, k: int | None) -> float:
    """Expected number of relevant ids among the first k."""
    return math.fsum(_relevant(group) * inside / len(group) for group, _, inside in _placed(groups, k))


def _success(groups: Groups, k: int | None) -> float:
    none = 1.0
    for group, _, inside in _placed(groups, k):
        for drawn in range(_relevant(group)):
            none *= max(0, len(group) - inside - drawn) / (len(group) - drawn)
    return 1 - none


def _reciprocal_rank(groups: Groups, k: int | None) -> float:
    for group, before, inside in _placed(groups, k):
        relevant = _relevant(group)
        if not relevant:
            continue
        terms, none = [], 1.0  # none: no relevant id at the places so far
        for at in _places(min(inside, len(group) - relevant + 1)):
            first = relevant / (len(group) - at + 1)
            terms.append(none * first / (before + at))
            none *= 1 - first
        return math.fsum(terms)
    return 0.0


def _average_precision(groups: Groups, k: int | None, relevant: int) -> float:
    terms, found = [], 0
    for group, before, inside in _placed(groups, k):
        here, size = _relevant(group), len(group)
        for at in _places(inside) if here else ():
            # Given a relevant id at this place, the others of its group lie evenly over the rest.
            above = (at - 1) * (here - 1) / (size - 1) if size > 1 else 0.0
            terms.append(here / size * (found + 1 + above) / (before + at))
        found += here
    return ratio(math.fsum(terms), relevant)


def _places(inside: int) -> range:
    return range(1, inside + 1)


def _relevant(group: Sequence[int]) -> int:
    return sum(gain > 0 for gain in group)


# name -> (groups, ideal gains, cutoff) -> expected value
EXPECTED: dict[str, Callable[[Groups, Sequence[int], int | None], float]] = {
    "dcg": lambda groups, _, k: _dcg(groups, k, linear),
    "dcg-exp": lambda groups, _, k: _dcg(groups, k, exponential),
    "ndcg": lambda groups, ideal, k: ratio(_dcg(groups, k, linear), dcg(ideal, k, linear)),
    "ndcg-exp": lambda groups, ideal, k: ratio(_dcg(groups, k, exponential), dcg(ideal, k, exponential)),
    "mrr": lambda groups, _, k: _reciprocal_rank(groups, k),
    "map": lambda groups, ideal, k: _average_precision(groups, k, len(ideal)),
    "recall": lambda groups, ideal, k: ratio(_found(groups, k), len(ideal)),
    "success": lambda groups, _, k: _success(groups, k),
    "p": lambda groups, _, k: ratio(_found(groups, k), k or 0),
}
