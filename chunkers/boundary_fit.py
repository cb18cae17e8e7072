"""Fits the distilled boundary picker: from texts whose sections are known, and places where a part begins.

Source: Sarawagi and Cohen 2004, sections 3.2 and 3.3 (likelihood and gradient by forward and
backward sums).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]

# Sizes, in tokens, between whose logarithms a section's size is interpolated: the shape is learnt.
_KNOTS = np.log([20.0, 45, 80, 120, 160, 200, 250, 320, 420, 600, 1_000])
_LONGEST = 900  # tokens of a section of several passages
_PENALTY, _SIZE_PENALTY = 3.0, 0.1
_ROUNDS = 80


@dataclass(frozen=True)
class Sections:
    """A text cut into sections, each of whole passages.

    Attributes:
        features: (n, d) before each passage, standardised.
        sizes: (n,) tokens.
        starts: passages that start a section, the first among them.
    """

    features: Values
    sizes: Values
    starts: Sequence[int]


@dataclass(frozen=True)
class Beginnings:
    """Passages among which one begins a new part.

    Attributes:
        features: (n, d) before each passage, standardised.
        begins: which of them.
    """

    features: Values
    begins: int


def fit_boundaries(texts: Sequence[Sections], places: Sequence[Beginnings]) -> Values:
    """(d,) weights under which the sections, and the places where parts begin, are most likely.

    What sections' sizes are worth is learnt along with the weights, so that these need not explain it, and is
    given up. The objective is convex: the same data gives the same weights.
    """
    from scipy.optimize import minimize

    known = [_Lattice(text) for text in texts]
    width = texts[0].features.shape[1]

    def loss(parameters: Values) -> tuple[float, Values]:
        weights, worth = parameters[:width], parameters[width:]
        total = 0.5 * (_PENALTY * weights @ weights + _SIZE_PENALTY * worth @ worth)
        slope = np.concatenate([_PENALTY * weights, _SIZE_PENALTY * worth])
        for lattice in known:
            lost, change = lattice.loss(weights, worth)
            total, slope = total + lost, slope + change
        for place in places:
            lost, change = _place_loss(place, weights)
            total += lost
            slope[:width] += change
        return float(total), slope

    start = np.zeros(width + len(_KNOTS))
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": _ROUNDS})
    return np.asarray(found.x[:width], np.float64)


def _place_loss(place: Beginnings, weights: Values) -> tuple[float, Values]:
    scores = place.features @ weights
    scores = scores - scores.max()
    chances = np.exp(scores) / np.exp(scores).sum()
    slope = place.features.T @ chances - place.features[place.begins]
    return -float(np.log(chances[place.begins])), slope


class _Lattice:
    """All sections that a text could have: of passages ``start`` to ``end``, ordered by end, then start."""

    def __init__(self, text: Sections) -> None:
        self._features = text.features
        self._count = len(text.sizes)
        upto = np.concatenate([[0.0], np.cumsum(text.sizes)])
        ends = np.arange(1, self._count + 1)
        # At least the last passage alone, at most what counts `_LONGEST`.
        self._low = np.minimum(np.searchsorted(upto, upto[1:] - _LONGEST), ends - 1)
        self._first = np.concatenate([[0], np.cumsum(ends - self._low)])
        self._start = np.concatenate([np.arange(low, end) for low, end in zip(self._low, ends, strict=True)])
        self._end = np.repeat(ends, ends - self._low)
        self._knots = _interpolated(upto[self._end] - upto[self._start])
        true = np.append(text.starts, self._count)
        self._true_features = text.features[true[1:-1]].sum(axis=0)
        self._true_knots = _interpolated(upto[true[1:]] - upto[true[:-1]]).sum(axis=0)

    def loss(self, weights: Values, worth: Values) -> tuple[float, Values]:
        """How unlikely the text's own sections are, as ``-ln``, and its gradient by weights and worth."""
        scores = self._features @ weights
        scores[0] = 0.0
        value = self._knots @ worth + scores[self._start]
        reached = self._forward(value)
        chance, begins = self._backward(value, reached)
        begins[0] = 0.0
        true = self._true_features @ weights + self._true_knots @ worth
        slope = [self._features.T @ begins - self._true_features, self._knots.T @ chance - self._true_knots]
        return float(reached[-1] - true), np.concatenate(slope)

    def _forward(self, value: Values) -> Values:
        """(n + 1,) logarithm of the sum over all ways of cutting what stands before each passage."""
        reached = np.zeros(self._count + 1)
        for end in range(1, self._count + 1):
            ways = reached[self._low[end - 1] : end] + value[self._first[end - 1] : self._first[end]]
            most = ways.max()
            reached[end] = most + np.log(np.exp(ways - most).sum())
        return reached

    def _backward(self, value: Values, reached: Values) -> tuple[Values, Values]:
        """The chance of each section, and (n,) that of a section's starting at each passage."""
        chance = np.empty(len(value))
        through = np.zeros(self._count + 1)
        through[-1] = 1.0
        for end in range(self._count, 0, -1):
            here = slice(self._first[end - 1], self._first[end])
            low = self._low[end - 1]
            chance[here] = through[end] * np.exp(reached[low:end] + value[here] - reached[end])
            through[low:end] += chance[here]
        return chance, through[:-1]


def _interpolated(sizes: Values) -> Values:
    """(m, knots) the share of each knot in each size; rows sum to 1."""
    place = np.clip(np.log(np.maximum(sizes, 1.0)), _KNOTS[0], _KNOTS[-1])
    left = np.clip(np.searchsorted(_KNOTS, place, side="right") - 1, 0, len(_KNOTS) - 2)
    share = (place - _KNOTS[left]) / (_KNOTS[left + 1] - _KNOTS[left])
    rows = np.zeros((len(sizes), len(_KNOTS)))
    at = np.arange(len(sizes))
    rows[at, left] = 1 - share
    rows[at, left + 1] = share
    return rows
