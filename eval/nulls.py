"""What any chunker must beat: as many chunks as it makes, cut without looking at what the text says.

On long texts a figure at a fixed rank rises and falls with the number of chunks alone. A null has that
number and nothing else: `RandomBoundaries` cuts anywhere, `EvenPacking` between paragraphs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from chunkers.base import Chunker
from chunkers.boundaries import paragraph_spans, sentence_spans, word_spans
from core.errors import InvalidValue
from core.identity import digest
from core.values import Span
from eval.chunked import cut_book
from eval.datasets.base import QuestionSet
from eval.methods import Method
from eval.values import ChunkedBook

Null = Literal["random", "even"]
NULLS: tuple[Null, ...] = get_args(Null)


@dataclass(frozen=True, slots=True)
class RandomBoundaries:
    """So many chunks, cut at places drawn from all those between words, each as likely as any other.

    Seed and text decide the places. A text with fewer words gives a chunk a word.

    Raises:
        InvalidValue: ``chunks`` below 1, or a seed below 0.
    """

    chunks: int
    seed: int = 0

    def __post_init__(self) -> None:
        _check_chunks(self.chunks)
        if self.seed < 0:
            raise InvalidValue(f"seed must be at least 0, got {self.seed}")

    def __str__(self) -> str:
        return f"cut at random between words into {self.chunks:,} chunks"

    def split(self, text: str) -> list[Span]:
        """Spans of ``text``; see `chunkers.base.Chunker`."""
        units = word_spans(text)
        if not units:
            return []
        generator = np.random.default_rng([self.seed, int(digest("null", text), 16)])
        cuts = min(self.chunks, len(units)) - 1
        firsts = 1 + generator.choice(len(units) - 1, size=cuts, replace=False) if cuts else ()
        return _joined(units, sorted(map(int, firsts)))


@dataclass(frozen=True, slots=True)
class EvenPacking:
    """So many chunks of whole paragraphs, of lengths as even as the paragraphs near each even cut allow.

    A text with fewer paragraphs is cut between its sentences, one with fewer sentences between its words,
    one with fewer words gives a chunk a word.

    Raises:
        InvalidValue: ``chunks`` below 1.
    """

    chunks: int

    def __post_init__(self) -> None:
        _check_chunks(self.chunks)

    def __str__(self) -> str:
        return f"paragraphs packed evenly into {self.chunks:,} chunks"

    def split(self, text: str) -> list[Span]:
        """Spans of ``text``; see `chunkers.base.Chunker`."""
        units: Sequence[Span] = ()
        for level in (paragraph_spans, sentence_spans, word_spans):
            units = level(text)
            if len(units) >= self.chunks:
                break
        if not units:
            return []
        return _joined(units, _even_firsts(units, min(self.chunks, len(units))))


@dataclass(frozen=True)
class NullOf:
    """A null for another way of cutting: of each book, as many chunks as that makes of it."""

    method: Method
    null: Null
    seed: int = 0

    @property
    def name(self) -> str:
        """Which null of what: ``random as recursive``, ``even as lumber[local]``."""
        picker = self.method.picker
        return f"{self.null} as {self.method.name}" + (f"[{picker}]" if picker else "")

    @property
    def picker(self) -> str | None:
        """Nobody picks."""
        return None

    @property
    def strategy(self) -> str:
        """Null and seed, and the strategy whose numbers of chunks it takes."""
        return f"NullOf({self.method.strategy}, null={self.null!r}, seed={self.seed})"

    @property
    def placed(self) -> bool:
        """Chunks of ours are slices."""
        return True

    def has(self, book: str) -> bool:
        """Whether the other method has it."""
        return self.method.has(book)

    def rewritten(self, book: str, questions: QuestionSet) -> bool:  # noqa: ARG002 - slices are not
        """A slice never does."""
        return False

    def cut(self, book: str, questions: QuestionSet) -> ChunkedBook:
        """Cut the text of the set's book into as many chunks as the other method makes of it."""
        chunks = len(self.method.cut(book, questions).texts)
        return cut_book(book, questions.text(book), self._chunker(chunks))

    def _chunker(self, chunks: int) -> Chunker:
        return RandomBoundaries(chunks, self.seed) if self.null == "random" else EvenPacking(chunks)


def _check_chunks(chunks: int) -> None:
    if chunks < 1:
        raise InvalidValue(f"chunks must be at least 1, got {chunks}")


def _even_firsts(units: Sequence[Span], chunks: int) -> list[int]:
    """The first unit of every chunk but the first.

    Each as near as can be to where an even cut of what is left would fall, so that one giant unit
    leaves those after it evenly packed.
    """
    starts, end = np.array([unit.start for unit in units]), units[-1].end
    firsts: list[int] = []
    first = 0
    for left in range(chunks, 1, -1):
        even = starts[first] + (end - starts[first]) / left
        after = min(int(np.searchsorted(starts, even)), len(units) - 1)
        nearest = after if starts[after] - even < even - starts[after - 1] else after - 1
        # Every chunk needs a unit, and so do the ones still to come.
        first = min(max(nearest, first + 1), len(units) - left + 1)
        firsts.append(first)
    return firsts


def _joined(units: Sequence[Span], firsts: Sequence[int]) -> list[Span]:
    """One span from each of the given units to where the next one's chunk begins."""
    starts = [0, *firsts]
    ends = [*firsts, len(units)]
    return [Span(units[first].start, units[end - 1].end) for first, end in zip(starts, ends, strict=True)]
