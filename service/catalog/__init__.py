"""The catalog: one SQLite file that holds all that was ingested; what the engines hold is derived from it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from core.errors import NotFound
from service.catalog import rows as generation_rows
from service.catalog.database import Database
from service.catalog.generations import Generation
from service.catalog.places import Places
from service.catalog.ready import Ready
from service.catalog.schema import APPLICATION_ID, SCHEMA, VERSION
from service.values import DocumentRecord, Notice

# A record shows the document's retrievable generation and, where there is none, its latest attempt.
_RECORDS = """
SELECT d.id, d.collection, d.source, coalesce(g.title, d.title), d.state, d.reason,
       coalesce(g.characters, 0), coalesce(g.chunks, 0), coalesce(g.windows, 0),
       coalesce(g.strategy, ''), coalesce(g.embedder, ''),
       coalesce(g.content_digest, d.content_digest),
       (SELECT e.id FROM generations h JOIN documents e ON e.generation = h.number
        WHERE h.collection = d.collection
          AND h.content_digest = coalesce(g.content_digest, d.content_digest)
          AND e.number < d.number AND d.state <> 'deleted'
        ORDER BY e.number LIMIT 1),
       d.updated_at, coalesce(g.notices, '[]')
FROM documents d LEFT JOIN generations g ON g.number = d.generation
"""


@dataclass(frozen=True, slots=True)
class Hidden:
    """A generation that no document names any more, with its rows still on the disk."""

    number: int
    collection: str
    fingerprint: str


class Catalog:
    """Documents and their states, and through `ready` and `places` all that belongs to them.

    Safe between threads. A document is retrievable through the one generation that its row names.

    Raises:
        StoreError: the file cannot be used; the message says what to do.
    """

    def __init__(self, path: Path) -> None:
        self._database = Database(path, schema=SCHEMA, application_id=APPLICATION_ID, version=VERSION)
        self.ready = Ready(self._database)
        self.places = Places(self._database)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All that is written inside happens at once, or not at all."""
        with self._database.writing():
            yield

    def close(self) -> None:
        """Release the file."""
        self._database.close()

    def document(self, document_id: str) -> DocumentRecord | None:
        """One record, or None."""
        with self._database.reading() as db:
            row = db.execute(f"{_RECORDS} WHERE d.id = ?", (document_id,)).fetchone()
        return None if row is None else _record(row)

    def documents(self, collection: str | None = None) -> list[DocumentRecord]:
        """Records by collection and source, of one collection or all."""
        where, values = ("", ()) if collection is None else ("WHERE d.collection = ?", (collection,))
        with self._database.reading() as db:
            rows = db.execute(f"{_RECORDS} {where} ORDER BY d.collection, d.source", values).fetchall()
        return [_record(row) for row in rows]

    def titles(self, document_ids: Iterable[str]) -> dict[str, str]:
        """Title by document id, of those that exist."""
        titles = "SELECT d.id, coalesce(g.title, d.title) FROM documents d LEFT JOIN generations g"
        with self._database.reading() as db:
            found = [
                db.execute(f"{titles} ON g.number = d.generation WHERE d.id = ?", (document_id,)).fetchone()
                for document_id in document_ids
            ]
        return dict(row for row in found if row is not None)

    # -- states ---------------------------------------------------------------------------------

    def begin(self, document_id: str, collection: str, source: str, title: str, content: str) -> None:
        """Note an attempt; what is retrievable stays so."""
        with self._database.writing() as db:
            db.execute(
                "INSERT INTO documents (id, collection, source, title, content_digest, state, updated_at) "
                "VALUES (?, ?, ?, ?, ?, 'pending', ?) ON CONFLICT (id) DO UPDATE SET title = excluded.title,"
                " content_digest = excluded.content_digest, state = 'pending', reason = '', error_code = '',"
                " updated_at = excluded.updated_at",
                (document_id, collection, source, title, content, _now()),
            )

    def fail(self, document_id: str, reason: str, error_code: str) -> None:
        """Note how the attempt ended; a document that was deleted meanwhile stays deleted.

        Raises:
            NotFound: no such document.
        """
        with self._database.writing() as db:
            self._require(document_id)
            db.execute(
                "UPDATE documents SET state = 'failed', reason = ?, error_code = ?, updated_at = ? "
                "WHERE id = ? AND state <> 'deleted'",
                (reason, error_code, _now(), document_id),
            )

    def publish(self, number: int, generation: Generation) -> None:
        """Store a generation and let it take the place of the document's former one, which is hidden.

        Raises:
            NotFound: the document was deleted since it was begun, or never was begun.
        """
        with self._database.writing() as db:
            self.require_live(generation.document_id)
            generation_rows.insert(db, number, generation)
            db.execute(
                "UPDATE documents SET generation = ?, title = ?, content_digest = ?, state = 'ready', "
                "reason = '', error_code = '', updated_at = ? WHERE id = ?",
                (number, generation.title, generation.content_digest, _now(), generation.document_id),
            )
            self._touch(generation.collection)

    def hide(self, document_id: str) -> None:
        """Nothing of the document is retrievable from here on.

        Raises:
            NotFound: no such document.
        """
        with self._database.writing() as db:
            record = self._require(document_id)
            db.execute(
                "UPDATE documents SET state = 'deleted', reason = '', error_code = '', generation = NULL, "
                "updated_at = ? WHERE id = ?",
                (_now(), document_id),
            )
            self._touch(record.collection)

    def require_live(self, document_id: str) -> None:
        """Make sure that the document may still be published.

        Raises:
            NotFound: it was deleted since it was begun, or never was begun.
        """
        if self._require(document_id).state == "deleted":
            raise NotFound(f"document {document_id!r} was deleted while it was ingested; ingest it again")

    def end_interrupted(self) -> None:
        """Attempts that a crash ended: back to the former generation, else failed."""
        with self._database.writing() as db:
            db.execute(
                "UPDATE documents SET state = 'ready' WHERE state = 'pending' AND generation IS NOT NULL"
            )
            db.execute(
                "UPDATE documents SET state = 'failed', reason = 'interrupted', error_code = 'interrupted' "
                "WHERE state = 'pending'"
            )

    # -- what is to be purged -------------------------------------------------------------------

    def hidden(self) -> list[Hidden]:
        """Generations that wait for a purge."""
        with self._database.reading() as db:
            rows = db.execute(
                "SELECT number, collection, fingerprint FROM generations WHERE number NOT IN "
                "(SELECT generation FROM documents WHERE generation IS NOT NULL)"
            ).fetchall()
        return [Hidden(*row) for row in rows]

    def has_deleted(self) -> bool:
        """Whether a document waits to be removed."""
        with self._database.reading() as db:
            return db.execute("SELECT 1 FROM documents WHERE state = 'deleted'").fetchone() is not None

    def remove(self, hidden: Sequence[Hidden]) -> None:
        """Delete these generations, deleted documents that have none left, and collections without any.

        The bytes are off the disk after `forget`.
        """
        with self._database.writing() as db:
            for generation in hidden:
                generation_rows.delete(db, generation.number)
            db.execute(
                "DELETE FROM documents WHERE state = 'deleted' "
                "AND id NOT IN (SELECT document_id FROM generations)"
            )
            db.execute("DELETE FROM collections WHERE name NOT IN (SELECT collection FROM documents)")
            db.execute("UPDATE housekeeping SET unforgotten = 1")
        self.ready.forget_texts([generation.number for generation in hidden])

    def forget(self) -> None:
        """Take what was removed off the disk; nothing to do where nothing was."""
        with self._database.reading() as db:
            (unforgotten,) = db.execute("SELECT unforgotten FROM housekeeping").fetchone()
        if unforgotten:
            self._database.forget()
            with self._database.writing() as db:
                db.execute("UPDATE housekeeping SET unforgotten = 0")

    def serial(self) -> int:
        """A number that was never given before: a generation's, or a directory's."""
        with self._database.writing() as db:
            found = db.execute("UPDATE housekeeping SET serial = serial + 1 RETURNING serial").fetchone()
            return int(found[0])

    def _touch(self, collection: str) -> None:
        with self._database.writing() as db:
            db.execute("INSERT OR REPLACE INTO collections VALUES (?, ?)", (collection, self.serial()))

    def _require(self, document_id: str) -> DocumentRecord:
        record = self.document(document_id)
        if record is None:
            raise NotFound(f"there is no document {document_id!r}; `sawyer documents` lists them")
        return record


def _record(row: tuple[Any, ...]) -> DocumentRecord:
    notices = tuple(Notice(*notice) for notice in json.loads(row[-1]))
    return replace(DocumentRecord(*row[:-1]), notices=notices)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
