"""The memory of picks as an SQLite file, which any number of processes may use at once."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from threading import RLock
from time import monotonic, sleep

from core.errors import StoreError

FILE = "picks.sqlite"

_WAIT = 60.0  # seconds for another process that writes
_PAUSE = 0.01  # seconds between two attempts
_TOGETHER = 500  # keys in one query; SQLite allows 999 in old builds

_SCHEMA = "CREATE TABLE IF NOT EXISTS picks (key TEXT PRIMARY KEY, pick INTEGER NOT NULL) WITHOUT ROWID"


class SqlitePickMemory:
    """See `chunkers.pick_memory.PickMemory`. The file is made before the first pick is asked for.

    Args:
        path: of the file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection: sqlite3.Connection | None = None
        self._lock = RLock()

    def recall(self, keys: Sequence[str]) -> Mapping[str, int]:
        """The picks of those keys that are known.

        Raises:
            StoreError: the file cannot be read.
        """
        found: dict[str, int] = {}
        with self._lock:
            if self._connection is None and not self._path.exists():
                return found
            for start in range(0, len(keys), _TOGETHER):
                part = keys[start : start + _TOGETHER]
                marks = ",".join("?" * len(part))
                asked = f"SELECT key, pick FROM picks WHERE key IN ({marks}) AND typeof(pick) = 'integer'"  # noqa: S608 - marks alone
                with self._errors(), closing(self._open().execute(asked, part)) as rows:
                    found.update(rows)
        return found

    def prepare(self) -> None:
        """Make the file, unless it is there, and take and release the right to write.

        Raises:
            StoreError: the file cannot be written.
        """
        with self._lock, self._errors():
            connection = self._open()
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("ROLLBACK")

    def keep(self, key: str, pick: int) -> None:
        """Commit a pick; the first one kept for a key stays.

        Raises:
            StoreError: the file cannot be written.
        """
        with self._lock, self._errors():
            self._open().execute("INSERT OR IGNORE INTO picks (key, pick) VALUES (?, ?)", (key, pick))

    def close(self) -> None:
        """Release the file; the memory may be used again."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def __del__(self) -> None:
        # Nobody else need know that there is something to release.
        self.close()

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            # Without an open transaction every statement commits by itself.
            connection = sqlite3.connect(
                self._path, timeout=_WAIT, isolation_level=None, check_same_thread=False
            )
            try:
                _to_wal(connection)
                # A killed process loses nothing so; a power cut may lose the last few picks.
                connection.execute("PRAGMA synchronous = NORMAL")
                connection.execute(_SCHEMA)
            except sqlite3.Error:
                connection.close()
                raise
            self._connection = connection
        return self._connection

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise StoreError(
                f"the memory of picks {self._path} cannot be used ({error}); move it away to go on without "
                "what was picked before"
            ) from error


def _to_wal(connection: sqlite3.Connection) -> None:
    """Let readers at the file beside a writer; for others who do the same SQLite itself does not wait."""
    until = monotonic() + _WAIT
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or monotonic() > until:
                raise
            sleep(_PAUSE)
        else:
            return
