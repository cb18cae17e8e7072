"""Asks a picker about windows, and sees that whatever it says leads on within its window."""

from __future__ import annotations

from collections import Counter
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from chunkers.base import BoundaryPicker, BoundaryScorer, CountedPicker
from chunkers.lumber_windows import Windows
from chunkers.pick_memory import PickMemory, window_key
from chunkers.recipe import OnFailure
from chunkers.sizes import Ruler, Tokens
from core.errors import ProviderError, ProviderRefused, UnusableReply


class Asking:
    """Start -> next start, by a picker that may fail; may be called from several threads.

    A failure is returned under ``raise``, so that a step that nobody needs stops nobody; otherwise it is
    made good. A picker that is refused every request raises.

    Args:
        text: what is chunked.
        windows: of the text.
        picker: who is asked.
        on_failure: see `chunkers.lumber.Lumber`.
        fallback: who picks under ``local``.
        memory: where picks are kept before they are used.
    """

    def __init__(
        self,
        text: str,
        windows: Windows,
        picker: BoundaryPicker,
        on_failure: OnFailure = "raise",
        fallback: BoundaryPicker | BoundaryScorer | None = None,
        memory: PickMemory | None = None,
    ) -> None:
        self.counts: Counter[str] = Counter()
        self.kept: set[int] = set()  # starts whose window stayed whole
        self.local: set[int] = set()  # starts that the fallback picked for
        self._text, self._windows = text, windows
        self._picker, self._on_failure, self._memory = picker, on_failure, memory
        self._fallback = fallback
        self._scored: Scored | None = None
        self._lock = Lock()

    def __call__(self, start: int) -> int | ProviderError:
        """Where the pick for the window of ``start`` leads."""
        window = [span.of(self._text) for span in self._windows.shown(start)]
        try:
            pick = self._pick(window)
        except ProviderRefused:
            raise
        except ProviderError as error:
            if self._on_failure == "raise":
                return error
            pick = self._made_good(start, window)
        else:
            if self._memory is not None:
                self._memory.keep(window_key(self._picker, window), pick)
        return self._windows.first[start] + pick

    def _pick(self, window: list[str]) -> int:
        picker = self._picker
        if isinstance(picker, CountedPicker):
            pick = picker.pick_counted(window, self._count)
        else:
            pick = picker.pick(window)
        return checked(pick, len(window), picker.name)

    def _made_good(self, start: int, window: list[str]) -> int:
        if self._on_failure == "keep" or self._fallback is None:
            self.kept.add(start)
            return len(window)
        self.local.add(start)
        if not isinstance(self._fallback, BoundaryScorer):
            return checked(self._fallback.pick(window), len(window), self._fallback.name)
        with self._lock:  # the whole text is read at the first failure, once
            self._scored = self._scored or Scored(self._text, self._windows, self._fallback)
        return self._scored(start) - self._windows.first[start]

    def _count(self, name: str) -> None:
        with self._lock:
            self.counts[name] += 1


class Scored:
    """Start -> next start, by a picker that has read the whole text.

    Args:
        tokens: measures the text in tokens, where somebody has read it so already.

    Attributes:
        scores: (n,) how strongly the content shifts before each passage.
    """

    def __init__(
        self, text: str, windows: Windows, picker: BoundaryScorer, tokens: Ruler | None = None
    ) -> None:
        self._windows, self._picker = windows, picker
        self.scores: NDArray[np.float64] = picker.scores(text, windows.passages)
        ruler = tokens or Tokens().ruler(text)
        self._sizes = np.array([ruler.count(span.start, span.end) for span in windows.passages], np.float64)

    def __call__(self, start: int) -> int:
        """Where the pick for the window of ``start`` leads."""
        first, end = self._windows.first[start], self._windows.end[start]
        if end - first < 2:
            return end
        pick = self._picker.pick_scored(self.scores[first:end], self._sizes[first:end])
        return first + checked(pick, end - first, self._picker.name)


def checked(pick: object, last: int, name: str) -> int:
    """``pick``, if it is one.

    Raises:
        UnusableReply: unless it is a whole number in 1..last.
    """
    if isinstance(pick, int) and not isinstance(pick, bool) and 1 <= pick <= last:
        return pick
    raise UnusableReply(
        f"a pick must be a whole number from 1 to {last}, got {pick!r} from {name}; use another picker",
        reason="outside the window",
    )
