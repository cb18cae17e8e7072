"""Which files a command line means, and what each is called."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.errors import InvalidInput, InvalidValue, NotFound, TooLarge
from service.naming import source_name

SUFFIXES = (".txt", ".md", ".markdown")  # what is taken from a folder; a file named itself is always taken


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file and the source that it becomes."""

    path: Path
    source: str


@dataclass(frozen=True, slots=True)
class Found:
    """Files in a fixed order, and how many others lay beside them."""

    files: Sequence[SourceFile]
    passed_over: int


def find_files(paths: Iterable[Path]) -> Found:
    """Every file named, and those of `SUFFIXES` in every folder named, its folders included.

    Hidden files and folders are passed over; a folder that links lead back to is entered once.

    Raises:
        NotFound: a path that is not there.
        InvalidInput: a folder that cannot be read, or that holds nothing to take.
        InvalidValue: two different files would be the same source.
    """
    found: dict[str, SourceFile] = {}
    passed_over = 0
    for root in paths:
        if not root.exists():
            raise NotFound(f"path must be a file or a folder, there is none at {root}")
        if not root.is_dir():
            _add(found, SourceFile(root, source_name(root, root)))
            continue
        files = list(_walk(root))
        texts = [path for path in files if path.suffix.lower() in SUFFIXES]
        if not texts:
            raise InvalidInput(f"folder must hold {', '.join(SUFFIXES)} files, got {root} with none")
        passed_over += len(files) - len(texts)
        for path in texts:
            _add(found, SourceFile(path, source_name(path, root)))
    return Found(tuple(found.values()), passed_over)


def read_bytes(path: Path, *, max_bytes: int) -> bytes:
    """A file's bytes; no more than the limit is ever held, whatever kind of file it is.

    Raises:
        NotFound: it is not there.
        InvalidInput: it cannot be read.
        TooLarge: it holds more than ``max_bytes``.
    """
    try:
        with path.open("rb") as stream:
            data = stream.read(max_bytes + 1)
    except FileNotFoundError as error:
        raise NotFound(f"path must be a file, there is none at {path}") from error
    except OSError as error:
        raise InvalidInput(f"file must be readable, got {path} ({error.strerror})") from error
    if len(data) > max_bytes:
        raise TooLarge(
            f"document must have at most {max_bytes:,} bytes, {path} has more; "
            "split it, or raise SAWYER_MAX_UPLOAD_MB"
        )
    return data


def _add(found: dict[str, SourceFile], file: SourceFile) -> None:
    other = found.setdefault(file.source, file)
    if not other.path.samefile(file.path):
        raise InvalidValue(
            f"files must have different sources, {other.path} and {file.path} are both {file.source!r}; "
            "ingest the folder that holds both, or one of them into another --collection"
        )


def _walk(root: Path) -> Iterator[Path]:
    def refuse(error: OSError) -> None:
        raise InvalidInput(f"folder must be readable, got {error.filename} ({error.strerror})") from error

    entered: set[tuple[int, int]] = set()
    for folder, folders, files in os.walk(root, onerror=refuse, followlinks=True):
        place = Path(folder).stat()
        if (place.st_dev, place.st_ino) in entered:
            folders.clear()
            continue
        entered.add((place.st_dev, place.st_ino))
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            path = Path(folder, name)
            if not name.startswith(".") and path.is_file():  # a broken link or a socket is no file
                yield path
