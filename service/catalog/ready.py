"""What is retrievable: the generations that documents name, read from the catalog."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from core.errors import NotFound
from core.protocols import Vectors
from core.values import Chunk, Span
from service.catalog import rows
from service.catalog.database import Database
from service.catalog.generations import ChunkTable

_CACHED_CHARACTERS = 50_000_000
_READY = "FROM documents d JOIN generations g ON g.number = d.generation"


class ReadyGeneration(NamedTuple):
    """A retrievable generation and how many rows it has."""

    number: int
    chunks: int
    windows: int
    fingerprint: str


class Ready:
    """Reads of retrievable generations; one call sees one state of the catalog. Safe between threads.

    Every method that returns stored content raises StoreError where it is not what was stored.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._texts = _TextCache(_CACHED_CHARACTERS)

    # -- one document ---------------------------------------------------------------------------

    def text(self, document_id: str) -> str | None:
        """The text of a document, or None."""
        with self._database.reading() as db:
            number = _number(db, document_id)
            return None if number is None else self._texts.get(db, number)

    def metadata(self, document_id: str) -> dict[str, str]:
        """A document's metadata; empty where nothing of it is retrievable."""
        with self._database.reading() as db:
            row = db.execute(f"SELECT g.metadata {_READY} WHERE d.id = ?", (document_id,)).fetchone()
        return {} if row is None else dict(json.loads(row[0]))

    def windows(self, document_id: str, content: str, fingerprint: str) -> tuple[list[Span], Vectors] | None:
        """A document's windows with their vectors, if they are of these bytes and this embedder."""
        with self._database.reading() as db:
            row = db.execute(
                f"SELECT g.number {_READY} WHERE d.id = ? AND g.content_digest = ? AND g.fingerprint = ? "
                "AND g.index_mode = 'windows'",
                (document_id, content, fingerprint),
            ).fetchone()
            return None if row is None else rows.windows(db, row[0])

    # -- one collection -------------------------------------------------------------------------

    def generations(self, collection: str, fingerprint: str | None = None) -> list[ReadyGeneration]:
        """The collection's generations, all or those of one embedder, in the order they came."""
        with self._database.reading() as db:
            found = db.execute(
                f"SELECT g.number, g.chunks, g.windows, g.fingerprint {_READY} WHERE d.collection = ? "
                "ORDER BY g.number",
                (collection,),
            ).fetchall()
        generations = [ReadyGeneration(*row) for row in found]
        return [each for each in generations if fingerprint in (None, each.fingerprint)]

    def fingerprints(self, collection: str) -> set[str]:
        """Of all vectors in the collection."""
        with self._database.reading() as db:
            found = db.execute(f"SELECT g.fingerprint {_READY} WHERE d.collection = ?", (collection,))
            return {row[0] for row in found}

    def revision(self, collection: str) -> int:
        """Grows with every change of what is retrievable; 0 for a collection that holds nothing."""
        with self._database.reading() as db:
            return _revision(db, collection)

    def table(self, collection: str, *, exact_limit: int) -> ChunkTable:
        """All of a collection; see `ChunkTable`."""
        chunk_ids: list[str] = []
        window_ids: list[str] = []
        pairs = [np.empty((0, 2), dtype=np.int32)]
        with self._database.reading() as db:
            found = db.execute(
                f"SELECT g.number, g.windows, g.fingerprint {_READY} WHERE d.collection = ? "
                "ORDER BY g.number",
                (collection,),
            ).fetchall()
            for number, count, _ in found:
                offset = np.array([len(window_ids), len(chunk_ids)], dtype=np.int32)
                pairs.append(rows.pairs(db, number) + offset)
                chunk_ids += rows.chunk_ids(db, number)
                window_ids += [rows.window_id(number, position) for position in range(count)]
            fingerprints = {fingerprint for _, _, fingerprint in found}
            vectors = None
            if len(fingerprints) == 1 and len(window_ids) <= exact_limit:
                vectors = np.concatenate([rows.windows(db, number)[1] for number, _, _ in found])
                vectors.flags.writeable = False
            return ChunkTable(
                revision=_revision(db, collection),
                chunk_ids=chunk_ids,
                window_ids=window_ids,
                pairs=np.concatenate(pairs),
                vectors=vectors,
                fingerprint=next(iter(fingerprints)) if len(fingerprints) == 1 else None,
            )

    def chunks(self, chunk_ids: Sequence[str]) -> list[Chunk]:
        """Chunks in the order asked.

        Raises:
            NotFound: one of them is not retrievable (any more).
        """
        with self._database.reading() as db:
            return [self._chunk(db, chunk_id) for chunk_id in chunk_ids]

    # -- one generation, to fill a derived store ------------------------------------------------

    def indexed_texts(self, number: int) -> list[tuple[str, str]]:
        """(chunk id, the text that it is found by) of a generation."""
        with self._database.reading() as db:
            count = len(rows.chunk_ids(db, number))
            text = self._texts.get(db, number)
            found = [rows.chunk(db, number, position, "", text) for position in range(count)]
        return [(chunk.id, chunk.indexed) for chunk in found]

    def vectors(self, number: int) -> Vectors:
        """(n_windows, dim) float32 of a generation."""
        with self._database.reading() as db:
            return rows.windows(db, number)[1]

    def forget_texts(self, numbers: Sequence[int]) -> None:
        """Keep these generations' texts in memory no longer."""
        self._texts.drop(numbers)

    def _chunk(self, db: sqlite3.Connection, chunk_id: str) -> Chunk:
        # The same id may also stand in a hidden generation: after a new embedder, say.
        row = db.execute(
            "SELECT c.generation, c.position, d.id FROM chunks c "
            "JOIN documents d ON d.generation = c.generation WHERE c.id = ?",
            (chunk_id,),
        ).fetchone()
        if row is None:
            raise NotFound(f"there is no chunk {chunk_id!r} (any more); ask again")
        number, position, document_id = row
        return rows.chunk(db, number, position, document_id, self._texts.get(db, number))


class _TextCache:
    """The texts read last, up to a number of characters: a hit's passage is cut from the whole text."""

    def __init__(self, characters: int) -> None:
        self._limit = characters
        self._texts: OrderedDict[int, str] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, db: sqlite3.Connection, number: int) -> str:
        """A generation's text."""
        with self._lock:
            if number in self._texts:
                self._texts.move_to_end(number)
                return self._texts[number]
        text = rows.text(db, number)
        with self._lock:
            self._texts[number] = text
            while sum(map(len, self._texts.values())) > self._limit:
                self._texts.popitem(last=False)
        return text

    def drop(self, numbers: Sequence[int]) -> None:
        with self._lock:
            for number in numbers:
                self._texts.pop(number, None)


def _number(db: sqlite3.Connection, document_id: str) -> int | None:
    row = db.execute("SELECT generation FROM documents WHERE id = ?", (document_id,)).fetchone()
    return None if row is None else row[0]


def _revision(db: sqlite3.Connection, collection: str) -> int:
    row = db.execute("SELECT revision FROM collections WHERE name = ?", (collection,)).fetchone()
    return 0 if row is None else int(row[0])
