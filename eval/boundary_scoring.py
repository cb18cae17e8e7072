"""Chunkers as text segmenters: their cuts against the boundaries that somebody set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from statistics import fmean
from typing import Protocol

from chunkers.base import Chunker
from chunkers.boundaries import paragraph_spans
from core.values import Span
from eval.datasets.choi import ChoiDocument
from eval.datasets.fairytaleqa import Story
from eval.metrics import boundary_scores, pk, unit_boundaries, window_diff
from eval.significance import bootstrap_interval
from eval.table import TableRow

_BETWEEN = "\n\n"


@dataclass(frozen=True, slots=True)
class SegmentedText:
    """A text, its units, and where segments start among them.

    Attributes:
        group: what it is reported with.
        units: spans of the text in reading order.
        boundaries: a boundary ``b`` stands before unit ``b``, counted from 0; none before the first.
    """

    name: str
    group: str
    text: str
    units: tuple[Span, ...]
    boundaries: tuple[int, ...]

    def segments(self, boundaries: Sequence[int]) -> list[Span]:
        """The spans that boundaries among the units part the text into."""
        firsts, ends = [0, *boundaries], [*boundaries, len(self.units)]
        return [
            Span(self.units[first].start, self.units[end - 1].end)
            for first, end in zip(firsts, ends, strict=True)
        ]


class Segmenter(Protocol):
    """One way of setting boundaries."""

    @property
    def name(self) -> str:
        """What tables call it."""

    @property
    def strategy(self) -> str:
        """What decides the boundaries."""

    def boundaries(self, text: SegmentedText) -> tuple[int, ...]:
        """Boundaries among the text's units."""


@dataclass(frozen=True)
class ChunkSegmenter:
    """A chunker of ours, which sees the text alone: each cut counts at the unit that starts nearest."""

    name: str
    chunker: Chunker

    @property
    def strategy(self) -> str:
        """The chunker's ``repr``."""
        return repr(self.chunker)

    def boundaries(self, text: SegmentedText) -> tuple[int, ...]:
        """See `Segmenter.boundaries`."""
        return unit_boundaries(self.chunker.split(text.text), text.units)


@dataclass(frozen=True)
class NoBoundary:
    """A null: the whole text is one segment."""

    name: str = "null: none"
    strategy: str = "no boundary"

    def boundaries(self, text: SegmentedText) -> tuple[int, ...]:  # noqa: ARG002 - a null looks at nothing
        """None."""
        return ()


@dataclass(frozen=True)
class EvenSegments:
    """A null that is told the number of segments and makes them as even as can be."""

    name: str = "null: even"
    strategy: str = "the reference's number of segments, of even size"

    def boundaries(self, text: SegmentedText) -> tuple[int, ...]:
        """See `Segmenter.boundaries`."""
        segments = len(text.boundaries) + 1
        return tuple(len(text.units) * at // segments for at in range(1, segments))


NULLS: tuple[Segmenter, ...] = (NoBoundary(), EvenSegments())


def choi_text(document: ChoiDocument) -> SegmentedText:
    """The document's sentences as units, each a paragraph of its own: the layout shows no segment."""
    sentences = [sentence for segment in document.segments for sentence in segment]
    starts = accumulate((len(sentence) + len(_BETWEEN) for sentence in sentences), initial=0)
    units = tuple(
        Span(start, start + len(sentence)) for start, sentence in zip(starts, sentences, strict=False)
    )
    boundaries = tuple(accumulate(len(segment) for segment in document.segments))[:-1]
    return SegmentedText(document.name, document.group, _BETWEEN.join(sentences), units, boundaries)


def story_text(story: Story) -> SegmentedText | None:
    """The story's paragraphs as units, its sections as segments.

    None where every paragraph is a section: such a text's layout shows all of them.
    """
    units = paragraph_spans(story.text)
    starts = {section.span.start for section in story.sections}
    boundaries = tuple(at for at, unit in enumerate(units) if at and unit.start in starts)
    if len(boundaries) + 1 >= len(units):
        return None
    return SegmentedText(story.name, "all", story.text, tuple(units), boundaries)


def boundary_figures(text: SegmentedText, found: Sequence[int]) -> dict[str, float]:
    """``pk`` and ``window_diff`` (less is better), ``f1`` of exact boundaries, ``f1~1`` of those at most one
    unit off, and cuts a gold boundary.
    """
    units = len(text.units)
    return {
        "pk": pk(text.boundaries, found, units),
        "window_diff": window_diff(text.boundaries, found, units),
        "f1": boundary_scores(text.boundaries, found).f1,
        "f1~1": boundary_scores(text.boundaries, found, tolerance=1).f1,
        "cuts/gold": len(found) / len(text.boundaries) if text.boundaries else float(len(found)),
    }


def boundary_rows(
    labels: Mapping[str, str | int], texts: Sequence[SegmentedText], segmenters: Sequence[Segmenter]
) -> list[TableRow]:
    """A row a segmenter; means over texts, with intervals over them."""
    rows = []
    for segmenter in segmenters:
        figures = [boundary_figures(text, segmenter.boundaries(text)) for text in texts]
        values = {metric: [of[metric] for of in figures] for metric in figures[0]}
        rows.append(
            TableRow(
                labels={**labels, "texts": len(texts), "chunker": segmenter.name},
                figures={metric: fmean(of) for metric, of in values.items()},
                intervals={metric: bootstrap_interval([of]) for metric, of in values.items()},
                details={"strategy": segmenter.strategy},
                values={
                    metric: {text.name: value for text, value in zip(texts, of, strict=True)}
                    for metric, of in values.items()
                },
            )
        )
    return rows
