"""Whether to answer at all: the best candidate's score as a calibrated probability, and a threshold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from answering.base import Candidate, Decision, Reason, Scored
from core.artifacts import Artifact, load, models_directory, save
from core.errors import InvalidValue

NAME = "trigger"
# The operating point that every trigger has, of the best F1; the others where they were fitted for: at a
# promised precision, and with recall worth more.
BALANCED, CAREFUL, EAGER = POINTS = ("balanced", "careful", "eager")


@dataclass(frozen=True, slots=True)
class Trigger:
    """``P(top candidate is right) = sigmoid(slope * score + intercept)``; answered from ``threshold`` up.

    Source: answer triggering as Yang, Yih and Meek (EMNLP 2015), section 4.3, pose it: only the top
    candidate of a question counts. Platt's sigmoid makes the score a probability.

    Attributes:
        threshold: the one in force; that of ``balanced``, unless `at` put another in its place.
        points: thresholds of the other operating points that it was fitted for, by name.
        unreachable: of points that could not be had, why not, as a clause.
    """

    slope: float
    intercept: float
    threshold: float
    points: Mapping[str, float] = field(default_factory=dict)
    unreachable: Mapping[str, str] = field(default_factory=dict)

    def at(self, point: str) -> Trigger:
        """The same probabilities, answered from that operating point's threshold up.

        Raises:
            InvalidValue: it was not fitted for such a point, or the point cannot be reached.
        """
        thresholds = {BALANCED: self.threshold, **self.points}
        if point in thresholds:
            return replace(self, threshold=thresholds[point])
        why = f", for {self.unreachable[point]}" if point in self.unreachable else ""
        raise InvalidValue(
            f"an operating point must be one of {', '.join(thresholds)} with this selector, "
            f"got {point!r}{why}; choose one of those, or another selector"
        )

    def to_config(self) -> dict[str, object]:
        """What an artefact's JSON keeps of it; `of_config` reads it."""
        numbers: dict[str, object] = {
            "slope": self.slope,
            "intercept": self.intercept,
            "threshold": self.threshold,
        }
        return {**numbers, **self._named()}

    def _named(self) -> dict[str, object]:
        """The mappings that hold something."""
        named = {"points": dict(self.points), "unreachable": dict(self.unreachable)}
        return {name: kept for name, kept in named.items() if kept}

    @staticmethod
    def of_config(kept: Mapping[str, Any]) -> Trigger:
        """The trigger that `to_config` wrote."""
        return Trigger(
            kept["slope"],
            kept["intercept"],
            kept["threshold"],
            kept.get("points", {}),
            kept.get("unreachable", {}),
        )

    def probability(self, scores: ArrayLike) -> NDArray[np.float64]:
        """Probabilities in [0, 1], of the shape of ``scores``."""
        margin = self.slope * np.asarray(scores, dtype=np.float64) + self.intercept
        return np.asarray(1.0 / (1.0 + np.exp(-margin)))

    def decide(self, candidates: Sequence[Candidate], scores: ArrayLike) -> Decision:
        """Rank the candidates and answer with the first of them, or with none.

        Equal scores keep reading order; no candidates are no evidence.

        Raises:
            InvalidValue: unless there is one score a candidate.
        """
        values = np.asarray(scores, dtype=np.float64)
        if values.shape != (len(candidates),):
            raise InvalidValue(f"scores must have shape ({len(candidates)},), got {values.shape}")
        if not len(candidates):
            return Decision(threshold=self.threshold)
        order = np.argsort(-values, kind="stable")
        ranked = tuple(Scored(candidates[i], float(values[i])) for i in order)
        probability = float(self.probability(ranked[0].score))
        reason: Reason = "answered" if probability >= self.threshold else "no_evidence"
        return Decision(ranked, self.threshold, probability, reason)


def fit(scores: NDArray[np.float64], right: NDArray[np.bool_], *, threshold: float) -> Trigger:
    """The trigger whose probabilities fit best (logistic regression, no penalty to speak of).

    Args:
        scores: (n,) the top candidate's score of each question, answerable or not.
        right: (n,) whether that candidate is a right answer.
        threshold: the probability from which to answer, in (0, 1).

    Raises:
        InvalidValue: when all of ``right`` are the same, so that nothing can be learnt.
    """
    from sklearn.linear_model import LogisticRegression

    if right.all() or not right.any():
        raise InvalidValue(f"right must hold both outcomes, got {int(right.sum())} of {len(right)}")
    model = LogisticRegression(C=1e6).fit(scores.reshape(-1, 1), right)
    return Trigger(float(model.coef_[0, 0]), float(model.intercept_[0]), threshold)


def save_trigger(trigger: Trigger, base: Path | None = None, **provenance: object) -> None:
    """Write the artefact, by default the shipped one; ``provenance`` goes into its JSON."""
    arrays = {"coefficients": np.array([trigger.slope, trigger.intercept])}
    config = trigger.to_config()
    del config["slope"], config["intercept"]  # which the array holds to the last bit
    config["provenance"] = provenance
    save(base or models_directory() / NAME, Artifact(arrays, config))


def load_trigger(base: Path | None = None) -> Trigger:
    """Read the artefact, by default the shipped one.

    Raises:
        ArtifactError: see `core.artifacts.load`.
    """
    artifact = load(base or models_directory() / NAME)
    slope, intercept = (float(value) for value in artifact.arrays["coefficients"])
    return Trigger.of_config({"slope": slope, "intercept": intercept, **artifact.config})
