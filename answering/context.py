"""What stands around a sentence: in a story "he" is named a sentence earlier, and the answer with him.

Columns for selectors that read candidates with their passages. A place in the passage is none of them, though
a neighbour's 0 may be that of the first or the last sentence, which has none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from answering.base import Candidate
from answering.sentences import read_sentence

Matrix = NDArray[np.float64]

OF_WORDS = (
    "idf overlap with neighbours",
    "gained by neighbours",
    "idf overlap of the sentence before",
    "idf overlap of the sentence after",
    "coverage of the passage",
    "coverage of the passage less that of all",
    "rank of the passage",
)
OF_READING = (
    "reading of the sentence before",
    "reading of the sentence after",
    "best reading in the passage",
    "mean reading in the passage",
)


def word_columns(candidates: Sequence[Candidate], weights: Mapping[str, float]) -> Matrix:
    """(n, len(OF_WORDS)): shares of the question's idf mass, in [0, 1], and the rank.

    Args:
        weights: of the question's terms.
    """
    asked = list(weights)
    mass = np.array([weights[term] for term in asked]) / (sum(weights.values()) or 1.0)  # (terms,)
    texts = dict.fromkeys(text for one in candidates for text in (one.before, one.text, one.after))
    held = {text: _held(text, asked) for text in texts}  # each (terms,) bool
    before, own, after = (
        np.array([held[getattr(one, part)] for one in candidates]).reshape(len(candidates), len(asked))
        for part in ("before", "text", "after")
    )
    ranks = np.array([one.rank for one in candidates])
    passage = np.zeros_like(own)
    for rank in np.unique(ranks):
        passage[ranks == rank] = own[ranks == rank].any(axis=0)
    whole = own.any(axis=0) @ mass
    together = (before | own | after) @ mass
    found = passage @ mass
    return np.column_stack(
        [together, together - own @ mass, before @ mass, after @ mass, found, found - whole, ranks]
    )


def reading_columns(candidates: Sequence[Candidate], readings: NDArray[np.float64]) -> Matrix:
    """(n, len(OF_READING)): what a reader gives the neighbours and the passage.

    A neighbour that is no candidate of the same passage has 0: none, one too short, or one that an earlier
    passage holds too.

    Args:
        readings: (n,) probabilities, candidates in the order of `candidates.candidates`.
    """
    ranks = np.array([one.rank for one in candidates])
    follows = np.array([_follows(one, other) for one, other in pairwise(candidates)], dtype=bool)  # (n - 1,)
    after = np.append(np.where(follows, readings[1:], 0.0), 0.0)
    before = np.append(0.0, np.where(follows, readings[:-1], 0.0))
    best, mean = np.zeros(len(readings)), np.zeros(len(readings))
    for rank in np.unique(ranks):
        inside = ranks == rank
        best[inside], mean[inside] = readings[inside].max(), readings[inside].mean()
    return np.column_stack([before, after, best, mean])


def _follows(one: Candidate, other: Candidate) -> bool:
    """Whether the other is the sentence after the one, in the same passage."""
    return other.rank == one.rank and bool(one.after) and one.after == other.text


def _held(text: str, asked: Sequence[str]) -> NDArray[np.bool_]:
    found = read_sentence(text).held
    return np.array([term in found for term in asked], dtype=bool)
