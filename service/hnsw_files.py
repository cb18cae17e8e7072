"""Chroma's HNSW files, cleared of what is no row.

When hnswlib makes room for more rows it writes the room to the file as it got it from the allocator:
with whatever this process had freed before, be it a deleted vector, a text or a key. So the room is
overwritten with zeros after each write; hnswlib never reads it.

Source: chroma-hnswlib, ``hnswlib/hnswalg.h``, the persistent index's header (format version 1).
"""

from __future__ import annotations

import struct
from pathlib import Path

from core.errors import StoreError

_HEADER = struct.Struct("<i6QiI3QdQ")
_VERSION = 1
_LENGTH_BYTES = 4  # of a row's number of links above the ground level
_BLOCK = 1 << 20


def clear_unused(directory: Path) -> None:
    """Zero all bytes of the HNSW files under ``directory`` that belong to no row.

    Raises:
        StoreError: the files are not in the format that this was written for.
    """
    for header in directory.rglob("header.bin"):
        rows, row_bytes = _layout(header)
        _zero_from(header.with_name("data_level0.bin"), rows * row_bytes)
        _zero_from(header.with_name("length.bin"), rows * _LENGTH_BYTES)


def _layout(header: Path) -> tuple[int, int]:
    """Number of rows that the files hold, and bytes a row takes in ``data_level0.bin``."""
    data = header.read_bytes()
    version, room, rows, row_bytes = -1, 0, 0, 0
    if len(data) == _HEADER.size:
        version, _, room, rows, row_bytes, *_ = _HEADER.unpack(data)
    if version != _VERSION or rows > room:
        raise StoreError(
            f"Chroma's HNSW files must be of format {_VERSION}, got {version} in {header}; "
            "install the chromadb that constraints.txt names"
        )
    return rows, row_bytes


def _zero_from(path: Path, start: int) -> None:
    with path.open("r+b") as stream:
        left = stream.seek(0, 2) - start
        stream.seek(start)
        while left > 0:
            left -= stream.write(bytes(min(left, _BLOCK)))
