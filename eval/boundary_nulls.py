"""What a segmenter must beat: as many segments as it makes, set without looking at what the text says."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from core.identity import digest
from eval.boundary_scoring import ChunkSegmenter, SegmentedText, Segmenter
from eval.nulls import EvenPacking


@dataclass(frozen=True)
class ShuffledSegments:
    """Segments of the same numbers of units as another segmenter's, in an order drawn by seed and text."""

    segmenter: Segmenter
    seed: int

    @property
    def name(self) -> str:
        """Whose sizes."""
        return f"shuffled as {self.segmenter.name}"

    @property
    def strategy(self) -> str:
        """Seed, and what decides the sizes."""
        return f"ShuffledSegments({self.segmenter.strategy}, seed={self.seed})"

    def boundaries(self, text: SegmentedText) -> tuple[int, ...]:
        """See `Segmenter.boundaries`."""
        edges = [0, *self.segmenter.boundaries(text), len(text.units)]
        generator = np.random.default_rng([self.seed, int(digest("null", text.text), 16)])
        return tuple(accumulate(generator.permutation(np.diff(edges)).tolist()))[:-1]


@dataclass(frozen=True)
class EvenAs:
    """As many segments as another segmenter's, of whole units and of lengths as even as these allow."""

    segmenter: Segmenter

    @property
    def name(self) -> str:
        """Whose number of segments."""
        return f"even as {self.segmenter.name}"

    @property
    def strategy(self) -> str:
        """What decides the number."""
        return f"EvenAs({self.segmenter.strategy})"

    def boundaries(self, text: SegmentedText) -> tuple[int, ...]:
        """See `Segmenter.boundaries`."""
        segments = len(self.segmenter.boundaries(text)) + 1
        return ChunkSegmenter(self.name, EvenPacking(segments)).boundaries(text)
