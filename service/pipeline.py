"""Ingest and ask; `build` is the only place where the parts meet."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import chunkers
from answering import Selector, load_selector, name_meant
from chunkers.base import Chunker
from core.protocols import Embedder
from service.answerer import Answerer
from service.chunking import build_chunker, chunking_models
from service.embedding import embedder_of
from service.embedding.remembering import RememberingEmbedder
from service.indexer import Indexer
from service.naming import check_collection
from service.reading import MAX_BYTES
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
)
from service.writer import Writer


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
        within = limits or Limits()
        self._answerer = Answerer(
            self._stores,
            embedder,
            fusion=fusion or Fusion(),
            selector=selector,
            question_chars=within.question_chars,
        )
        self._writer = Writer(
            self._stores,
            Indexer(chunker, indexing or embedder, index),
            document_bytes=within.document_bytes,
            forget=self._answerer.forget,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Finish the write in progress and release the stores."""
        self._writer.close()

    # -- write ----------------------------------------------------------------------------------

    def ingest(
        self,
        source: Source,
        *,
        collection: str = DEFAULT_COLLECTION,
        progress: Progress | None = None,
    ) -> IngestReport:
        """See `service.values.Sawyer.ingest`; raises as `service.writer.Writer.ingest` does."""
        return self._writer.ingest(source, collection, progress)

    def reindex(self, *, collection: str | None = None, progress: Progress | None = None) -> int:
        """See `service.values.Sawyer.reindex`; raises as `service.writer.Writer.reindex` does."""
        return self._writer.reindex(collection, progress)

    def delete(self, document_id: str) -> DeleteReport:
        """See `service.values.Sawyer.delete`."""
        return self._writer.delete(document_id)

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
            self._writer.check_embedder(collection)
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
