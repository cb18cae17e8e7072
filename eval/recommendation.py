"""Which of several configurations some questions speak for, and whether they can tell at all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from core.errors import InvalidValue
from eval.significance import SEED, Difference, holm, paired_difference, permutation_p

ERROR = 0.05


@dataclass(frozen=True, slots=True)
class Rival:
    """A configuration beside the best one.

    Attributes:
        margin: the best one's mean less this one's, with its 95 % interval.
        p: of the permutation test, raised for all the rivals (Holm).
    """

    name: str
    margin: Difference
    p: float

    @property
    def behind(self) -> bool:
        """Whether the questions show that it is worse: the interval leaves 0 out, and p is below 0.05.

        The interval alone would believe three questions that happen to agree; the test does not.
        """
        return self.margin.low > 0 and self.p < ERROR

    def __str__(self) -> str:
        return f"{self.margin.mean:.3f} ({self.margin.low:.3f} to {self.margin.high:.3f}) above {self.name}"


@dataclass(frozen=True, slots=True)
class Recommendation:
    """The best mean, and every other configuration, nearest first."""

    best: str
    mean: float
    questions: int
    rivals: tuple[Rival, ...]

    @property
    def level(self) -> tuple[Rival, ...]:
        """Those that the questions cannot tell from the best."""
        return tuple(rival for rival in self.rivals if not rival.behind)

    def text(self, metric: str) -> str:
        """What is recommended, in a sentence or two for people."""
        level = self.level
        behind = next((rival for rival in self.rivals if rival.behind), None)
        figure = f"{metric} {self.mean:.3f} on {self.questions} questions"
        if not self.rivals:
            return f"Nothing to choose between: {self.best}, {figure}."
        if not level:
            return f"Recommended: {self.best}, {figure}; {self.rivals[0]}."
        if behind is None:
            return (
                f"No difference that your questions can show. Best: {self.best}, {figure}; {self.rivals[0]}."
            )
        names = ", ".join(rival.name for rival in level)
        return (
            f"Recommended: {self.best}, {figure}; {behind}. No difference that your questions can show "
            f"between it and {names}."
        )

    def as_json(self, metric: str) -> dict[str, Any]:
        """The recommendation as plain values."""
        return {
            "metric": metric,
            "best": self.best,
            "mean": self.mean,
            "n": self.questions,
            "rivals": [
                {
                    "name": rival.name,
                    "margin": rival.margin.mean,
                    "ci": [rival.margin.low, rival.margin.high],
                    "p": rival.p,
                    "behind": rival.behind,
                }
                for rival in self.rivals
            ],
            "text": self.text(metric),
        }


def recommend(configurations: Mapping[str, Mapping[str, float]], *, seed: int = SEED) -> Recommendation:
    """Compare every configuration with the one of the best mean; of equal means the first is the best.

    Args:
        configurations: name to question to value, all over the same questions.

    Raises:
        InvalidValue: there is none, or they have other questions.
    """
    if not configurations:
        raise InvalidValue("a recommendation needs at least one configuration, got none")
    means = {name: fmean(values.values()) for name, values in configurations.items()}
    best = max(means, key=means.__getitem__)
    others = sorted((name for name in means if name != best), key=lambda name: -means[name])
    pairs = [([configurations[best]], [configurations[name]]) for name in others]
    ps = holm([permutation_p(ours, theirs, seed=seed) for ours, theirs in pairs])
    rivals = tuple(
        Rival(name, paired_difference(ours, theirs, seed=seed), p)
        for name, (ours, theirs), p in zip(others, pairs, ps, strict=True)
    )
    return Recommendation(best, means[best], len(configurations[best]), rivals)
