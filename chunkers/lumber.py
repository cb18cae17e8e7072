"""LumberChunker: a picker is shown a window of paragraphs and says where the content shifts.

The chunk ends there, and the next window starts there.

Source: Duarte et al., "LumberChunker: Long-Form Narrative Document Segmentation", Findings of EMNLP 2024,
section 3.1. Deviations: tokens are counted, not estimated; a window ends before the paragraph that would
take it over its size, not behind it; a picker may see no shift, and then the window becomes the chunk;
headings stay with what follows them; a paragraph that is larger than a window is parted at sentences.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from chunkers.base import BoundaryPicker, BoundaryScorer, CountedPicker, Cut, unwatched
from chunkers.call_plan import CallPlan, expected_calls, plan_calls
from chunkers.chains import Chains, Walk, walk
from chunkers.limits import Limits, limit_spans
from chunkers.lumber_asking import Asking, Scored
from chunkers.lumber_windows import Mode, Windows, windows
from chunkers.passages import heading_strengths
from chunkers.pick_memory import PickMemory, window_key
from chunkers.recipe import OnFailure
from chunkers.sizes import Ruler, Size, Tokens
from core.errors import CallLimit, InvalidValue
from core.values import Span

THETA = 550  # tokens; the paper's, section 4.1


@dataclass(frozen=True, slots=True)
class Lumber:
    """Whole paragraphs up to where the picker finds that the content shifts.

    No pick can lose, double or loop over text: a pick outside its window is a failure like an unusable
    reply, every start is asked about at most once, and there are no more starts than paragraphs. Without
    limits, no chunk is larger than a window (in ``paper`` mode).

    Attributes:
        picker: asked window by window; a `BoundaryScorer` reads the whole text once instead.
        size: of a window, in ``unit``.
        limits: sizes that chunks keep to, in ``unit``.
        mode: ``paper``, or the published script's rules for windows and tail, see `lumber_windows.windows`.
        on_failure: what a window without a usable pick becomes: an error, a chunk of its own (``keep``), or
            what ``fallback`` picks (``local``). An endpoint that refuses every request is always an error.
        workers: windows asked about at once; the chunks are the same for any number.
        max_calls: windows that may be sent; below what the text is expected to need, one at a time.
        memory: picks of earlier runs.
        foreword: notices of who built this.

    Raises:
        InvalidValue: unless ``size``, ``workers`` and ``max_calls`` are at least 1; ``local`` without a
            fallback.
    """

    picker: BoundaryPicker | BoundaryScorer
    size: int = THETA
    unit: Size = field(default_factory=Tokens)
    limits: Limits = field(default_factory=Limits)
    mode: Mode = "paper"
    on_failure: OnFailure = "raise"
    fallback: BoundaryPicker | BoundaryScorer | None = None
    workers: int = field(default=1, repr=False, compare=False)
    max_calls: int | None = field(default=None, repr=False, compare=False)
    memory: PickMemory | None = field(default=None, repr=False, compare=False)
    foreword: tuple[str, ...] = field(default=(), repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.size < 1:
            raise InvalidValue(f"size must be at least 1 of {self.unit.unit}, got {self.size}")
        if self.workers < 1:
            raise InvalidValue(f"workers must be at least 1, got {self.workers}; say how many calls at once")
        if self.max_calls is not None and self.max_calls < 1:
            raise InvalidValue(
                f"max calls must be at least 1, got {self.max_calls}; raise it, or leave it out"
            )
        if self.on_failure == "local" and self.fallback is None:
            raise InvalidValue("on failure local needs a local picker, got none; say raise or keep")

    def __str__(self) -> str:
        limits = f", {self.limits} {self.unit.unit}" if self.limits != Limits() else ""
        rules = ", by the published script's rules" if self.mode == "reference" else ""
        return (
            f"paragraphs up to where the content shifts, picked by {self.picker.name} in windows of "
            f"{self.size:,} {self.unit.unit}{limits}{rules}"
        )

    @property
    def name(self) -> str:
        """What reports call it: ``lumber[local]``, ``lumber[chat:MODEL]``."""
        return f"lumber[{self.picker.name}]"

    def split(self, text: str) -> list[Span]:
        """Spans of ``text``; see `chunkers.base.Chunker`.

        Raises:
            ProviderError: the picker failed, and ``on_failure`` says raise.
            CallLimit: ``max_calls`` are used up.
        """
        return list(self.cut(text, unwatched).spans)

    def cut(self, text: str, progress: Callable[[int, int], None]) -> Cut:
        """See `chunkers.base.Accountable`; raises as `split` does."""
        read = self._read(text)
        if not read.windows.passages:
            return Cut([], notices=self.foreword)
        if isinstance(self.picker, BoundaryScorer):
            tokens = read.ruler if self.unit == Tokens() else None
            scored = Scored(text, read.windows, self.picker, tokens)
            spans = self._spans(read, _followed(len(read.windows.passages), scored), scored.scores)
            progress(len(text), len(text))
            return Cut(spans, notices=self.foreword)
        return self._ask(self.picker, read, progress)

    def plan(self, text: str) -> CallPlan:
        """What `cut` would send, without sending it; nothing for a picker that reads the text here."""
        if isinstance(self.picker, BoundaryScorer):
            return CallPlan()
        read = self._read(text)
        return plan_calls(text, read.windows, self._remembered(self.picker, read), read.places, self.workers)

    def _read(self, text: str) -> _Read:
        ruler = self.unit.ruler(text)
        return _Read(text, ruler, windows(text, self.unit, ruler, self.size, self.mode))

    def _ask(self, picker: BoundaryPicker, read: _Read, progress: Callable[[int, int], None]) -> Cut:
        remembered, settled = self._remembered(picker, read), read.windows.settled()
        workers = self.workers
        if self.memory is not None and len(settled.keys() | remembered.keys()) < len(read.windows.passages):
            self.memory.prepare()
        if self.max_calls is not None:
            expected = expected_calls(read.windows, {**settled, **remembered})
            workers = workers if self.max_calls >= expected else 1  # alone, it stays on the true chain
        places = read.places
        asking = Asking(read.text, read.windows, picker, self.on_failure, self.fallback, self.memory)
        walked = walk(
            Chains(places, read.windows.end, settled, remembered, workers),
            asking,
            workers,
            most=self.max_calls,
            reached=lambda start: progress(places[start], len(read.text)),
        )
        if walked.error is not None:
            raise walked.error
        if walked.frontier < len(read.windows.passages):
            raise self._spent(read, walked)
        progress(len(read.text), len(read.text))
        chain = set(walked.chain)
        counts = {
            "calls": len(walked.asked),
            "wasted": len(walked.asked - chain),
            "remembered": len(chain & remembered.keys()),
            "kept whole": len(chain & asking.kept),
            "picked locally": len(chain & asking.local),
            **asking.counts,
        }
        notices = (*self.foreword, *_notices(picker, counts))
        return Cut(self._spans(read, walked.chain, None), counts, notices)

    def _remembered(self, picker: BoundaryPicker, read: _Read) -> dict[int, int]:
        """Start -> next start, for the picks that an earlier run had."""
        if self.memory is None:
            return {}
        first, end = read.windows.first, read.windows.end
        keys = {
            start: window_key(picker, [span.of(read.text) for span in read.windows.shown(start)])
            for start in range(len(first))
            if end[start] - first[start] > 1
        }
        picks = self.memory.recall(list(keys.values()))
        return {
            start: first[start] + picks[key]
            for start, key in keys.items()
            if 1 <= picks.get(key, 0) <= end[start] - first[start]
        }

    def _spans(self, read: _Read, firsts: Sequence[int], scores: NDArray[np.float64] | None) -> list[Span]:
        """The chunks that start with these passages, within limits."""
        passages, strengths = read.windows.passages, scores
        if strengths is None and self.limits != Limits():
            strengths = heading_strengths(read.text, passages)
        return limit_spans(
            read.text, passages, firsts, self.limits, self.unit, strengths=strengths, ruler=read.ruler
        )

    def _spent(self, read: _Read, walked: Walk) -> CallLimit:
        passages = read.windows.passages
        done = replace(read, windows=replace(read.windows, passages=passages[: walked.frontier]))
        goes_on = "run it again to go on from there" if self.memory else "nothing of it is remembered"
        return CallLimit(
            f"the boundaries must be found within {self.max_calls:,} calls, got as far as character "
            f"{passages[walked.frontier].start:,} of {len(read.text):,}; {goes_on}, or allow more calls",
            spans=self._spans(done, walked.chain, None),
        )


@dataclass(frozen=True, slots=True)
class _Read:
    """A text, measured and parted."""

    text: str
    ruler: Ruler
    windows: Windows

    @property
    def places(self) -> list[int]:
        """(n + 1,) where each passage starts, and where the text ends."""
        return [*(span.start for span in self.windows.passages), len(self.text)]


def _followed(count: int, step: Callable[[int], int]) -> list[int]:
    firsts, at = [], 0
    while at < count:
        firsts.append(at)
        at = step(at)
    return firsts


def _notices(picker: BoundaryPicker, counts: Mapping[str, int]) -> list[str]:
    notices = list(picker.notices()) if isinstance(picker, CountedPicker) else []
    for count, became in (("kept whole", "stayed whole"), ("picked locally", "went to the local picker")):
        if number := counts[count]:
            windows_without = "1 window" if number == 1 else f"{number:,} windows"
            notices.append(f"{windows_without} without a usable pick from {picker.name} {became}")
    return notices
