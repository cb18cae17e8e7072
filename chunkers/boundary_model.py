"""The distilled boundary picker's model: how strongly the content shifts, and where to cut.

A conditional semi-Markov model: a way of cutting a text is as likely as the exponential of the scores of its
boundaries plus what its chunks' sizes are worth. The scores are linear in the features of `boundary_features`
and were learnt with the sizes of the training data's own sections taken into account; what a chunk's size is
worth when a text is cut is a preference, `SizePrior`.

Source: Sarawagi and Cohen 2004, "Semi-Markov conditional random fields for information extraction".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from chunkers.boundary_features import VECTOR_FEATURES, WORD_FEATURES
from core.artifacts import Artifact, load, models_directory, save
from core.errors import ArtifactError
from core.identity import digest

NAME = "boundary"

Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Linear:
    """A score of the content: 0 for a passage whose features are those of the mean passage."""

    weights: Values
    mean: Values

    def score(self, features: Values) -> Values:
        """(n,) of (n, d) features."""
        return np.asarray((features - self.mean) @ self.weights, np.float64)


@dataclass(frozen=True, slots=True)
class SizePrior:
    """What a chunk's size is worth: ``-(ln(size / typical) / spread)^2 / 2``, at best 0.

    Attributes:
        typical: tokens.
        spread: of the logarithm of the size; smaller keeps chunks closer to the typical size.
    """

    typical: float
    spread: float

    def scaled(self, scale: float) -> SizePrior:
        """The same preference for chunks of ``scale`` times the size."""
        return replace(self, typical=self.typical * scale)

    def worth(self, sizes: Values) -> Values:
        """(n,) of sizes in tokens."""
        return np.asarray(-0.5 * (np.log(np.maximum(sizes, 1.0) / self.typical) / self.spread) ** 2)

    def worth_open(self, sizes: Values) -> Values:
        """(n,) of chunks that go on behind what is seen: those that are still short may become typical."""
        return self.worth(np.maximum(sizes, self.typical))


@dataclass(frozen=True, slots=True)
class BoundaryModel:
    """What was learnt.

    Attributes:
        with_vectors: reads word features, then vector features, of the embedder that ``fingerprint`` names.
        words_alone: reads word features; for any other embedder.
        prior: what sizes are worth.
    """

    with_vectors: Linear
    words_alone: Linear
    prior: SizePrior
    fingerprint: str

    @property
    def identity(self) -> str:
        """Digest of weights, size prior and the embedder's fingerprint."""
        numbers = (
            array.astype("<f8").tobytes().hex()
            for linear in (self.with_vectors, self.words_alone)
            for array in (linear.weights, linear.mean)
        )
        return digest(NAME, *numbers, repr(self.prior), self.fingerprint)


def first_boundary(scores: Values, sizes: Values, prior: SizePrior) -> int:
    """1..n: where the first chunk of the best way of cutting n passages ends; n cuts nowhere.

    Best is the sum over its boundaries' scores and its chunks' worth. A score of ``+inf`` is a boundary in
    any case; the last chunk goes on behind the passages unless one stands there.

    Args:
        scores: (n,) before each passage; the first is not looked at.
        sizes: (n,) in tokens.
    """
    certain = np.flatnonzero(scores[1:] == np.inf)
    end = int(certain[0]) + 1 if len(certain) else len(scores)
    upto = np.concatenate([[0.0], np.cumsum(sizes[:end])])
    best, first = np.zeros(end + 1), end
    for start in range(end - 1, -1, -1):
        size = upto[start + 1 :] - upto[start]
        value = prior.worth(size)
        value[:-1] += scores[start + 1 : end] + best[start + 1 : end]
        if not len(certain):
            value[-1:] = prior.worth_open(size[-1:])
        choice = int(value.argmax())
        best[start], first = value[choice], start + 1 + choice
    return first


def save_boundary(model: BoundaryModel, base: Path | None = None, **provenance: object) -> None:
    """Write the artefact, by default the shipped one; ``provenance`` goes into its JSON."""
    arrays = {
        f"{name}_{part}": getattr(getattr(model, name), part)
        for name in ("with_vectors", "words_alone")
        for part in ("weights", "mean")
    }
    config = {
        "word_features": list(WORD_FEATURES),
        "vector_features": list(VECTOR_FEATURES),
        "size_prior": {"typical": model.prior.typical, "spread": model.prior.spread},
        "embedder": model.fingerprint,
        "provenance": provenance,
    }
    save(base or models_directory() / NAME, Artifact(arrays, config))


def load_boundary(base: Path | None = None) -> BoundaryModel:
    """Read the artefact, by default the shipped one.

    Raises:
        ArtifactError: see `core.artifacts.load`; it was trained for other features.
    """
    artifact = load(base or models_directory() / NAME)
    for key, features in (("word_features", WORD_FEATURES), ("vector_features", VECTOR_FEATURES)):
        _check_features(key, artifact.config, features)
    prior = artifact.config["size_prior"]
    with_vectors, words_alone = (
        Linear(artifact.arrays[f"{name}_weights"], artifact.arrays[f"{name}_mean"])
        for name in ("with_vectors", "words_alone")
    )
    return BoundaryModel(
        with_vectors=with_vectors,
        words_alone=words_alone,
        prior=SizePrior(float(prior["typical"]), float(prior["spread"])),
        fingerprint=str(artifact.config["embedder"]),
    )


def _check_features(key: str, config: Mapping[str, object], features: tuple[str, ...]) -> None:
    found = config.get(key)
    if found != list(features):
        raise ArtifactError(
            f"{key} of the boundary model must be {', '.join(features)}, got {found}; retrain it: "
            "python -m eval.train boundary"
        )
