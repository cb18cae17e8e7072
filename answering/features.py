"""What of a question and a sentence tells whether the one answers the other: columns with names."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from answering.cues import CUES, Shown, wanted_by
from answering.question_class import COARSE, coarse_of
from answering.question_features import Asked, take_apart
from answering.sentences import PREFIX, ReadSentence, read_sentence
from core.text import STOP_WORDS, IdfTable, question_terms, stems, terms, words

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
_FUZZY = 0.6
_IDF_OVERLAP, _WANTED, _WANTED_TOO = map(
    SENTENCE.index, ("idf overlap", "wanted cue", "wanted cue and overlap")
)
_OWN = SENTENCE.index(CUES[0])  # the columns before those of the cues


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
    def _spoken(self) -> list[str]:
        return words(self.text)

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(self._spoken)

    @cached_property
    def _said(self) -> frozenset[str]:
        """All its terms, little words too."""
        return frozenset(stems(self._spoken))

    @cached_property
    def _pairs(self) -> list[tuple[str, str]]:
        return list(dict.fromkeys(pairwise(stems(self._spoken))))

    @cached_property
    def _followers(self) -> dict[str, list[tuple[str, int]]]:
        """By term, those that follow it in the question, with the places of such pairs in `_pairs`."""
        found: dict[str, list[tuple[str, int]]] = {term: [] for term in self._said}
        for at, (left, right) in enumerate(self._pairs):
            found[left].append((right, at))
        return found

    @cached_property
    def _wanted(self) -> list[int]:
        wanted = wanted_by(self.label)
        return [at for at, cue in enumerate(CUES) if cue in wanted]

    @cached_property
    def _head(self) -> str:
        return " ".join(terms(self.asked.head))

    @cached_property
    def _ends(self) -> tuple[str, str, float]:
        """The rarest term, the last one, and the greatest weight; empty and 1 without terms."""
        rarest = max(self.weights, key=self.weights.__getitem__, default="")
        return rarest, next(reversed(self.weights), ""), self.weights.get(rarest, 1.0)

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
        read = [read_sentence(text) for text in texts]
        cued = np.frombuffer(b"".join([one.cues for one in read])).reshape(-1, len(CUES)).copy()
        for row, one in zip(cued, read, strict=True):
            if not self._words.isdisjoint(one.news):
                row[:] = Shown(tuple(row), one.told).beside(self._words)
        own = np.array([self._row(one) for one in read], dtype=np.float64).reshape(-1, _OWN)
        own[:, _WANTED] = cued[:, self._wanted].any(axis=1)
        own[:, _WANTED_TOO] = own[:, _WANTED] * own[:, _IDF_OVERLAP]
        return np.concatenate([own, cued], axis=1)

    def coverage(self, texts: Sequence[str]) -> float:
        """The share of the question's idf mass that the texts hold together, in [0, 1]."""
        read = [read_sentence(text) for text in texts]
        held = [weight for term, weight in self.weights.items() if any(term in one.held for one in read)]
        return sum(held) / self.mass

    def _row(self, one: ReadSentence) -> tuple[float, ...]:
        """(_OWN,): the columns before the cues, 0 in those that need the cues."""
        said, weights, length = self._said & one.held, self.weights, len(one.terms)
        hits = said & weights.keys()
        rarest, last, heaviest = self._ends
        pairs, phrase = self._paired(one, said) if said else (0.0, 0.0)
        little = (len(said) - len(hits)) / ((len(self._said) - len(weights)) or 1)
        head = float(self._head in one.held) if self._head else 0.5
        near = self._near(one)
        if not hits:
            lacking = 1.0 if weights else 0.0
            few = (0.0, 0.0, 0.0, near, pairs, 0.0, 0.0, little, 0.0, 0.0, 0.0, phrase, 0.0, 0.0, 0.0)
            return (*few, float(length), 1.0, head, lacking, 0.0, float(one.content), 0.0)
        many, where = len(weights), sorted([at for term in hits for at in one.where[term]])
        share = missing = 0.0
        for term, weight in weights.items():
            if term in hits:
                share += weight
            elif weight > missing:
                missing = weight
        share /= self.mass
        new = float(one.content - len(hits) + len(hits & STOP_WORDS))
        first = where[0] / length
        return (
            len(hits) / many,
            share,
            self._bm25(one, hits),
            share + near,
            pairs,
            _longest_run(where, one.solid) / many,
            float(rarest in hits),
            little,
            len(where) / (where[-1] - where[0] + 1),
            len(where) / length,
            bisect_left(where, _EARLY) / many,
            phrase,
            0.0,
            new * share,
            (1 - first) * share,
            float(length),
            first,
            head,
            missing / heaviest,
            float(last in hits),
            new,
            0.0,
        )

    def _bm25(self, one: ReadSentence, hits: Set[str]) -> float:
        saturated = _K1 * (1 - _B + _B * len(one.terms) / _MEAN_WORDS)
        total = 0.0
        # In the sentence's order: the last bits of a sum must not change from run to run.
        for term in sorted(hits, key=one.where.__getitem__) if len(hits) > 1 else hits:
            n = len(one.where[term])
            total += self.weights[term] * n * (_K1 + 1) / (n + saturated)
        return total / self.mass

    def _near(self, one: ReadSentence) -> float:
        """The share of the idf mass of the terms that are not held, so far as others are like them."""
        alike = [
            (weight, term, one.prefixes[term[:PREFIX]])
            for term, weight in self.weights.items()
            if term[:PREFIX] in one.prefixes and term not in one.held
        ]
        return sum([weight * _nearest(term, others) for weight, term, others in alike]) / self.mass

    def _paired(self, one: ReadSentence, said: Set[str]) -> tuple[float, float]:
        """The shares of the question's pairs that are held, and that are held in a row, in its order."""
        places = [
            (at, pair)
            for left in said
            for right, pair in self._followers[left]
            if right in said
            for at in one.where[left]
            if one.terms[at + 1 : at + 2] == (right,)
        ]
        if not places:
            return 0.0, 0.0
        places.sort()
        best = run = 1
        for (at, pair), (next_at, next_pair) in pairwise(places):
            run = run + 1 if (next_at, next_pair) == (at + 1, pair + 1) else 1
            best = max(best, run)
        return len({pair for _, pair in places}) / len(self._pairs), best / len(self._pairs)


def _longest_run(where: Sequence[int], solid: Sequence[int]) -> int:
    """The most terms of the question in a row, stop words between them not counted."""
    best = run = 1
    for at, after in pairwise(where):
        run = run + 1 if solid[after] == solid[at + 1] else 1
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
