"""Seals: how a damaged, incomplete or foreign store directory is told from the one that was written."""

from __future__ import annotations

import shutil
import time
import zlib
from pathlib import Path

from core.errors import StoreError
from core.identity import digest

_BLOCK = 1 << 20
_REMOVAL_TRIES = 50
_REMOVAL_PAUSE_SECONDS = 0.1


def seal(directory: Path) -> str:
    """Digest of the names, sizes and CRC-32 of all files under a directory; lock files do not count.

    A checksum against damage, not against malice.
    """
    parts = []
    for path in sorted(directory.rglob("*")):
        if path.is_file() and path.suffix != ".lock":
            size, checksum = _content(path)
            parts.append(f"{path.relative_to(directory).as_posix()} {size} {checksum:08x}")
    return digest("seal", *parts)


def remove_directory(directory: Path) -> None:
    """Remove a directory with all that is in it, waiting for an engine's last threads to leave it.

    Raises:
        StoreError: it cannot be removed.
    """
    for _ in range(_REMOVAL_TRIES):
        shutil.rmtree(directory, ignore_errors=True)
        if not directory.exists():
            return
        time.sleep(_REMOVAL_PAUSE_SECONDS)
    raise StoreError(f"{directory} must go, for what it holds was deleted; remove it by hand")


def _content(path: Path) -> tuple[int, int]:
    size, checksum = 0, 0
    with path.open("rb") as stream:
        while block := stream.read(_BLOCK):
            size += len(block)
            checksum = zlib.crc32(block, checksum)
    return size, checksum
