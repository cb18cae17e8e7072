"""What a figure costs: seconds, what models are asked, and how much they read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Cost:
    """What making a row takes when nothing was kept from before.

    Attributes:
        seconds: cutting, embedding and ranking; of what was kept, as it was measured then.
        model_calls: texts given to a model: windows, questions, and what a Scorer reads.
        tokens_embedded: in them, at 1.3 a white-space word.
    """

    seconds: float = 0.0
    model_calls: int = 0
    tokens_embedded: int = 0

    def __add__(self, other: Cost) -> Cost:
        return Cost(
            self.seconds + other.seconds,
            self.model_calls + other.model_calls,
            self.tokens_embedded + other.tokens_embedded,
        )

    def __sub__(self, other: Cost) -> Cost:
        return self + Cost(-other.seconds, -other.model_calls, -other.tokens_embedded)

    def as_json(self) -> dict[str, Any]:
        """The cost as plain values."""
        return {
            "seconds": round(self.seconds, 3),
            "model_calls": self.model_calls,
            "tokens_embedded": self.tokens_embedded,
        }

    @staticmethod
    def of_json(row: Mapping[str, Any]) -> Cost:
        """The cost that `as_json` wrote."""
        return Cost(float(row["seconds"]), int(row["model_calls"]), int(row["tokens_embedded"]))
