"""Picks that were had before: what makes a broken-off run go on, and an edited text ask only what changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

from chunkers.base import BoundaryPicker
from core.identity import digest


@runtime_checkable
class PickMemory(Protocol):
    """Keeps picks by `window_key`, and no text; may be called from several threads."""

    def recall(self, keys: Sequence[str]) -> Mapping[str, int]:
        """The picks of those keys that are known."""

    def prepare(self) -> None:
        """Make sure that picks can be kept, before any is paid for.

        Raises:
            StoreError: they cannot.
        """

    def keep(self, key: str, pick: int) -> None:
        """When this returns, the pick outlives the process, however that ends."""


def window_key(picker: BoundaryPicker, window: Sequence[str]) -> str:
    """Names what ``picker`` was asked: its ``repr`` holds the model and the prompt's version.

    Args:
        picker: who picks.
        window: the passages as shown.
    """
    return digest("pick", repr(picker), *window)
