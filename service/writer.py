"""From files to what the stores hold, and out of them again: one write at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable

from core.errors import EmbedderMismatch, NotFound, SawyerError, UnsupportedFormat
from core.identity import content_digest, document_id
from core.values import Document
from service.indexer import Indexer
from service.naming import check_collection, check_source, tidy_title
from service.reading import Format, format_of, read
from service.stores import Stores
from service.values import (
    DEFAULT_COLLECTION,
    DeleteReport,
    DocumentRecord,
    IngestReport,
    Progress,
    Source,
    unwatched,
)


class Writer:
    """The writing half of a pipeline; threads that write take turns.

    Args:
        stores: what is written.
        indexer: makes what one document stores.
        document_bytes: the largest document.
        forget: called when a text was deleted or replaced, of which nothing may be remembered.
    """

    def __init__(
        self, stores: Stores, indexer: Indexer, *, document_bytes: int, forget: Callable[[], None]
    ) -> None:
        self._stores = stores
        self._indexer = indexer
        self._document_bytes = document_bytes
        self._forget = forget
        self._write = threading.RLock()

    def close(self) -> None:
        """Finish the write in progress and release the stores."""
        with self._write:
            self._stores.close()

    def check_embedder(self, collection: str) -> None:
        """Refuse to meet vectors that another embedder made.

        Raises:
            EmbedderMismatch: the collection holds some.
        """
        others = self._stores.fingerprints(collection) - {self._indexer.fingerprint}
        if others:
            made_by = {
                record.embedder for record in self._stores.documents(collection) if record.state == "ready"
            }
            raise EmbedderMismatch(
                f"collection {collection!r} must be asked with what indexed it, "
                f"{', '.join(sorted(made_by))}, got {self._indexer.embedder_name}; "
                f"run `sawyer reindex`, or set SAWYER_EMBEDDER and SAWYER_INDEX back"
            )

    def ingest(self, source: Source, collection: str, progress: Progress | None) -> IngestReport:
        """See `service.values.Sawyer.ingest`.

        Raises:
            InvalidValue: the name of the collection or of the source breaks its rule.
            EmbedderMismatch: the collection was made by another embedder.
        """
        check_collection(collection)
        check_source(source.name)
        report = progress or unwatched
        with self._write:
            self.check_embedder(collection)
            identity = document_id(collection, source.name)
            content = content_digest(source.data)
            known = self._stores.document(identity)
            if known is not None and self._is_current(known, content, source):
                return IngestReport(known, "unchanged", notices=known.notices)
            title = tidy_title(source.title or "") or (known.title if known else source.name)
            self._stores.begin(identity, collection, source.name, title, content)
            try:
                record = self._replace(identity, collection, source, content, report)
            except SawyerError as error:
                self._stores.fail(identity, str(error), error.code)
                return IngestReport(self._known(identity), "failed", error.code, str(error))
            except Exception:
                self._stores.fail(identity, "an unexpected error ended the ingest; see the log", "error")
                raise
            except BaseException:  # whoever runs this ends it: what the next start would say of a kill
                self._stores.fail(identity, "interrupted", "interrupted")
                raise
            return IngestReport(record, "ready", notices=record.notices)

    def reindex(self, collection: str | None, progress: Progress | None) -> int:
        """See `service.values.Sawyer.reindex`; vectors that the present embedder made are kept.

        Raises:
            InvalidValue: the name of the collection breaks its rule.
            NotFound: no such collection.
        """
        if collection is not None:
            check_collection(collection)
            if collection != DEFAULT_COLLECTION and not self._stores.documents(collection):
                raise NotFound(f"there is no collection {collection!r}; `sawyer documents` lists them")
        report = progress or unwatched
        with self._write, self._stores.purging_once():
            ready = [record for record in self._stores.documents(collection) if record.characters]
            for position, record in enumerate(ready):
                report("reindexing", position, len(ready))
                text = self._stores.text(record.id)
                if text is None:
                    continue
                document = Document(record.id, text, record.title, self._stores.metadata(record.id))
                generation = self._indexer.generation(
                    document,
                    collection=record.collection,
                    source=record.source,
                    content=record.content_digest,
                    notices=record.notices,
                    stored=self._stores.stored_windows,
                    progress=unwatched,
                )
                self._stores.publish(generation)
            report("reindexing", len(ready), len(ready))
            return len(ready)

    def delete(self, document_id: str) -> DeleteReport:
        """See `service.values.Sawyer.delete`."""
        with self._write:
            self._stores.hide(document_id)
            self._forget()
            self._stores.purge()
            return DeleteReport(document_id, "purged")

    def _replace(
        self, identity: str, collection: str, source: Source, content: str, progress: Progress
    ) -> DocumentRecord:
        progress("reading", 0, 1)
        reading = read(source, max_bytes=self._document_bytes)
        progress("reading", 1, 1)
        generation = self._indexer.generation(
            Document(identity, reading.text, reading.title, {"format": reading.format}),
            collection=collection,
            source=source.name,
            content=content,
            notices=reading.notices,
            stored=self._stores.stored_windows,
            progress=progress,
        )
        record = self._stores.publish(generation, progress)
        self._forget()
        return record

    def _is_current(self, known: DocumentRecord, content: str, source: Source) -> bool:
        return (
            known.state == "ready"
            and known.content_digest == content
            and known.strategy == self._indexer.strategy
            and known.embedder == self._indexer.embedder_name
            and tidy_title(source.title or "") in ("", known.title)
            and _format(source) == self._stores.metadata(known.id).get("format")
        )

    def _known(self, document_id: str) -> DocumentRecord:
        record = self._stores.document(document_id)
        if record is None:
            raise NotFound(f"there is no document {document_id!r}; `sawyer documents` lists them")
        return record


def _format(source: Source) -> Format | None:
    try:
        return format_of(source)
    except UnsupportedFormat:  # reading it will say so
        return None
