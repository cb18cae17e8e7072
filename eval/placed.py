"""Texts with questions whose golds are spans, and the ways of cutting them that are compared."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import chunkers
from chunkers.base import Chunker
from chunkers.windows import window_chunks, window_spans
from core.errors import InvalidValue
from core.values import Span
from eval.asked_models import chunker_label
from eval.chunked import cut_book
from eval.datasets.fairytaleqa import Story
from eval.joined import join
from eval.nulls import EvenPacking, Null, RandomBoundaries
from eval.values import ChunkedBook, Query


@dataclass(frozen=True, slots=True)
class PlacedQuestion:
    """A question and where its text answers it."""

    id: str
    text: str
    golds: tuple[Span, ...]

    @property
    def query(self) -> Query:
        """The question as retrievers take it: nothing that a gold would tell."""
        return Query(self.id, self.text, answer="", gold="")


@dataclass(frozen=True, slots=True)
class PlacedText:
    """One text and its questions.

    Attributes:
        sections: the parts that experts cut it into; empty where nobody did.
    """

    name: str
    text: str
    questions: tuple[PlacedQuestion, ...]
    sections: tuple[Span, ...] = ()


def placed_joined(stories: Sequence[Story]) -> list[PlacedText]:
    """The stories joined into texts of a book's length, with their questions; golds are sections."""
    return [
        PlacedText(
            text.name,
            text.text,
            tuple(
                PlacedQuestion(asked.question.id, asked.question.text, asked.sections)
                for asked in text.questions
            ),
            text.sections,
        )
        for text in join(stories)
    ]


class Cut(Protocol):
    """One way of cutting texts."""

    @property
    def name(self) -> str:
        """What tables call it."""

    @property
    def strategy(self) -> str:
        """What decides the chunks."""

    def cut(self, text: PlacedText) -> ChunkedBook:
        """The text's chunks and windows."""


@dataclass(frozen=True)
class ByChunker:
    """A chunker of ours."""

    name: str
    chunker: Chunker

    @property
    def strategy(self) -> str:
        """The chunker's ``repr``."""
        return repr(self.chunker)

    def cut(self, text: PlacedText) -> ChunkedBook:
        """Cut as the service would."""
        return cut_book(text.name, text.text, self.chunker)


@dataclass(frozen=True)
class BySections:
    """The experts' cut: a chunk a section."""

    name: str = "sections"
    strategy: str = "the gold sections"

    def cut(self, text: PlacedText) -> ChunkedBook:
        """The sections as chunks, over the same windows as every chunker's.

        Raises:
            InvalidValue: the text has none.
        """
        if not text.sections:
            raise InvalidValue(f"the cut 'sections' needs gold sections, {text.name} has none")
        windows = window_spans(text.text)
        return ChunkedBook(
            texts=tuple(span.of(text.text) for span in text.sections),
            spans=text.sections,
            windows=tuple(window.of(text.text) for window in windows),
            pairs=window_chunks(windows, text.sections, text.text),
        )


@dataclass(frozen=True)
class NullCut:
    """Of each text as many chunks as another cut makes of it, set without looking at what it says."""

    cut_of: Cut
    null: Null
    seed: int

    @property
    def name(self) -> str:
        """Which null of what: ``random as recursive``."""
        return f"{self.null} as {self.cut_of.name}"

    @property
    def strategy(self) -> str:
        """Null and seed, and the strategy whose numbers of chunks it takes."""
        return f"NullCut({self.cut_of.strategy}, null={self.null!r}, seed={self.seed})"

    def cut(self, text: PlacedText) -> ChunkedBook:
        """Cut into as many chunks."""
        chunks = len(self.cut_of.cut(text).texts)
        chunker = RandomBoundaries(chunks, self.seed) if self.null == "random" else EvenPacking(chunks)
        return cut_book(text.name, text.text, chunker)


def with_nulls(cuts: Sequence[Cut], nulls: Sequence[Null], seed: int) -> list[Cut]:
    """Each cut, followed by its nulls."""
    kinds = list(dict.fromkeys(nulls))
    return [one for cut in cuts for one in (cut, *(NullCut(cut, null, seed) for null in kinds))]


def cuts_named(names: Sequence[str], made: Callable[[str], Chunker] = chunkers.build) -> list[Cut]:
    """Chunkers by name, and ``sections``; a name twice counts once.

    Args:
        made: makes the chunker of a name.

    Raises:
        InvalidValue: an unknown name.
    """
    cuts: list[Cut] = []
    for name in dict.fromkeys(names):
        if name == BySections.name:
            cuts.append(BySections())
        else:
            chunker = made(name)
            cuts.append(ByChunker(chunker_label(name, chunker), chunker))
    return cuts


def drawn(texts: Sequence[PlacedText], limit: int | None, seed: int) -> list[PlacedText]:
    """The texts with at most ``limit`` of their questions, drawn from all together, in their order."""
    ids = sorted(question.id for text in texts for question in text.questions)
    if limit is None or limit >= len(ids):
        return list(texts)
    kept = set(random.Random(seed).sample(ids, limit))  # noqa: S311 - a sample, no secret
    return [
        replace(text, questions=tuple(question for question in text.questions if question.id in kept))
        for text in texts
    ]
