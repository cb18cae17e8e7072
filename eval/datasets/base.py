"""What every data set offers, how its folder is found, and how its files are read."""

from __future__ import annotations

import codecs
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from core.errors import DataError, NotFound
from core.identity import content_digest
from eval.values import Query

DATA_VARIABLE = "SAWYER_DATA"


class QuestionSet(Protocol):
    """Books and questions about them."""

    @property
    def name(self) -> str:
        """What the report calls the set."""

    def books(self) -> tuple[str, ...]:
        """Names of the books that have questions."""

    def queries(self, book: str) -> tuple[Query, ...]:
        """The book's questions, in file order."""

    def text(self, book: str) -> str:
        """The book's text, to which spans refer."""

    def files(self, book: str) -> tuple[Path, ...]:
        """The files that decide the book's questions and text."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """A data set that lies outside the project.

    Attributes:
        folder: its folder's name below the data root.
        marks: paths of which at least one stands in that folder.
        home: where it is to be had.
        licence: as its authors state it.
    """

    name: str
    folder: str
    marks: tuple[str, ...]
    home: str
    licence: str

    @property
    def instructions(self) -> str:
        """One line: how to get the set and where to put it."""
        marks = " or ".join(f"{self.folder}/{mark}" for mark in self.marks)
        return (
            f"get {self.name} from {self.home}, lay it out as {marks}, "
            f"and pass --data DIR or set {DATA_VARIABLE}"
        )


@dataclass(frozen=True, slots=True)
class Place:
    """Where a data set was found.

    Attributes:
        folder: the set's own folder.
        root: the data root, in which the folders of other sets lie.
        kind: what the given path turned out to be: ``data root`` or ``folder of the set``.
    """

    folder: Path
    root: Path
    kind: str


def data_directory(asked: Path | None) -> Path | None:
    """The folder asked for, else that of ``SAWYER_DATA``, else None; read from the environment here alone."""
    if asked is not None:
        return asked
    value = os.environ.get(DATA_VARIABLE)
    return Path(value) if value else None


def locate(declaration: Declaration, directory: Path) -> Place:
    """Find a set in a data root or in its own folder.

    Raises:
        NotFound: the directory is neither.
    """
    directory = spelled_out(directory)
    inside = directory / declaration.folder
    if _marked(declaration, inside):
        return Place(inside, directory, "data root")
    if _marked(declaration, directory):
        return Place(directory, directory.parent, "folder of the set")
    raise NotFound(
        f"the data folder must be a data root that holds {declaration.folder}/, or that folder itself, "
        f"got {directory}; {declaration.instructions}"
    )


def spelled_out(directory: Path) -> Path:
    """The absolute path of a folder that is given as people write it, with ``~`` or ``~name``.

    Raises:
        NotFound: a user by that name, or a home of theirs.
    """
    try:
        return directory.expanduser().absolute()
    except RuntimeError as error:
        raise NotFound(
            f"a folder that begins with ~ must be in a home that is there, got {directory}"
        ) from error


def _marked(declaration: Declaration, folder: Path) -> bool:
    return any((folder / mark).exists() for mark in declaration.marks)


def read_text(path: Path) -> str:
    """A text file as it stands: UTF-8, no newline translation, only a byte-order mark removed.

    Raises:
        NotFound: no such file.
        DataError: the file is not UTF-8.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise NotFound(f"{path} cannot be read ({error.strerror}); check the data folder") from error
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DataError(f"{path}, line {line}: a data file must be UTF-8, got {error.reason}") from error


def read_jsonl(path: Path, fields: Mapping[str, type]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Line number, from 1, and object of every line that is not blank.

    Args:
        fields: names that each object must have, with the type of their values.

    Raises:
        NotFound: no such file.
        DataError: a line is no object, or lacks a field, or a field has another type.
    """
    # Not splitlines(): a string in JSON may hold U+2028 and its like unescaped.
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if not line.strip():
            continue
        where = f"{path}, line {number}"
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:  # the latter for brackets without end
            raise DataError(f"{where}: a line must be one JSON object, got {error}") from error
        if not isinstance(row, dict):
            raise DataError(f"{where}: a line must be one JSON object, got {line.strip()[:40]!r}")
        for name, kind in fields.items():
            # bool is an int to Python and not to a data set
            if not isinstance(row.get(name), kind) or isinstance(row.get(name), bool):
                found = repr(row[name])[:40] if name in row else "nothing"
                raise DataError(f"{where}: {name!r} must be {kind.__name__}, got {found}")
        yield number, row


def data_digest(questions: QuestionSet, books: Sequence[str]) -> str:
    """SHA-256 over the bytes of every file that decides these books' questions and texts."""
    paths = {path for book in books for path in questions.files(book)}
    # By name, not by path: the same data in another place is the same data.
    parts = sorted(f"{path.name} {content_digest(path.read_bytes())}" for path in paths)
    return content_digest("\n".join(parts).encode())
