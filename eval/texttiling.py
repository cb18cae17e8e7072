"""TextTiling: boundaries where the vocabulary changes most; what learnt segmenters are held against.

Source: Hearst 1997, "TextTiling: Segmenting Text into Multi-paragraph Subtopic Passages", Computational
Linguistics 23(1), section 5, with its block comparison and its parameters (w = 20, k = 10). Words are stemmed
where the paper has its own morphology, and the stop list is ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.text import content_terms
from eval.boundary_scoring import SegmentedText

Values = NDArray[np.float64]

_CLOSEST = 3  # token sequences between two boundaries, at the least


@dataclass(frozen=True, slots=True)
class TextTiling:
    """A segmenter; see `eval.boundary_scoring.Segmenter`.

    Attributes:
        words: content words of a token sequence, the paper's w.
        block: token sequences compared at each side of a gap, the paper's k.
        smoothing: gaps at each side over which a gap's score is averaged.
    """

    words: int = 20
    block: int = 10
    smoothing: int = 1

    @property
    def name(self) -> str:
        """What tables call it."""
        return "TextTiling"

    @property
    def strategy(self) -> str:
        """Its parameters."""
        return repr(self)

    def boundaries(self, text: SegmentedText) -> tuple[int, ...]:
        """Of each deep valley of the likeness between neighbouring blocks the unit that starts nearest."""
        terms = [content_terms(unit.of(text.text)) for unit in text.units]
        starts = np.cumsum([0, *(len(of) for of in terms[:-1])])  # in content words
        words = [term for of in terms for term in of]
        gaps = len(words) // self.words - 1  # gap g stands after (g + 1) * words content words
        if gaps < 1 or len(text.units) < 2:
            return ()
        depths = _depths(_smoothed(self._scores(words, gaps), self.smoothing))
        cutoff = depths.mean() - depths.std() / 2
        found: set[int] = set()
        taken: list[int] = []
        for gap in np.argsort(-depths, kind="stable"):
            if depths[gap] <= max(cutoff, 0.0):
                break
            if all(abs(gap - other) > _CLOSEST for other in taken):
                taken.append(int(gap))
                found.add(int(np.abs(starts[1:] - (gap + 1) * self.words).argmin()) + 1)
        return tuple(sorted(found))

    def _scores(self, words: Sequence[str], gaps: int) -> Values:
        """(gaps,) cosine of the word counts of the blocks left and right."""
        number = {word: at for at, word in enumerate(dict.fromkeys(words))}
        places = np.array([number[word] for word in words])
        scores = np.zeros(gaps)
        for gap in range(gaps):
            middle = (gap + 1) * self.words
            reach = self.words * min(
                self.block, gap + 1, gaps - gap
            )  # blocks of one size, also near the ends
            left = np.bincount(places[middle - reach : middle], minlength=len(number))
            right = np.bincount(places[middle : middle + reach], minlength=len(number))
            scores[gap] = left @ right / np.sqrt((left @ left) * (right @ right))
        return scores


def _smoothed(scores: Values, around: int) -> Values:
    """(n,) mean over each score and those at most ``around`` places off."""
    return np.array([scores[max(0, at - around) : at + around + 1].mean() for at in range(len(scores))])


def _depths(scores: Values) -> Values:
    """(n,) how far the scores rise on both sides of each before they fall again, added up."""
    return np.array([_rise(scores[at::-1]) + _rise(scores[at:]) for at in range(len(scores))])


def _rise(scores: Values) -> float:
    """From the first score up to the first peak."""
    peak = scores[0]
    for score in scores[1:]:
        if score < peak:
            break
        peak = score
    return float(peak - scores[0])
