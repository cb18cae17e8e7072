"""Where chunkers cut one stretch of a text, as strips one below the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from chunkers.base import Chunker
from chunkers.headings import headings
from core.errors import InvalidValue
from core.values import Span
from eval.boundary_scoring import SegmentedText, Segmenter
from eval.datasets.chunking_evaluation import Corpora
from eval.plots import Strip, Words, plot_boundaries

STRETCH = 20_000  # characters drawn at most: of more, a chunk would be thinner than a line


@dataclass(frozen=True, slots=True)
class StripPlot:
    """A text, and ways of cutting it.

    Attributes:
        strips: each with its spans of the text.
        evidence: spans that answer questions.
    """

    name: str
    text: str
    strips: tuple[Strip, ...]
    evidence: tuple[Span, ...] = ()

    def draw(self, path: Path, note: str) -> None:
        """Write the picture of the text's busiest stretch.

        Raises:
            InvalidValue, MissingExtra: as `eval.plots.plot_boundaries`.
        """
        within = busiest(self.text, self.evidence)
        plot_boundaries(path, self.strips, within, Words(self.name, note), evidence=self.evidence)


def segment_strips(text: SegmentedText, segmenters: Sequence[Segmenter]) -> StripPlot:
    """The gold segments, and what each segmenter makes of the text's units."""
    strips = [Strip("gold", text.segments(text.boundaries))]
    strips += [Strip(one.name, text.segments(one.boundaries(text))) for one in segmenters]
    return StripPlot(text.name, text.text, tuple(strips))


def corpus_strips(corpora: Corpora, corpus: str, named: Sequence[tuple[str, Chunker]]) -> StripPlot:
    """What each chunker makes of one corpus, and the references of its questions."""
    text = corpora.texts[corpus]
    golds = {gold for one in corpora.questions if one.corpus == corpus for gold in one.references}
    strips = tuple(Strip(name, chunker.split(text)) for name, chunker in named)
    return StripPlot(corpus, text, strips, tuple(sorted(golds)))


def busiest(text: str, evidence: Sequence[Span], *, most: int = STRETCH) -> Span:
    """The chapter that holds most of the evidence, the first of equals; of a longer one ``most`` characters.

    A chapter runs from one Markdown heading to the next; a text without headings is one. What is drawn of a
    longer one begins a tenth of ``most`` before its first evidence, or with it where it holds none.

    Raises:
        InvalidValue: the text is empty.
    """
    if not text:
        raise InvalidValue("a text must hold at least one character to be drawn, got none")
    starts = sorted({0, *(heading.span.start for heading in headings(text))})
    chapters = [Span(start, end) for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]
    chapter = max(chapters, key=lambda span: sum(span.holds(one) for one in evidence))
    if len(chapter) <= most:
        return chapter
    first = min((one.start for one in evidence if chapter.holds(one)), default=chapter.start)
    start = min(max(chapter.start, first - most // 10), chapter.end - most)
    return Span(start, start + most)
