"""The ways of cutting a book that a command compares: chunkers by name, chunks from files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from chunkers.base import Chunker
from core.errors import NotFound
from eval.asked_models import asked_by
from eval.chunked import cut_book, given_chunks
from eval.datasets.base import QuestionSet
from eval.datasets.gutenqa import ChunkFile, read_chunks
from eval.values import ChunkedBook

LOOKED_UP = 100  # of a file's chunks of a book, evenly chosen, to see whether they stand in its text


class Method(Protocol):
    """One way of cutting books."""

    @property
    def name(self) -> str:
        """The chunker's name, or the chunk file's without its ending."""

    @property
    def picker(self) -> str | None:
        """What picks the boundaries of a chunker that asks: ``local``, ``chat:MODEL``, else None."""

    @property
    def strategy(self) -> str:
        """The ``repr`` of what decides the chunks."""

    @property
    def placed(self) -> bool:
        """Whether the chunks are slices of the book, so that they have spans."""

    def has(self, book: str) -> bool:
        """Whether it can give chunks of the book."""

    def rewritten(self, book: str, questions: QuestionSet) -> bool:
        """Whether the chunks say in other words what the book says, so that they hold no string of it."""

    def cut(self, book: str, questions: QuestionSet) -> ChunkedBook:
        """The book's chunks and windows."""


@dataclass(frozen=True)
class ByChunker:
    """A chunker of ours, run over the book's text."""

    name: str
    chunker: Chunker

    @property
    def picker(self) -> str | None:
        """See `eval.asked_models.asked_by`."""
        return asked_by(self.chunker)

    @property
    def strategy(self) -> str:
        """The chunker's ``repr``."""
        return repr(self.chunker)

    @property
    def placed(self) -> bool:
        """Chunks of ours are slices."""
        return True

    def has(self, book: str) -> bool:  # noqa: ARG002 - a chunker cuts any text
        """Any book that has a text."""
        return True

    def rewritten(self, book: str, questions: QuestionSet) -> bool:  # noqa: ARG002 - slices are not
        """A slice never does."""
        return False

    def cut(self, book: str, questions: QuestionSet) -> ChunkedBook:
        """Cut the text of the set's book."""
        return cut_book(book, questions.text(book), self.chunker)


@dataclass(frozen=True)
class FromFile:
    """Chunks that a file holds."""

    name: str
    source: ChunkFile
    chunks: Mapping[str, tuple[str, ...]]

    @staticmethod
    def read(path: Path) -> FromFile:
        """The chunks of a file in GutenQA's form.

        Raises:
            NotFound: no such file.
            DataError: it is malformed.
        """
        source, chunks = read_chunks(path)
        return FromFile(path.stem, source, chunks)

    @property
    def picker(self) -> str | None:
        """Nobody tells how the chunks were made."""
        return None

    @property
    def strategy(self) -> str:
        """The file's name and digest."""
        return repr(self.source)

    @property
    def placed(self) -> bool:
        """A file gives texts alone."""
        return False

    def has(self, book: str) -> bool:
        """Whether some line has the book as its ``Book Name``."""
        return book in self.chunks

    def rewritten(self, book: str, questions: QuestionSet) -> bool:
        """Whether most chunks stand nowhere in the book's text; not where there is no text to tell by."""
        try:
            return _rewritten(self.chunks[book], questions.text(book))
        except NotFound:
            return False

    def cut(self, book: str, questions: QuestionSet) -> ChunkedBook:  # noqa: ARG002 - needs no text
        """The file's chunks of the book.

        Raises:
            NotFound: it has none.
        """
        if book not in self.chunks:
            raise NotFound(
                f"{self.source.name} must hold chunks of {book}, it holds {', '.join(self.chunks)}"
            )
        return given_chunks(self.chunks[book])


@lru_cache(maxsize=32)
def _rewritten(chunks: tuple[str, ...], text: str) -> bool:
    whole = " ".join(text.split())
    number = min(LOOKED_UP, len(chunks))
    looked_up = (chunks[at * len(chunks) // number] for at in range(number))
    return sum(" ".join(chunk.split()) in whole for chunk in looked_up) < number / 2
