"""Pickers that need no model: by a rule, by a script, wrong on purpose."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.protocols import Count
from core.values import Span
from tests.support.chat_rules import by_hash, by_score


@dataclass(frozen=True)
class RulePicker:
    """Picks by a rule, and keeps what it was shown; ``seed`` makes another rule of each."""

    rule: Callable[[Sequence[str]], Any] = field(default=by_hash, repr=False)
    seed: int = 0
    shown: list[list[str]] = field(default_factory=list, repr=False, compare=False)
    _lock: Lock = field(default_factory=Lock, repr=False, compare=False)

    @property
    def name(self) -> str:
        return "rule"

    def pick(self, passages: Sequence[str]) -> int:
        with self._lock:
            self.shown.append(list(passages))
        # Rules encode what they read, and a lone surrogate has no encoding.
        readable = [passage.encode("utf-8", "replace").decode() for passage in passages]
        picked: int = self.rule([f"{self.seed} {passage}" for passage in readable])
        return picked


@dataclass(frozen=True)
class CountingPicker(RulePicker):
    """One that tells of a retry for every window, and has something to say for itself."""

    def pick_counted(self, passages: Sequence[str], count: Count) -> int:
        count("asked")
        count("asked again")
        return self.pick(passages)

    def notices(self) -> Sequence[str]:
        return ("it is a rule",)


@dataclass(frozen=True)
class ScorePicker:
    """Reads the whole text: each passage's score hangs on its own text."""

    name: str = "local"

    def scores(self, text: str, units: Sequence[Span]) -> NDArray[np.float64]:
        digests = [hashlib.sha256(unit.of(text).encode("utf-8", "replace")).digest() for unit in units]
        scores = np.array([int.from_bytes(digest[:6], "big") / 2**48 for digest in digests])
        scores[:1] = -np.inf
        return scores

    def pick_scored(self, scores: NDArray[np.float64], sizes: NDArray[np.float64]) -> int:
        assert len(scores) == len(sizes)
        return 1 + int(scores[1:].argmax()) if len(scores) > 1 else 1


RULES = {"hash": by_hash, "score": by_score}
