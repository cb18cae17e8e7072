"""Boundaries that the authors of GutenQA published: their chunks, laid over their own paragraphs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import regex

from chunkers.boundaries import paragraph_spans
from core.errors import DataError, NotFound
from eval.boundary_scoring import SegmentedText
from eval.datasets.gutenqa import read_chunks

PARAGRAPHS, CHUNKS = "paragraph.jsonl", "lumberchunker_gemini.jsonl"
STRETCH = 100  # paragraphs; a book is scored in stretches, so that there is something to draw from

_BETWEEN = "\n\n"
_WHITE = regex.compile(r"\s+")


def published_texts(folder: Path) -> list[SegmentedText]:
    """Stretches of each book in ``folder``, segmented as its chunks are.

    Args:
        folder: with the paragraphs and the chunks of the published method, in GutenQA's form.

    Raises:
        NotFound: one of the two files is not there.
        DataError: a chunk starts within a paragraph.
    """
    for name in (PARAGRAPHS, CHUNKS):
        if not (folder / name).is_file():
            raise NotFound(f"published boundaries need {name}, {folder} does not hold it")
    _, paragraphs = read_chunks(folder / PARAGRAPHS)
    _, chunks = read_chunks(folder / CHUNKS)
    return [
        text
        for book in chunks
        for text in _stretches(book, paragraphs.get(book, ()), _firsts(book, paragraphs[book], chunks[book]))
    ]


def _firsts(book: str, paragraphs: Sequence[str], chunks: Sequence[str]) -> set[int]:
    """Paragraphs that a chunk starts with. Texts are compared by their visible characters."""
    starts: dict[int, int] = {}
    at = 0
    for index, paragraph in enumerate(paragraphs):
        starts[at] = index
        at += _visible(paragraph)
    found: set[int] = set()
    at = 0
    for index, chunk in enumerate(chunks):
        if at not in starts:
            raise DataError(f"chunks of {book} must start with a paragraph, chunk {index} starts within one")
        found.add(starts[at])
        at += _visible(chunk)
    return found


def _visible(text: str) -> int:
    return len(_WHITE.sub("", text))


def _stretches(book: str, paragraphs: Sequence[str], firsts: set[int]) -> Iterator[SegmentedText]:
    for low in range(0, len(paragraphs), STRETCH):
        text = _BETWEEN.join(paragraphs[low : low + STRETCH])
        units = tuple(paragraph_spans(text))
        boundaries = tuple(at for at in range(1, len(units)) if low + at in firsts)
        yield SegmentedText(f"{book}/{low}", book, text, units, boundaries)
