"""What a generation consists of, as rows: text, chunks, windows with vectors, pairs.

Every row (the windows of a generation together) carries a CRC-32 of its content, checked when it is
read: SQLite notices a broken page, not a changed byte.
"""

from __future__ import annotations

import json
import sqlite3
import zlib

import numpy as np
from numpy.typing import NDArray

from core.errors import StoreError
from core.identity import digest
from core.protocols import Vectors
from core.values import Chunk, Span
from service.catalog.generations import Generation

_VECTOR = np.dtype("<f4")
_PAIR = np.dtype("<i4")


def window_id(number: int, position: int) -> str:
    """The name of a generation's embedded row, in every store."""
    return f"{number}.{position}"


def insert(db: sqlite3.Connection, number: int, generation: Generation) -> None:
    """Store all of a generation."""
    vectors = [row.tobytes() for row in generation.vectors.astype(_VECTOR)]
    windows = [(span.start, span.end) for span in generation.windows]
    pairs = generation.window_chunks.astype(_PAIR).tobytes()
    head = (
        number,
        generation.document_id,
        generation.collection,
        generation.title,
        generation.content_digest,
        generation.strategy,
        digest("strategy", generation.strategy),
        generation.embedder,
        generation.fingerprint,
        generation.index_mode,
        json.dumps(dict(generation.metadata), sort_keys=True),
        json.dumps([[notice.code, notice.detail] for notice in generation.notices]),
        len(generation.text),
        len(generation.chunks),
        len(windows),
        generation.vectors.shape[1],
        _windows_checksum(windows, vectors),
        zlib.crc32(pairs),
        pairs,
    )
    # Question marks alone are put together.
    db.execute("INSERT INTO generations VALUES (" + ", ".join("?" * len(head)) + ")", head)  # noqa: S608 - question marks alone
    text = generation.text
    db.execute("INSERT INTO texts VALUES (?, ?, ?)", (number, text, zlib.crc32(text.encode())))
    db.executemany(
        "INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (number, position, *fields, _chunk_checksum(fields))
            for position, fields in enumerate(map(_chunk_fields, generation.chunks))
        ),
    )
    db.executemany(
        "INSERT INTO windows (generation, position, start, stop, vector) VALUES (?, ?, ?, ?, ?)",
        (
            (number, position, *span, vector)
            for position, (span, vector) in enumerate(zip(windows, vectors, strict=True))
        ),
    )


def delete(db: sqlite3.Connection, number: int) -> None:
    """Delete all of a generation."""
    db.execute("DELETE FROM texts WHERE generation = ?", (number,))
    db.execute("DELETE FROM chunks WHERE generation = ?", (number,))
    db.execute("DELETE FROM windows WHERE generation = ?", (number,))
    db.execute("DELETE FROM generations WHERE number = ?", (number,))


def text(db: sqlite3.Connection, number: int) -> str:
    """A generation's text.

    Raises:
        StoreError: it is not what was stored; so do the functions below.
    """
    found, checksum = db.execute(
        "SELECT text, checksum FROM texts WHERE generation = ?", (number,)
    ).fetchone()
    _verify(zlib.crc32(found.encode()) == checksum, number)
    return str(found)


def chunk(db: sqlite3.Connection, number: int, position: int, document_id: str, document_text: str) -> Chunk:
    """One chunk of a generation whose text is at hand."""
    *fields, checksum = db.execute(
        "SELECT id, start, stop, chapter, index_text, checksum FROM chunks "
        "WHERE generation = ? AND position = ?",
        (number, position),
    ).fetchone()
    _verify(_chunk_checksum(tuple(fields)) == checksum, number)
    chunk_id, start, stop, chapter, index_text = fields
    span = Span(start, stop)
    return Chunk(chunk_id, document_id, span, span.of(document_text), tuple(json.loads(chapter)), index_text)


def chunk_ids(db: sqlite3.Connection, number: int) -> list[str]:
    """A generation's chunk ids in reading order."""
    rows = db.execute("SELECT id FROM chunks WHERE generation = ? ORDER BY position", (number,))
    return [row[0] for row in rows]


def windows(db: sqlite3.Connection, number: int) -> tuple[list[Span], Vectors]:
    """A generation's embedded rows: spans and (n_windows, dim) float32."""
    dim, checksum = db.execute(
        "SELECT dim, windows_checksum FROM generations WHERE number = ?", (number,)
    ).fetchone()
    rows = db.execute(
        "SELECT start, stop, vector FROM windows WHERE generation = ? ORDER BY position", (number,)
    ).fetchall()
    spans = [(start, stop) for start, stop, _ in rows]
    vectors = [vector for _, _, vector in rows]
    _verify(_windows_checksum(spans, vectors) == checksum, number)
    matrix = np.frombuffer(b"".join(vectors), dtype=_VECTOR).reshape(len(rows), dim)
    return [Span(*span) for span in spans], matrix.astype(np.float32, copy=False)


def pairs(db: sqlite3.Connection, number: int) -> NDArray[np.int32]:
    """A generation's (m, 2) int32: window index, chunk index."""
    blob, checksum = db.execute(
        "SELECT pairs, pairs_checksum FROM generations WHERE number = ?", (number,)
    ).fetchone()
    _verify(zlib.crc32(blob) == checksum, number)
    return np.frombuffer(blob, dtype=_PAIR).reshape(-1, 2).astype(np.int32, copy=False)


def _chunk_fields(found: Chunk) -> tuple[str, int, int, str, str | None]:
    return found.id, found.span.start, found.span.end, json.dumps(list(found.chapter)), found.index_text


def _chunk_checksum(fields: tuple[object, ...]) -> int:
    return zlib.crc32(json.dumps(fields).encode())


def _windows_checksum(spans: list[tuple[int, int]], vectors: list[bytes]) -> int:
    return zlib.crc32(json.dumps(spans).encode(), zlib.crc32(b"".join(vectors)))


def _verify(holds: bool, number: int) -> None:
    if not holds:
        raise StoreError(
            f"the rows of generation {number} must be what was stored, got others: the catalog is damaged; "
            "restore it from a backup, or move the data directory away and ingest again"
        )
