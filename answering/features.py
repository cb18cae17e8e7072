"""What of a question and a sentence tells whether the one answers the other: columns with names."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from answering.cues import CUES, NEWS, unasked, wanted_by
from answering.matching import Followers, bm25, followers, longest_run, near, paired
from answering.question_class import COARSE, coarse_of
from answering.question_features import Asked, take_apart
from answering.sentences import ReadSentence, read_sentence
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

_EARLY = 6
_IDF_OVERLAP, _WANTED, _WANTED_TOO = map(
    SENTENCE.index, ("idf overlap", "wanted cue", "wanted cue and overlap")
)
_NEWS = [CUES.index(cue) for cue in NEWS]
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
    def _followers(self) -> Followers:
        return followers(self._pairs)

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
                row[_NEWS] = unasked(one.told, self._words)
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
        pairs, phrase = paired(one, said, self._followers)
        all_pairs = len(self._pairs) or 1
        little = (len(said) - len(hits)) / ((len(self._said) - len(weights)) or 1)
        head = float(self._head in one.held) if self._head else 0.5
        nearly = near(one, weights) / self.mass
        if not hits:
            lacking = 1.0 if weights else 0.0
            few = (0.0, 0.0, 0.0, nearly, pairs / all_pairs, 0.0, 0.0, little, 0.0, 0.0, 0.0)
            return (
                *few,
                phrase / all_pairs,
                0.0,
                0.0,
                0.0,
                float(length),
                1.0,
                head,
                lacking,
                0.0,
                float(one.content),
                0.0,
            )
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
            bm25(one, hits, weights) / self.mass,
            share + nearly,
            pairs / all_pairs,
            longest_run(where, one.solid) / many,
            float(rarest in hits),
            little,
            len(where) / (where[-1] - where[0] + 1),
            len(where) / length,
            bisect_left(where, _EARLY) / many,
            phrase / all_pairs,
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
