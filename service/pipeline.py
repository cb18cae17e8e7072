"""Ingest and ask; `build` is the only place where the parts meet."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import chunkers
from answering import Selector, load_selector, name_meant
from chunkers.base import Chunker
from core.errors import EmbedderMismatch, NotFound, SawyerError, UnsupportedFormat
from core.identity import content_digest, document_id
from core.protocols import Embedder
from core.values import Document
from service.answerer import Answerer
from service.chunking import build_chunker, chunking_models
from service.embedding import embedder_of
from service.embedding.remembering import RememberingEmbedder
from service.indexer import Indexer
from service.naming import check_collection, check_source, tidy_title
from service.reading import MAX_BYTES, Format, format_of, read
from service.retrieval import Fusion
from service.settings import Settings
from service.stores import IndexMode, Stores
from service.values import (
    DEFAULT_COLLECTION,
    DEFAULT_K,
    DEFAULT_SELECTOR,
    Answer,
    DeleteReport,
    DocumentRecord,
    IngestReport,
    Progress,
    Retrieval,
    RetrieverName,
    Source,
    unwatched,
)


def build(settings: Settings, *, embedder: Embedder | None = None) -> Pipeline:
    """The pipeline that the settings describe, over their data directory, which the caller owns.

    Args:
        settings: where, with which embedder, chunker, index and selector.
        embedder: one to use in place of the one that the settings name.
    """
    used = embedder or embedder_of(settings)
    # The vectors that a content-driven chunker reads are those that the index stores.
    shared = used if settings.chunker in chunkers.STRUCTURAL else RememberingEmbedder(used)
    return Pipeline(
        settings.data_dir,
        embedder=used,
        indexing=shared,
        chunker=build_chunker(settings, chunking_models(settings, shared)),
        selector=load_selector(name_meant(settings.selector, DEFAULT_SELECTOR)),
        limits=Limits(settings.max_upload_bytes, settings.max_question_chars),
        index=settings.index,
    )


@dataclass(frozen=True, slots=True)
class Limits:
    """What is refused: documents over ``document_bytes``, questions over ``question_chars``."""

    document_bytes: int = MAX_BYTES
    question_chars: int = 2000


class Pipeline:
    """A `service.values.Sawyer` in this process. Any number of threads ask; one at a time writes.

    Args:
        directory: where everything is kept.
        embedder: of questions.
        indexing: of texts, with the same vectors; None takes ``embedder``.
        selector: what chooses the sentence where a question names nothing else.
    """

    def __init__(
        self,
        directory: Path,
        *,
        embedder: Embedder,
        chunker: Chunker,
        indexing: Embedder | None = None,
        selector: Selector,
        limits: Limits | None = None,
        index: IndexMode = "windows",
        fusion: Fusion | None = None,
    ) -> None:
        self._stores = Stores(directory)
        self._indexer = Indexer(chunker, indexing or embedder, index)
        self._limits = limits or Limits()
        self._answerer = Answerer(
            self._stores,
            embedder,
            fusion=fusion or Fusion(),
            selector=selector,
            question_chars=self._limits.question_chars,
        )
        self._write = threading.RLock()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Finish the write in progress and release the stores."""
        with self._write:
            self._stores.close()

    # -- ingest ---------------------------------------------------------------------------------

    def ingest(
        self,
        source: Source,
        *,
        collection: str = DEFAULT_COLLECTION,
        progress: Progress | None = None,
    ) -> IngestReport:
        """See `service.values.Sawyer.ingest`.

        Raises:
            InvalidValue: the name of the collection or of the source breaks its rule.
            EmbedderMismatch: the collection was made by another embedder.
        """
        check_collection(collection)
        check_source(source.name)
        report = progress or unwatched
        with self._write:
            self._check_embedder(collection)
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

    def _replace(
        self, identity: str, collection: str, source: Source, content: str, progress: Progress
    ) -> DocumentRecord:
        progress("reading", 0, 1)
        reading = read(source, max_bytes=self._limits.document_bytes)
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
        self._answerer.forget()
        return record

    def reindex(self, *, collection: str | None = None, progress: Progress | None = None) -> int:
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
            self._answerer.forget()
            self._stores.purge()
            return DeleteReport(document_id, "purged")

    def _is_current(self, known: DocumentRecord, content: str, source: Source) -> bool:
        return (
            known.state == "ready"
            and known.content_digest == content
            and known.strategy == self._indexer.strategy
            and known.embedder == self._indexer.embedder_name
            and tidy_title(source.title or "") in ("", known.title)
            and _format(source) == self._stores.metadata(known.id).get("format")
        )

    # -- ask ------------------------------------------------------------------------------------

    def retrieve(
        self,
        question: str,
        *,
        k: int = DEFAULT_K,
        collection: str = DEFAULT_COLLECTION,
        retriever: RetrieverName = "hybrid",
    ) -> Retrieval:
        """See `service.values.Sawyer.retrieve`.

        Raises:
            InvalidQuestion: blank, or longer than the limit.
            InvalidValue: ``k`` or ``retriever`` breaks its rule.
            NotFound: no such collection (``default`` always exists).
            EmbedderMismatch: the collection was made by another embedder.
            Unavailable: the collection changes faster than it can be read.
        """
        self._answerer.check(question, k, collection, retriever)
        if retriever != "lexical":
            self._check_embedder(collection)
        return self._answerer.retrieve(question, k, collection, retriever)

    def ask(
        self,
        question: str,
        *,
        k: int = DEFAULT_K,
        collection: str = DEFAULT_COLLECTION,
        retriever: RetrieverName = "hybrid",
        selector: str | None = None,
    ) -> Answer:
        """See `service.values.Sawyer.ask`; raises as `retrieve` does, and more.

        Raises:
            InvalidValue: no such selector.
            ArtifactError: what the selector needs is missing or damaged.
        """
        chosen = self._answerer.selector(selector)  # a name that is none is told before anything is searched
        found = self.retrieve(question, k=k, collection=collection, retriever=retriever)
        return self._answerer.answer(found, collection, chosen)

    def answer(
        self, found: Retrieval, *, collection: str = DEFAULT_COLLECTION, selector: str | None = None
    ) -> Answer:
        """One sentence of passages that `retrieve` gave, or of some of them: the second half of `ask`.

        Raises:
            InvalidValue: no such selector.
            ArtifactError: what the selector needs is missing or damaged.
        """
        return self._answerer.answer(found, collection, self._answerer.selector(selector))

    def documents(self, *, collection: str | None = None) -> list[DocumentRecord]:
        """See `service.values.Sawyer.documents`.

        Raises:
            InvalidValue: the name of the collection breaks its rule.
        """
        if collection is not None:
            check_collection(collection)
        return self._stores.documents(collection)

    # -- rules ----------------------------------------------------------------------------------

    def _check_embedder(self, collection: str) -> None:
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
