"""`Lumber` over words, a text of twelve paragraphs, and a memory that lasts as long as the test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from chunkers.lumber import Lumber
from chunkers.sizes import Words

NAMES = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu".split()
PARAGRAPHS = [f"{name} one two three." for name in NAMES]  # four words each
TEXT = "\r\n\r\n".join(PARAGRAPHS)


def lumber(picker: Any, size: int = 16, **options: Any) -> Lumber:
    return Lumber(picker, size, Words(), **options)


class Memory:
    def __init__(self) -> None:
        self.picks: dict[str, int] = {}

    def recall(self, keys: Sequence[str]) -> Mapping[str, int]:
        return {key: self.picks[key] for key in keys if key in self.picks}

    def prepare(self) -> None:
        pass  # it can always be kept

    def keep(self, key: str, pick: int) -> None:
        self.picks[key] = pick
