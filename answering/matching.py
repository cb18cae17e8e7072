"""How a question's terms are met in one sentence: by weight, nearly, in pairs, in a row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from itertools import pairwise

from answering.sentences import PREFIX, ReadSentence

_K1, _B, _MEAN_WORDS = 1.2, 0.75, 24.0  # of BM25; a mean over the group would move with its company
_FUZZY = 0.6

# By term of a question, those that follow it there, each with the place of that pair among the question's.
Followers = Mapping[str, Sequence[tuple[str, int]]]


def followers(pairs: Sequence[tuple[str, str]]) -> Followers:
    """Of a question's pairs of neighbouring terms, each once, in its order."""
    found: dict[str, list[tuple[str, int]]] = {}
    for at, (left, right) in enumerate(pairs):
        found.setdefault(left, []).append((right, at))
    return found


def bm25(one: ReadSentence, hits: Set[str], weights: Mapping[str, float]) -> float:
    """The sum of the weights of ``hits``, terms that are held, grown by their counts, shrunk by length."""
    saturated = _K1 * (1 - _B + _B * len(one.terms) / _MEAN_WORDS)
    total = 0.0
    # In the sentence's order: the last bits of a sum must not change from run to run.
    for term in sorted(hits, key=one.where.__getitem__) if len(hits) > 1 else hits:
        count = len(one.where[term])
        total += weights[term] * count * (_K1 + 1) / (count + saturated)
    return total


def near(one: ReadSentence, weights: Mapping[str, float]) -> float:
    """The sum of the weights of terms that are not held, each times its likeness to the nearest that is."""
    alike = [
        (weight, term, one.prefixes[term[:PREFIX]])
        for term, weight in weights.items()
        if term[:PREFIX] in one.prefixes and term not in one.held
    ]
    return sum([weight * _nearest(term, others) for weight, term, others in alike])


def paired(one: ReadSentence, said: Set[str], after: Followers) -> tuple[int, int]:
    """How many of the question's pairs are held, and how many at most in a row, in its order.

    Args:
        said: the question's terms that are held.
    """
    places = [
        (at, pair)
        for left in said
        for right, pair in after.get(left, ())
        if right in said
        for at in one.where[left]
        if one.terms[at + 1 : at + 2] == (right,)
    ]
    if not places:
        return 0, 0
    places.sort()
    best = run = 1
    for (at, pair), following in pairwise(places):
        run = run + 1 if following == (at + 1, pair + 1) else 1
        best = max(best, run)
    return len({pair for _, pair in places}), best


def longest_run(where: Sequence[int], solid: Sequence[int]) -> int:
    """The most terms of the question in a row, stop words between them not counted.

    Args:
        where: places of the question's terms, at least one, in order.
        solid: see `ReadSentence`.
    """
    best = run = 1
    for at, following in pairwise(where):
        run = run + 1 if solid[following] == solid[at + 1] else 1
        best = max(best, run)
    return best


def _nearest(term: str, others: Sequence[str]) -> float:
    """How much of a term the nearest of others begins with, 0 under `_FUZZY`: "ruler" near "rule"."""
    best = 0.0
    for other in others if len(term) > PREFIX else ():
        common = next((at for at, (a, b) in enumerate(zip(term, other, strict=False)) if a != b), None)
        same = min(len(term), len(other)) if common is None else common
        best = max(best, same / max(len(term), len(other)))
    return best if best >= _FUZZY else 0.0
