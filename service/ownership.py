"""One process owns a data directory; the others find out which, and where it serves.

The lock is the operating system's on ``owner.lock``, so that death releases it, however it came; what
stands in ``owner.json`` beside it is believed only while that lock is held.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout

from core.errors import DataDirectoryBusy, StoreError

LOCK = "owner.lock"
CARD = "owner.json"

Notify = Callable[[str], None]

_POLL = 0.05  # seconds
# Every attempt lasts this long: whoever looks for an owner holds a stale lock for an instant.
_GRACE = 0.25


@dataclass(frozen=True, slots=True)
class Owner:
    """The process that owns a data directory.

    Attributes:
        command: what it runs: ``sawyer serve``.
        started: ISO 8601, UTC.
        server: whether it serves, or is about to (``url`` is None until it listens).
    """

    pid: int
    command: str
    started: str
    server: bool = False
    url: str | None = None

    def __str__(self) -> str:
        where = f" at {self.url}" if self.url else ""
        return f"pid {self.pid} ({self.command}, since {self.started}){where}"


class Ownership:
    """What `own` gives: the right to write under ``directory`` while its ``with`` block lasts."""

    def __init__(self, directory: Path, owner: Owner) -> None:
        self.directory = directory
        self.owner = owner
        _write_card(directory, owner)

    def announce(self, url: str) -> None:
        """Tell the others where this process serves; they stop waiting and go there.

        Raises:
            StoreError: the directory cannot be written.
        """
        self.owner = replace(self.owner, server=True, url=url)
        _write_card(self.directory, self.owner)


@contextmanager
def own(
    directory: Path,
    *,
    server: bool = False,
    url: str | None = None,
    wait: float = 0.0,
    notify: Notify | None = None,
) -> Iterator[Ownership]:
    """Own ``directory``, made if it is not there, for the length of the block.

    A lock that a dead process left is taken over. Waiting ends early where it cannot help: when the
    holder has a URL to go to, and, for a second server, when the holder is a server.

    Args:
        server: whether this process is going to serve.
        url: where it serves, when that is known before it listens.
        wait: seconds to wait for a holder without a URL.
        notify: told once who is being waited for.

    Raises:
        DataDirectoryBusy: another process owns it; the text names that process.
        StoreError: the directory cannot be made or written.
    """
    serves = server or url is not None
    with _lock(directory, serves=serves, wait=wait, notify=notify):
        ownership = Ownership(directory, Owner(os.getpid(), _this_command(), _now(), serves, url))
        try:
            yield ownership
        finally:
            (directory / CARD).unlink(missing_ok=True)  # before the lock goes: the next owner writes its own


def find_owner(directory: Path) -> Owner | None:
    """The living process that owns ``directory``, or None."""
    card = _read_card(directory)
    if card is None:
        return None
    try:
        with _file_lock(directory).acquire(timeout=0):
            return None
    except Timeout:
        return _read_card(directory)
    except OSError:  # no right to lock it, so nobody here can own it either
        return card


@contextmanager
def _lock(directory: Path, *, serves: bool, wait: float, notify: Notify | None) -> Iterator[None]:
    lock = _file_lock(directory)
    started = time.monotonic()
    told = False
    while True:
        try:
            directory.mkdir(parents=True, exist_ok=True, mode=0o700)
            lock.acquire(timeout=0)
            break
        except OSError as error:
            if not isinstance(error, Timeout):
                raise _unwritable(directory, error) from error
        waited = time.monotonic() - started
        if waited >= _GRACE:
            owner = _read_card(directory)
            no_use_waiting = owner is not None and (owner.url is not None or (serves and owner.server))
            if no_use_waiting or waited >= wait:
                raise _busy(directory, owner, waited)
            if notify and not told:
                notify(f"waiting up to {wait:g} s for {directory}, held by {owner or 'another process'}")
                told = True
        time.sleep(_POLL)
    try:
        yield
    finally:
        lock.release()


def _file_lock(directory: Path) -> FileLock:
    # Not thread-local: a server may take the lock in one thread and release it in another.
    return FileLock(directory / LOCK, thread_local=False)


def _busy(directory: Path, owner: Owner | None, waited: float) -> DataDirectoryBusy:
    holder = str(owner) if owner else "another process"
    if owner and owner.url:
        remedy = f"use that server (--url {owner.url}), stop it, or choose another --data-dir"
    else:
        remedy = f"waited {waited:.1f} s; wait longer (--lock-wait), stop it, or choose another --data-dir"
    return DataDirectoryBusy(
        f"a data directory must have one owner, {directory} is held by {holder}; {remedy}"
    )


def _unwritable(directory: Path, error: OSError) -> StoreError:
    return StoreError(
        f"data directory must be a folder that can be written, got {directory} ({error.strerror}); "
        "mend that, or choose another with --data-dir or SAWYER_DATA_DIR"
    )


def _write_card(directory: Path, owner: Owner) -> None:
    # Replaced in one step: a reader sees the old card or the new one, never half of one.
    draft = directory / f"{CARD}.new"
    try:
        draft.write_text(json.dumps(asdict(owner)), encoding="utf-8")
        draft.replace(directory / CARD)
    except OSError as error:  # a full disk, say: the lock file, being empty, still found room
        raise _unwritable(directory, error) from error


def _read_card(directory: Path) -> Owner | None:
    try:
        return Owner(**json.loads((directory / CARD).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):  # not there, or not ours: as good as no card
        return None


def _this_command() -> str:
    return " ".join([Path(sys.argv[0]).name, *sys.argv[1:2]]).strip() or "python"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
