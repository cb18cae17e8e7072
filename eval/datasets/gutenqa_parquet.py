"""GutenQA as it is published: Parquet files, checked and laid out as `eval.datasets.gutenqa` reads them.

The set has two configurations, the questions and the chunks, and is published in three layouts: a file for
each of them, the same in a folder a configuration and split (which the hub makes by itself), and one file in
which a chunk's row holds its question too. The books' paragraphs are a set of their own beside it.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import DataError, MissingExtra, NotFound, StoreError
from eval.datasets.fetching import Home

HOME = "https://huggingface.co/datasets/LumberChunker"
FOLDER = "published"  # in the set's own folder
CHUNK_FILE = "lumberchunker.jsonl"

_TEXT, _NUMBER = "string", "integer"
_QUESTIONS = {"Book Name": _TEXT, "Question": _TEXT, "Answer": _TEXT, "Chunk Must Contain": _TEXT}
_CHUNKS = {"Book Name": _TEXT, "Chunk ID": _NUMBER, "Chunk": _TEXT}

Say = Callable[[str], None]
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Layout:
    """Where one layout has the two configurations; the same file for both when it is one."""

    questions: str
    chunks: str

    @property
    def joined(self) -> bool:
        """Whether chunks and questions share their rows."""
        return self.questions == self.chunks


_MAIN = "GutenQA/resolve/main"
_CONVERTED = "GutenQA/resolve/refs%2Fconvert%2Fparquet"
LAYOUTS = (
    Layout(f"{_MAIN}/questions.parquet", f"{_MAIN}/gutenqa_chunks.parquet"),
    Layout(
        f"{_CONVERTED}/questions/gutenqa_questions/0000.parquet",
        f"{_CONVERTED}/gutenqa/gutenqa_chunks/0000.parquet",
    ),
    Layout(f"{_MAIN}/GutenQA.parquet", f"{_MAIN}/GutenQA.parquet"),
)
PARAGRAPHS = (
    "GutenQA_Paragraphs/resolve/main/GutenQA_paragraphs.parquet",
    "GutenQA_Paragraphs/resolve/refs%2Fconvert%2Fparquet/paragraphs/gutenqa_paragraphs/0000.parquet",
)
REMEDY = (
    f"without a network, get questions.parquet and gutenqa_chunks.parquet from {HOME}/GutenQA and "
    f"GutenQA_paragraphs.parquet from {HOME}/GutenQA_Paragraphs elsewhere, lay them out as "
    f"DIR/{LAYOUTS[0].questions}, DIR/{LAYOUTS[0].chunks} and DIR/{PARAGRAPHS[0]}, and pass --fetch DIR"
)


def fetch(place: str, folder: Path, say: Say) -> None:
    """Lay the published set out in ``folder / FOLDER``, whole or not at all; what is there stays.

    Args:
        place: `HOME`, a mirror's URL, or a folder laid out like either.
        folder: the set's own folder.

    Raises:
        NotFound: the place does not answer, or has the set in no layout.
        DataError: a file lacks a column or has one of another type, or its rows contradict each other.
        MissingExtra: pyarrow is not installed.
        StoreError: the folder cannot be written.
    """
    target = folder / FOLDER
    if target.exists():
        say(f"{target} is there: fetching nothing; remove it to fetch the set anew")
        return
    _parquet()  # before anything is downloaded
    home = Home(place, REMEDY)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".fetching-", dir=folder) as temporary:
            _lay_out(home, Path(temporary), say)
            (Path(temporary) / FOLDER).rename(target)
    except OSError as error:
        raise StoreError(f"{folder} cannot be written ({error}); choose another --data") from error


def _lay_out(home: Home, folder: Path, say: Say) -> None:
    questions, chunks = _configurations(home, folder, say)
    paragraphs = next(
        (path for name in PARAGRAPHS if (path := home.get(name, folder, say)) is not None), None
    )
    if paragraphs is None:
        say("the place has no paragraphs: chunk files can be scored, our own chunkers cannot")
    by_book = {} if paragraphs is None else _by_book(_unique(_rows(paragraphs, _CHUNKS), paragraphs))
    target = folder / FOLDER
    for book, rows in _by_book(questions).items():
        place = target / _folder_name(book)
        _write(place / "questions.jsonl", rows)
        if book in by_book:
            _write(place / "paragraph.jsonl", by_book[book])
    _write(target / CHUNK_FILE, chunks)
    say(
        f"fetched {len(_by_book(questions))} books, {len(questions):,} questions, {len(chunks):,} chunks, "
        f"{sum(map(len, by_book.values())):,} paragraphs"
    )


def _configurations(home: Home, folder: Path, say: Say) -> tuple[list[Row], list[Row]]:
    """Questions and chunks, in the first layout that the place has whole."""
    for layout in LAYOUTS:
        chunk_file = home.get(layout.chunks, folder, say)
        question_file = chunk_file if layout.joined else home.get(layout.questions, folder, say)
        if chunk_file is None or question_file is None:
            continue
        optional = {"Question", "Answer", "Chunk Must Contain"} if layout.joined else set()
        questions = [
            row
            for row in _rows(question_file, _QUESTIONS, may_lack=optional)
            if any(row[name] is not None for name in optional or row)
        ]
        incomplete = next((row for row in questions if None in row.values()), None)
        if incomplete is not None:
            raise DataError(f"{question_file.name}: a question must have all its columns, got {incomplete}")
        return questions, list(_unique(_rows(chunk_file, _CHUNKS), chunk_file))
    names = ", ".join(f"{layout.questions} with {layout.chunks}" for layout in LAYOUTS)
    raise NotFound(f"{home.place} must hold GutenQA in a known layout ({names}), it holds none; {REMEDY}")


def _rows(path: Path, columns: Mapping[str, str], *, may_lack: Iterable[str] = ()) -> Iterator[Row]:
    """The rows of a Parquet file, these columns alone.

    Raises:
        DataError: no Parquet, a column is missing or of another type, or a value is missing.
    """
    arrow, parquet = _parquet()
    try:
        file = parquet.ParquetFile(path)
        _check(path, file.schema_arrow, columns, arrow)
        number = 0
        for batch in file.iter_batches(columns=list(columns)):
            for row in batch.to_pylist():
                number += 1
                absent = [name for name in columns if row[name] is None and name not in may_lack]
                if absent:
                    raise DataError(f"{path.name}, row {number}: {absent[0]!r} must have a value, got none")
                yield row
    except (arrow.ArrowException, OSError) as error:
        raise DataError(f"{path.name} must be a Parquet file ({str(error).splitlines()[0]})") from error


def _check(path: Path, schema: Any, columns: Mapping[str, str], arrow: Any) -> None:
    for name, kind in columns.items():
        if name not in schema.names:
            raise DataError(
                f"{path.name} must have a column {name!r} of type {kind}, it has {', '.join(schema.names)}"
            )
        found = schema.field(name).type
        text = arrow.types.is_string(found) or arrow.types.is_large_string(found)
        if not (text if kind == _TEXT else arrow.types.is_integer(found)):
            raise DataError(f"{path.name}: column {name!r} must be of type {kind}, got {found}")


def _unique(rows: Iterable[Row], path: Path) -> Iterator[Row]:
    """Each chunk once: where rows are of questions, a chunk with two of them has two."""
    found: dict[tuple[str, int], str] = {}
    for row in rows:
        key = row["Book Name"], row["Chunk ID"]
        if key not in found:
            found[key] = row["Chunk"]
            yield row
        elif found[key] != row["Chunk"]:
            raise DataError(f"{path.name}: chunk {key[1]} of {key[0]} must have one text, it has two")


def _by_book(rows: Iterable[Row]) -> dict[str, list[Row]]:
    books: dict[str, list[Row]] = {}
    for row in rows:
        books.setdefault(row["Book Name"], []).append(row)
    return books


def _folder_name(book: str) -> str:
    if not book.strip(". ") or set(book) & set("/\\\0"):
        raise DataError(f"a book's name must do as a folder's, got {book!r}")
    return book


def _write(path: Path, rows: Sequence[Row]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="\n") as stream:
        stream.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _parquet() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtra("--fetch needs pyarrow; pip install 'sawyer-rag[eval]'") from error
    return pyarrow, pyarrow.parquet
