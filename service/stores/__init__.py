"""Catalog, spaces and lexical indices kept in step.

The catalog is the truth (docs/decisions/0004-catalog-is-the-truth.md). A generation counts from the
transaction that brings its rows, names it in its document and seals the engines' files; until then, and
after it is hidden, whatever the engines still hold of it is left out of every answer.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from core.errors import StoreError
from core.protocols import Vectors
from core.values import Chunk, Span
from service.catalog import Catalog, Hidden
from service.catalog.generations import ChunkTable, Generation
from service.catalog.places import Place
from service.catalog.ready import ReadyGeneration
from service.catalog.rows import window_id
from service.lexical import LexicalIndex, TantivyIndex
from service.stores.collection_search import CollectionIndex, CollectionSpace, row_id
from service.stores.derived import DerivedStores
from service.values import DocumentRecord, IndexMode, Progress, unwatched
from service.vectors import ChromaSpace

__all__ = ["ChunkTable", "Generation", "IndexMode", "Stores"]


class Stores:
    """All that is kept of documents, in one directory that the caller owns alone.

    Any number of threads read; writes take turns. Opening repairs what a crash left and loads no engine.

    Args:
        directory: made where there is none.
        exact_limit: up to this many windows a collection's `table` brings its vectors.

    Raises:
        StoreError: the catalog cannot be used; the message says what to do.
    """

    def __init__(self, directory: Path, *, exact_limit: int = 50_000) -> None:
        self._exact_limit = exact_limit
        directory.mkdir(parents=True, exist_ok=True)
        self._catalog = Catalog(directory / "catalog.sqlite3")
        self._ready = self._catalog.ready
        self._writing = threading.RLock()
        self._deferring = 0
        self._tables: dict[str, ChunkTable] = {}
        self._lexical: DerivedStores[TantivyIndex] = DerivedStores(
            directory / "lexical", self._catalog, self._writing, connect=TantivyIndex, fill=self._fill_index
        )
        self._spaces: DerivedStores[ChromaSpace] = DerivedStores(
            directory / "vectors", self._catalog, self._writing, connect=ChromaSpace, fill=self._fill_space
        )
        try:
            self._repair()
        except BaseException:
            self._catalog.close()
            raise

    def close(self) -> None:
        """Finish the write in progress and release all files."""
        with self._writing:
            self._lexical.close()
            self._spaces.close()
            self._catalog.close()

    # -- documents ------------------------------------------------------------------------------

    def document(self, document_id: str) -> DocumentRecord | None:
        """One record, or None."""
        return self._catalog.document(document_id)

    def documents(self, collection: str | None = None) -> list[DocumentRecord]:
        """Records by collection and source, of one collection or all."""
        return self._catalog.documents(collection)

    def begin(self, document_id: str, collection: str, source: str, title: str, content_digest: str) -> None:
        """Note an attempt (``pending``); what is retrievable of the document stays so."""
        self._catalog.begin(document_id, collection, source, title, content_digest)

    def fail(self, document_id: str, reason: str, error_code: str) -> None:
        """Note how an attempt ended; what is retrievable of the document stays so.

        Raises:
            NotFound: no such document.
        """
        self._catalog.fail(document_id, reason, error_code)

    def publish(self, generation: Generation, progress: Progress | None = None) -> DocumentRecord:
        """Make a generation retrievable in place of the document's former one, which is purged.

        Args:
            generation: of a document that was begun, or is retrievable already.
            progress: told of ``indexing``, in windows.

        Raises:
            NotFound: the document was never begun, or was deleted since.
            StoreError: a store cannot be written; the former generation stays.
        """
        lexical = Place("lexical", generation.collection)
        space = Place("vectors", generation.collection, generation.fingerprint)
        total = len(generation.windows)
        told = progress or unwatched
        told("indexing", 0, total)
        with self._writing:
            self._catalog.require_live(generation.document_id)
            number = self._catalog.serial()
            with self._lexical.changing(lexical) as index, self._spaces.changing(space) as vectors:
                index.add((row_id(number, chunk.id), chunk.indexed) for chunk in generation.chunks)
                vectors.add(
                    [window_id(number, position) for position in range(total)],
                    generation.vectors,
                    lambda done: told("indexing", done, total),
                )
                with self._catalog.transaction():
                    self._catalog.publish(number, generation)
                    self._lexical.sealed(lexical)
                    self._spaces.sealed(space)
            if not self._deferring:
                self.purge()
        record = self._catalog.document(generation.document_id)
        if record is None:
            raise StoreError(f"document {generation.document_id!r} must be listed once published, is not")
        return record

    def hide(self, document_id: str) -> None:
        """Delete: nothing of the document is in any answer from here on (``deleted``).

        Raises:
            NotFound: no such document.
        """
        self._catalog.hide(document_id)

    def purge(self) -> None:
        """Take hidden texts, vectors and terms off the disk, and deleted documents out of the list.

        Neither engine forgets by itself, so the stores that hold something hidden are written anew
        beside the old ones, which answer until the catalog names the new.

        Raises:
            StoreError: something cannot be removed; it stays hidden, and the next purge tries again.
        """
        with self._writing:
            hidden = self._catalog.hidden()
            if hidden or self._catalog.has_deleted():
                indices, spaces = self._places(hidden)
                with (
                    self._lexical.replacing(indices) as name_indices,
                    self._spaces.replacing(spaces) as name_spaces,
                    self._catalog.transaction(),
                ):
                    self._catalog.remove(hidden)
                    name_indices()
                    name_spaces()
            self._catalog.forget()

    @contextmanager
    def purging_once(self) -> Iterator[None]:
        """Publish many generations and purge what they replace once, at the end.

        A purge writes whole stores anew: after each of many documents it would be quadratic.
        """
        with self._writing:
            self._deferring += 1
            try:
                yield
            finally:
                self._deferring -= 1
                if not self._deferring:
                    self.purge()

    # -- reads ----------------------------------------------------------------------------------

    def text(self, document_id: str) -> str | None:
        """The retrievable text of a document, or None."""
        return self._ready.text(document_id)

    def metadata(self, document_id: str) -> dict[str, str]:
        """The retrievable metadata of a document; empty where there is none."""
        return self._ready.metadata(document_id)

    def stored_windows(
        self, document_id: str, content_digest: str, fingerprint: str
    ) -> tuple[list[Span], Vectors] | None:
        """A document's windows and vectors, if they were made of these bytes by this embedder."""
        return self._ready.windows(document_id, content_digest, fingerprint)

    def fingerprints(self, collection: str) -> set[str]:
        """Of all vectors that are retrievable in the collection; more than one cannot be searched."""
        return self._ready.fingerprints(collection)

    def table(self, collection: str) -> ChunkTable:
        """All that is retrievable in a collection; the same object until that changes."""
        cached = self._tables.get(collection)
        if cached is not None and cached.revision == self._ready.revision(collection):
            return cached
        table = self._ready.table(collection, exact_limit=self._exact_limit)
        if table.revision:
            self._tables[collection] = table
        else:
            self._tables.pop(collection, None)
        return table

    def chunks(self, chunk_ids: Sequence[str]) -> list[Chunk]:
        """Chunks in the order asked; their text is the slice of the stored text.

        Raises:
            NotFound: one of them is not retrievable any more: its document was deleted or replaced.
        """
        return self._ready.chunks(chunk_ids)

    def titles(self, document_ids: Iterable[str]) -> dict[str, str]:
        """Title by document id, of those that exist."""
        return self._catalog.titles(document_ids)

    def lexical(self, collection: str) -> LexicalIndex:
        """The collection's lexical index; it follows the collection's changes."""
        place = Place("lexical", collection)
        return CollectionIndex(collection, self._ready, lambda: self._lexical.get(place))

    def nearest(self, collection: str, query_vector: Vectors, n: int) -> list[tuple[str, float]]:
        """The about ``n`` windows nearest to a vector: (window id, dot product), best first; approximate.

        Raises:
            EmbedderMismatch: the vector or the collection's vectors are of more than one embedder.
        """
        space = CollectionSpace(
            collection, self._ready, lambda of: self._spaces.get(Place("vectors", collection, of))
        )
        return space.nearest(query_vector, n)

    # -- what the engines are filled with -------------------------------------------------------

    def _fill_index(self, engine: TantivyIndex, generations: Sequence[ReadyGeneration]) -> None:
        engine.add(
            (row_id(generation.number, chunk_id), text)
            for generation in generations
            for chunk_id, text in self._ready.indexed_texts(generation.number)
        )

    def _fill_space(self, engine: ChromaSpace, generations: Sequence[ReadyGeneration]) -> None:
        for generation in generations:
            ids = [window_id(generation.number, position) for position in range(generation.windows)]
            engine.add(ids, self._ready.vectors(generation.number))

    def _places(self, hidden: Iterable[Hidden]) -> tuple[list[Place], list[Place]]:
        """The lexical indices and the spaces that hold rows of hidden generations."""
        indices = {Place("lexical", each.collection) for each in hidden}
        spaces = {Place("vectors", each.collection, each.fingerprint) for each in hidden}
        kept = self._catalog.places.all()
        return sorted(indices & kept.keys()), sorted(spaces & kept.keys())

    def _repair(self) -> None:
        """Finish what a crash cut off. Stores in doubt are removed here and written anew when asked."""
        with self._catalog.transaction():
            self._catalog.end_interrupted()
            hidden = self._catalog.hidden()
            indices, spaces = self._places(hidden)
            dirty = [place for place, location in self._catalog.places.all().items() if not location.seal]
            for place in {*indices, *spaces, *dirty}:
                self._catalog.places.drop(place)
            if hidden or self._catalog.has_deleted():
                self._catalog.remove(hidden)
        self._lexical.sweep()
        self._spaces.sweep()
        self._catalog.forget()
