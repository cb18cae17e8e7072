"""GutenQA: questions on narrative books, and the chunks that its authors made.

Layout, below the data root:

    gutenqa/emma/questions.jsonl   the published questions: gold strings, no spans
    gutenqa/emma/paragraph.jsonl   the text of their book, a paragraph a line; other *.jsonl: its chunks
    gutenqa/dev/BOOK.jsonl         questions with spans into books/BOOK.md
    books/BOOK.md                  those books
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from core.errors import DataError, NotFound
from core.identity import content_digest
from eval.datasets.base import Declaration, Place, read_jsonl, read_text
from eval.datasets.spans import read_span_queries
from eval.values import Query

GUTENQA = Declaration(
    name="GutenQA",
    folder="gutenqa",
    marks=("emma/questions.jsonl", "dev"),
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
            return self._published[book]
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
        path = self._paragraph_file
        _, books = read_chunks(path)
        if book not in books:
            raise NotFound(f"{path} holds no paragraphs of {book}; score it with --chunks")
        return "\n\n".join(books[book])

    def files(self, book: str) -> tuple[Path, ...]:
        """Questions and, where it is there, the text."""
        if book in self._published:
            paths = (self._question_file, self._paragraph_file)
        else:
            paths = (self._spanned_file(book), self._book_file(book))
        return tuple(path for path in paths if path.exists())

    @property
    def _question_file(self) -> Path:
        return self.place.folder / "emma" / "questions.jsonl"

    @property
    def _paragraph_file(self) -> Path:
        return self.place.folder / "emma" / "paragraph.jsonl"

    def _book_file(self, book: str) -> Path:
        return self.place.root / "books" / f"{book}.md"

    def _spanned_file(self, book: str) -> Path:
        if book not in self._spanned:
            raise NotFound(f"book must be one of {', '.join(self.books())}, got {book}")
        return self.place.folder / "dev" / f"{book}.jsonl"

    @cached_property
    def _published(self) -> dict[str, tuple[Query, ...]]:
        if not self._question_file.exists():
            return {}
        books: dict[str, list[Query]] = {}
        for _, row in read_jsonl(self._question_file, _QUESTION_FIELDS):
            queries = books.setdefault(row["Book Name"], [])
            id_ = f"{row['Book Name']}/{len(queries)}"
            queries.append(Query(id_, row["Question"], row["Answer"], row["Chunk Must Contain"]))
        return {book: tuple(queries) for book, queries in books.items()}

    @cached_property
    def _spanned(self) -> tuple[str, ...]:
        return tuple(sorted(path.stem for path in (self.place.folder / "dev").glob("*.jsonl")))


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
