"""What of a question and a sentence tells whether the one answers the other: columns with names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from answering.cues import CUES, cues, wanted_by
from answering.question_class import COARSE, coarse_of
from answering.question_features import Asked, take_apart
from core.text import STOP_WORDS, IdfTable, question_terms, terms, words

Matrix = NDArray[np.float64]

_ASKING = ("what", "who", "when", "where", "how", "why", "which")
QUESTION = (
    "question words",
    "question terms",
    *(f"asks {word}" for word in _ASKING),
    *(f"class {name}" for name in COARSE),
)
SENTENCE = (
    "overlap",
    "idf overlap",
    "bm25",
    "fuzzy overlap",
    "pairs",
    "longest run",
    "rarest term",
    "little words",
    "density",
    "share of sentence",
    "early terms",
    "phrase",
    "wanted cue and overlap",
    "new terms and overlap",
    "place of first and overlap",
    "words",
    "first term",
    "head",
    "missing idf",
    "last term",
    "new terms",
    "wanted cue",
    *CUES,
)
# The columns that are also read beside the other candidates: never negative, and 0 for a sentence that has
# nothing to do with the question.
COMPARED = SENTENCE[: SENTENCE.index("words")]

_K1, _B, _MEAN_WORDS = 1.2, 0.75, 24.0  # of BM25; a mean over the group would move with its company
_EARLY = 6
_PREFIX, _FUZZY = 3, 0.6


@dataclass(frozen=True)
class ReadQuestion:
    """A question as the columns see it.

    Attributes:
        label: its fine class.
        idf: the weights of its terms.
    """

    text: str
    label: str
    idf: IdfTable

    @cached_property
    def weights(self) -> dict[str, float]:
        """Each term's weight, in the question's order."""
        return {term: self.idf.idf(term) for term in question_terms(self.text)}

    @cached_property
    def mass(self) -> float:
        """What the terms weigh together; 1 without terms, so that it can divide."""
        return sum(self.weights.values()) or 1.0

    @cached_property
    def asked(self) -> Asked:
        """The question taken apart."""
        return take_apart(self.text)

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(words(self.text))

    @cached_property
    def _pairs(self) -> list[tuple[str, str]]:
        return list(dict.fromkeys(pairwise(terms(self.text))))

    @cached_property
    def _little(self) -> list[str]:
        return [term for term in dict.fromkeys(terms(self.text)) if term not in self.weights]

    @cached_property
    def _wanted(self) -> list[int]:
        return [at for at, cue in enumerate(CUES) if cue in wanted_by(self.label)]

    def columns(self) -> list[float]:
        """(len(QUESTION),): lengths, question word and coarse class."""
        return [
            float(len(self.asked.words)),
            float(len(self.weights)),
            *(float(self.asked.asking == word) for word in _ASKING),
            *(float(coarse_of(self.label) == name) for name in COARSE),
        ]

    def matrix(self, texts: Sequence[str]) -> Matrix:
        """(n, len(SENTENCE))."""
        return np.array([self._row(text) for text in texts], dtype=np.float64).reshape(-1, len(SENTENCE))

    def coverage(self, texts: Sequence[str]) -> float:
        """The share of the question's idf mass that the texts hold together, in [0, 1]."""
        held = {term for text in texts for term in terms(text)}
        return sum(weight for term, weight in self.weights.items() if term in held) / self.mass

    def _row(self, text: str) -> list[float]:
        found, weights = terms(text), self.weights
        where = [at for at, term in enumerate(found) if term in weights]
        counts = Counter(found[at] for at in where)
        held, length, many = set(found), max(len(found), 1), max(len(weights), 1)
        share = sum(weight for term, weight in weights.items() if term in counts) / self.mass
        missing = {term: weight for term, weight in weights.items() if term not in counts}
        saturated = _K1 * (1 - _B + _B * length / _MEAN_WORDS)
        held_pairs = set(pairwise(found))
        head = " ".join(terms(self.asked.head))
        last = next(reversed(weights), "")
        new = float(sum(1 for term in held if term not in weights and term not in STOP_WORDS))
        shown = cues(text, self._words)
        wanted = float(any(shown[at] for at in self._wanted))
        return [
            len(counts) / many,
            share,
            sum(weights[term] * n * (_K1 + 1) / (n + saturated) for term, n in counts.items()) / self.mass,
            share + sum(weight * _nearest(term, held) for term, weight in missing.items()) / self.mass,
            sum(pair in held_pairs for pair in self._pairs) / max(len(self._pairs), 1),
            _longest_run(found, weights) / many,
            float(max(weights, key=lambda term: weights[term], default="") in counts),
            sum(term in held for term in self._little) / max(len(self._little), 1),
            len(where) / (where[-1] - where[0] + 1) if where else 0.0,
            len(where) / length,
            sum(at < _EARLY for at in where) / many,
            _longest_phrase(self._pairs, found) / max(len(self._pairs), 1),
            wanted * share,
            new * share,
            (1 - where[0] / length) * share if where else 0.0,
            float(len(found)),
            where[0] / length if where else 1.0,
            float(head in held) if head else 0.5,
            max(missing.values(), default=0.0) / max(weights.values(), default=1.0),
            float(last in counts),
            new,
            wanted,
            *shown,
        ]


def _longest_run(found: Sequence[str], weights: dict[str, float]) -> int:
    """The most terms of the question in a row, stop words between them not counted."""
    best = run = 0
    for term in found:
        if term in weights:
            run += 1
            best = max(best, run)
        elif term not in STOP_WORDS:
            run = 0
    return best


def _longest_phrase(pairs: Sequence[tuple[str, str]], found: Sequence[str]) -> int:
    """The most pairs of the question in a row, in its order."""
    follows = {pair: at for at, pair in enumerate(pairs)}
    best = run = 0
    last = -1
    for pair in pairwise(found):
        at = follows.get(pair, -1)
        run = 0 if at < 0 else run + 1 if at == last + 1 and run else 1
        best, last = max(best, run), at
    return best


def _nearest(term: str, held: set[str]) -> float:
    """How much of a term the nearest text's term begins with, 0 under `_FUZZY`: "ruler" near "rule"."""
    best = 0.0
    for other in held:
        if len(term) > _PREFIX and term[:_PREFIX] == other[:_PREFIX]:
            common = next((at for at, (a, b) in enumerate(zip(term, other, strict=False)) if a != b), None)
            same = min(len(term), len(other)) if common is None else common
            best = max(best, same / max(len(term), len(other)))
    return best if best >= _FUZZY else 0.0
