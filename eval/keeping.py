"""Files that keep what was computed, named by a digest of everything that decides it.

A kept file that is damaged is computed again, with a notice: a digest of its content stands beside it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from core.errors import StoreError
from core.identity import content_digest, digest
from core.protocols import Vectors

FORMAT = 1

# Called with a notice, one line of text.
Say = Callable[[str], None]


def default_directory() -> Path:
    """Where results and vectors are kept unless ``--cache`` says otherwise: the user's own cache folder."""
    import platformdirs

    return Path(platformdirs.user_cache_dir("sawyer", appauthor=False)) / "eval"


@dataclass(frozen=True)
class Shelf:
    """One folder of kept entries.

    Raises:
        StoreError: from every write, the folder cannot be written.
    """

    folder: Path
    say: Say

    def read(self, key: str) -> dict[str, Any] | None:
        """The JSON kept under the key; None when there is none, or when what is there is damaged."""
        path = self._path(key, "json")
        try:
            entry = json.loads(path.read_text(encoding="utf-8"))
            content = entry["content"]
            sound = entry["format"] == FORMAT and entry["digest"] == _json_digest(content)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError):
            sound = False
        if not sound:
            self._discard(path)
            return None
        return dict(content)

    def write(self, key: str, content: dict[str, Any]) -> None:
        """Keep JSON under the key."""
        entry = {"format": FORMAT, "digest": _json_digest(content), "content": content}
        with self._writing(self._path(key, "json")) as temporary:
            temporary.write_text(json.dumps(entry, allow_nan=False), encoding="utf-8")

    def read_rows(self, key: str) -> tuple[Vectors, dict[str, Any]] | None:
        """The array kept under the key and what was said of it; None when there is none or it is damaged."""
        said = self.read(key)
        if said is None:
            return None
        path = self._path(key, "npy")
        try:
            sound = content_digest(path.read_bytes()) == said["sha256"]
            rows = np.load(path, allow_pickle=False) if sound else None
        except (OSError, ValueError, KeyError):
            rows = None
        if rows is None:
            self._discard(path, self._path(key, "json"))
            return None
        return rows, said

    def write_rows(self, key: str, rows: Vectors, said: dict[str, Any]) -> None:
        """Keep an array under the key, and what is to be said of it."""
        path = self._path(key, "npy")
        with self._writing(path) as temporary, temporary.open("wb") as stream:
            np.save(stream, rows, allow_pickle=False)
        self.write(key, {**said, "sha256": content_digest(path.read_bytes())})

    @contextmanager
    def alone(self, key: str) -> Iterator[None]:
        """One process at a time: the others wait until it is done, then find what it kept."""
        from filelock import FileLock

        path = self._path(key, "lock")
        self._make(path.parent)
        with FileLock(path):
            yield

    def _discard(self, damaged: Path, *with_it: Path) -> None:
        self.say(f"kept file {damaged} is damaged: computing it again")
        for path in (damaged, *with_it):
            with suppress(OSError):  # what cannot be removed is written over
                path.unlink()

    def _path(self, key: str, kind: str) -> Path:
        return self.folder / key[:2] / f"{key}.{kind}"

    @contextmanager
    def _writing(self, path: Path) -> Iterator[Path]:
        """A temporary file that takes the path's place when whole: a reader never sees half of one."""
        self._make(path.parent)
        temporary = path.with_name(f"{path.name}.{os.getpid()}")
        try:
            yield temporary
            temporary.replace(path)
        except OSError as error:
            raise StoreError(
                f"{path} cannot be written ({error.strerror}); choose another --cache"
            ) from error

    def _make(self, folder: Path) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"{folder} cannot be made ({error.strerror}); choose another --cache") from error


def _json_digest(content: object) -> str:
    return digest(json.dumps(content, sort_keys=True))
