"""One SQLite file: many readers, one writer, nothing deleted left behind."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, LifoQueue

from core.errors import InvalidValue, StoreError

_BUSY_SECONDS = 30
_OUR_BUGS = (sqlite3.IntegrityError, sqlite3.ProgrammingError, sqlite3.NotSupportedError)


class Database:
    """A write-ahead-logged SQLite file, shared by threads.

    Reads go through a pool of connections, each a snapshot of what was last committed; writes through
    one connection under a lock. A method that writes may call another: both are one transaction.

    Raises:
        StoreError: the file is damaged, of another version or no database of ours.
    """

    def __init__(self, path: Path, *, schema: str, application_id: int, version: int) -> None:
        self._path = path
        self._lock = threading.RLock()
        self._writer_thread: int | None = None
        self._idle: LifoQueue[sqlite3.Connection] = LifoQueue()
        with self._errors():
            self._writer = self._connect()
        try:
            with self._errors():
                self._prepare(schema, application_id, version)
        except BaseException:
            self._writer.close()
            raise

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection that sees one state for as long as it is held (inside `writing`: the writer's)."""
        if self._writer_thread == threading.get_ident():
            yield self._writer
            return
        with self._errors():
            connection = self._borrow()
            try:
                connection.execute("BEGIN")
                yield connection
            finally:
                connection.rollback()
                self._idle.put(connection)

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """The writer in a transaction: committed at the end of the outermost block, or wholly undone."""
        if self._writer_thread == threading.get_ident():
            yield self._writer
            return
        with self._errors(), self._lock:
            self._writer.execute("BEGIN IMMEDIATE")
            self._writer_thread = threading.get_ident()
            try:
                yield self._writer
            except BaseException:
                self._writer.rollback()
                raise
            else:
                self._writer.commit()
            finally:
                self._writer_thread = None

    def forget(self) -> None:
        """Take what was deleted out of the file and its log.

        ``secure_delete`` alone is not enough: when SQLite moves rows between pages it leaves copies of
        them in the unused parts, which a later deletion does not reach. So the file is written anew.

        Raises:
            StoreError: a reader kept an old state open for 30 seconds.
        """
        with self._errors(), self._lock:
            self._writer.execute("VACUUM")
            self.truncate_log()

    def truncate_log(self) -> None:
        """Empty the write-ahead log: it keeps old pages, and those of transactions that a crash ended.

        Raises:
            StoreError: a reader kept an old state open for 30 seconds.
        """
        with self._errors(), self._lock:
            busy, _, _ = self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy:
            raise StoreError(
                f"the log of {self._path.name} must be free of readers to be emptied, one held it for "
                f"{_BUSY_SECONDS} seconds; end long reads and delete again"
            )

    def close(self) -> None:
        """Release the file. No thread may be reading or writing."""
        while True:
            try:
                self._idle.get_nowait().close()
            except Empty:
                break
        self._writer.close()

    def _connect(self) -> sqlite3.Connection:
        # Connections wander between threads, but each is in one thread's hands at a time.
        connection = sqlite3.connect(
            self._path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute("PRAGMA foreign_keys = ON")
        return connection

    def _borrow(self) -> sqlite3.Connection:
        try:
            return self._idle.get_nowait()
        except Empty:
            return self._connect()

    def _prepare(self, schema: str, application_id: int, version: int) -> None:
        writer = self._writer
        found = writer.execute("PRAGMA application_id").fetchone()[0]
        found_version = writer.execute("PRAGMA user_version").fetchone()[0]
        tables = writer.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
        if tables and found != application_id:
            raise StoreError(
                f"{self._path} must be a database that Sawyer made, got another program's; "
                "choose another data directory"
            )
        if tables and found_version != version:
            raise StoreError(
                f"{self._path} must have format {version}, got {found_version}; use the version of Sawyer "
                "that wrote it, or move the data directory away and ingest again"
            )
        if not tables:
            writer.execute("PRAGMA page_size = 8192")  # five vectors of 384 numbers a page
            writer.execute("PRAGMA journal_mode = WAL")
            writer.executescript(
                f"BEGIN IMMEDIATE; PRAGMA application_id = {application_id}; "
                f"PRAGMA user_version = {version}; {schema} COMMIT;"
            )
        self.truncate_log()

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except _OUR_BUGS:
            raise
        except sqlite3.DatabaseError as error:
            raise StoreError(f"{self._path} cannot be used ({error}); {_remedy(error)}") from error
        except UnicodeEncodeError as error:
            raise InvalidValue(
                "names and texts must be Unicode without lone surrogates, got one at position "
                f"{error.start}; rename the file, or decode the text anew"
            ) from error


def _remedy(error: sqlite3.DatabaseError) -> str:
    name: str = getattr(error, "sqlite_errorname", "")  # missing where the sqlite3 module itself objects
    if name.startswith(("SQLITE_FULL", "SQLITE_IOERR")):  # a nearly full disk gives either
        return "free disk space, see that the disk is sound, and try again"
    if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN")):
        return "see that you may write the file and its folder, and try again"
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return "end the other program that has it open, and try again"
    return "restore it from a backup, or move the data directory away and ingest again"
