"""GutenQA: questions on narrative books, and the chunks that its authors made.

Layout, below the data root:

    gutenqa/emma/questions.jsonl   the published questions: gold strings, no spans; for propositions, which
                                   say the book in other words, ``Proposition Answer``, a gold of their own
    gutenqa/emma/paragraph.jsonl   the text of their book, a paragraph a line; other *.jsonl: its chunks
    gutenqa/published/BOOK/        the same two files for every book, as `--fetch` lays them out
    gutenqa/dev/BOOK.jsonl         questions with spans into books/BOOK.md
    books/BOOK.md                  those books
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from core.errors import DataError, NotFound
from core.identity import content_digest
from eval.datasets.base import Declaration, Place, read_jsonl, read_text
from eval.datasets.spans import read_span_queries
from eval.values import Query

GUTENQA = Declaration(
    name="GutenQA",
    folder="gutenqa",
    marks=("emma/questions.jsonl", "published", "dev"),
    home="https://github.com/joaodsmarques/LumberChunker",
    licence="MIT, by the data set's page",
)

_QUESTION_FIELDS = {"Book Name": str, "Question": str, "Answer": str, "Chunk Must Contain": str}
_CHUNK_FIELDS = {"Book Name": str, "Chunk ID": int, "Chunk": str}


@dataclass(frozen=True)
class ChunkFile:
    """Chunks that somebody else made, in GutenQA's form; the ``repr`` identifies them.

    They need not be slices of any book: the authors join and rewrite lines.
    """

    name: str
    sha256: str


@dataclass(frozen=True)
class _Published:
    """One book of the published set: its folder and its questions."""

    folder: Path
    queries: tuple[Query, ...]

    @property
    def questions(self) -> Path:
        return self.folder / "questions.jsonl"

    @property
    def paragraphs(self) -> Path:
        return self.folder / "paragraph.jsonl"


@dataclass(frozen=True)
class GutenQA:
    """The questions found at one place."""

    place: Place
    name: str = GUTENQA.name

    def books(self) -> tuple[str, ...]:
        """Books with published questions, then those with span questions, by name."""
        return (*self._published, *self._spanned)

    def queries(self, book: str) -> tuple[Query, ...]:
        """The book's questions.

        Raises:
            NotFound: no questions on such a book.
            DataError: a malformed line; evidence that is not at its span (checked where the book is there).
        """
        if book in self._published:
            return self._published[book].queries
        path = self._spanned_file(book)
        present = self._book_file(book).exists()
        return read_span_queries(path, self.text(book) if present else None)

    def text(self, book: str) -> str:
        """The book's text: for published questions the authors' paragraphs joined by blank lines.

        Raises:
            NotFound: the book's file is not there.
            DataError: it is malformed.
        """
        if book not in self._published:
            return read_text(self._book_file(book))
        path = self._published[book].paragraphs
        _, books = read_chunks(path)
        if book not in books:
            raise NotFound(f"{path} holds no paragraphs of {book}; score it with --chunks")
        return "\n\n".join(books[book])

    def files(self, book: str) -> tuple[Path, ...]:
        """Questions and, where it is there, the text."""
        if book in self._published:
            paths = (self._published[book].questions, self._published[book].paragraphs)
        else:
            paths = (self._spanned_file(book), self._book_file(book))
        return tuple(path for path in paths if path.exists())

    def _book_file(self, book: str) -> Path:
        return self.place.root / "books" / f"{book}.md"

    def _spanned_file(self, book: str) -> Path:
        if book not in self._spanned:
            raise NotFound(f"book must be one of {', '.join(self.books())}, got {book}")
        return self.place.folder / "dev" / f"{book}.jsonl"

    @cached_property
    def _published(self) -> dict[str, _Published]:
        """By book; one that lies in two folders is read from the first, `emma` before the others."""
        folders = [self.place.folder / "emma", *sorted((self.place.folder / "published").glob("*/"))]
        books: dict[str, _Published] = {}
        for folder in folders:
            for book, queries in _read_questions(folder / "questions.jsonl").items():
                books.setdefault(book, _Published(folder, queries))
        return books

    @cached_property
    def _spanned(self) -> tuple[str, ...]:
        return tuple(sorted(path.stem for path in (self.place.folder / "dev").glob("*.jsonl")))


def _read_questions(path: Path) -> dict[str, tuple[Query, ...]]:
    """The published questions of a file by book; none where there is no file.

    Raises:
        DataError: a malformed line, a blank gold (every chunk would contain it), or no line at all.
    """
    if not path.exists():
        return {}
    books: dict[str, list[Query]] = {}
    for number, row in read_jsonl(path, _QUESTION_FIELDS):
        where = f"{path}, line {number}"
        hyde, proposition = (_optional(row, name, where) for name in ("Question_Hyde", "Proposition Answer"))
        if not row["Chunk Must Contain"].strip():
            raise DataError(f"{where}: 'Chunk Must Contain' must hold text, got a blank")
        queries = books.setdefault(row["Book Name"], [])
        id_ = f"{row['Book Name']}/{len(queries)}"
        queries.append(
            Query(
                id_,
                row["Question"],
                row["Answer"],
                row["Chunk Must Contain"],
                hyde=hyde,
                proposition=proposition,
            )
        )
    if not books:
        raise DataError(f"{path}, line 1: a question file must hold at least one question, got none")
    return {book: tuple(queries) for book, queries in books.items()}


def _optional(row: Mapping[str, Any], name: str, where: str) -> str | None:
    """A field that a question may lack; a blank says as little as none."""
    value = row.get(name)
    if value is not None and not isinstance(value, str):
        raise DataError(f"{where}: {name!r} must be str or absent, got {value!r}")
    return value if value and value.strip() else None


def read_chunks(path: Path) -> tuple[ChunkFile, dict[str, tuple[str, ...]]]:
    """The chunks of a file by book, each book's in the order of ``Chunk ID``.

    Raises:
        NotFound: no such file.
        DataError: a malformed line, a ``Chunk ID`` that a book has twice, or no line at all.
    """
    books: dict[str, dict[int, str]] = {}
    for number, row in read_jsonl(path, _CHUNK_FIELDS):
        chunks = books.setdefault(row["Book Name"], {})
        if row["Chunk ID"] in chunks:
            raise DataError(
                f"{path}, line {number}: a 'Chunk ID' must be unique in its book, got {row['Chunk ID']} again"
            )
        chunks[row["Chunk ID"]] = row["Chunk"]
    if not books:
        raise DataError(f"{path}, line 1: a chunk file must hold at least one chunk, got none")
    ordered = {book: tuple(chunks[id_] for id_ in sorted(chunks)) for book, chunks in books.items()}
    return ChunkFile(path.name, content_digest(path.read_bytes())), ordered
