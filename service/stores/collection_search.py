"""A collection's engines as questions see them: only what is retrievable.

An engine may also hold rows of generations that are hidden and not yet purged, or that are being
published. Each row's name says its generation, and the catalog says which generations count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, TypeVar

from core.errors import EmbedderMismatch, StoreError
from core.protocols import Vectors
from core.text import IdfTable
from service.catalog.ready import Ready, ReadyGeneration
from service.lexical import TantivyIndex
from service.vectors import SpaceClosed, VectorStore

# A reader would have to lose this many races against a writer in a row.
_ATTEMPTS = 10


class _Counted(Protocol):
    def count(self) -> int: ...


E = TypeVar("E", bound=_Counted)
T = TypeVar("T")


def row_id(number: int, chunk_id: str) -> str:
    """A chunk's id in the engine: with its generation, because two generations may share a chunk id."""
    return f"{number}/{chunk_id}"


class CollectionIndex:
    """A `LexicalIndex`. Hidden texts count in the weights of words until they are purged, right after.

    Args:
        collection: its name.
        ready: tells what is retrievable.
        engine: the index at this moment; asked for only when something is retrievable.
    """

    def __init__(self, collection: str, ready: Ready, engine: Callable[[], TantivyIndex]) -> None:
        self._collection = collection
        self._ready = ready
        self._engine = engine

    def search(self, question: str, n: int) -> list[tuple[str, float]]:
        """See `LexicalIndex.search`."""

        def read(engine: TantivyIndex, ready: Sequence[ReadyGeneration]) -> list[tuple[str, float]]:
            hidden = engine.count() - sum(generation.chunks for generation in ready)
            rows = [(row.partition("/"), score) for row, score in engine.search(question, n + max(0, hidden))]
            numbers = _numbers(ready)
            found = [(chunk_id, score) for (number, _, chunk_id), score in rows if number in numbers]
            return sorted(found, key=lambda pair: (-pair[1], pair[0]))[:n]

        return _consistently(self._ready, self._collection, self._current, read) or []

    def idf(self, terms: Iterable[str]) -> IdfTable:
        """See `LexicalIndex.idf`."""
        return self._engine().idf(terms) if self._ready.generations(self._collection) else IdfTable(0)

    def ids(self) -> set[str]:
        """See `LexicalIndex.ids`."""

        def read(engine: TantivyIndex, ready: Sequence[ReadyGeneration]) -> set[str]:
            numbers = _numbers(ready)
            rows = (row.partition("/") for row in engine.ids())
            return {chunk_id for number, _, chunk_id in rows if number in numbers}

        return _consistently(self._ready, self._collection, self._current, read) or set()

    def _current(self, _: Sequence[ReadyGeneration]) -> TantivyIndex:
        return self._engine()


class CollectionSpace:
    """The nearest windows of a collection.

    Args:
        collection: its name.
        ready: tells what is retrievable.
        engine: the space of a fingerprint at this moment.
    """

    def __init__(self, collection: str, ready: Ready, engine: Callable[[str], VectorStore]) -> None:
        self._collection = collection
        self._ready = ready
        self._engine = engine

    def nearest(self, vector: Vectors, n: int) -> list[tuple[str, float]]:
        """See `VectorStore.nearest`; an empty collection gives none.

        Raises:
            EmbedderMismatch: the vector or the collection's vectors are of more than one embedder.
        """

        def read(space: VectorStore, ready: Sequence[ReadyGeneration]) -> list[tuple[str, float]]:
            hidden = space.count() - sum(generation.windows for generation in ready)
            found = space.nearest(vector, n + max(0, hidden))
            numbers = _numbers(ready)
            return [pair for pair in found if pair[0].partition(".")[0] in numbers][:n]

        return _consistently(self._ready, self._collection, self._current, read) or []

    def _current(self, ready: Sequence[ReadyGeneration]) -> VectorStore:
        first, *others = {generation.fingerprint for generation in ready}
        if others:
            raise EmbedderMismatch(
                f"a collection must be of one embedder to be searched, {self._collection!r} is of "
                f"{1 + len(others)}; run `sawyer reindex`"
            )
        return self._engine(first)


def _consistently(
    ready: Ready,
    collection: str,
    current: Callable[[Sequence[ReadyGeneration]], E],
    read: Callable[[E, Sequence[ReadyGeneration]], T],
) -> T | None:
    """What ``read`` finds while neither catalog nor engine changes; None where nothing is retrievable.

    Between the two a purge could take from the engine what the catalog still named, and a publication
    could crowd the engine's answer with rows that do not count yet.
    """
    for _ in range(_ATTEMPTS):
        before = ready.generations(collection)
        if not before:
            return None
        try:
            engine = current(before)
            count = engine.count()
            found = read(engine, before)
            settled = engine.count() == count
        except SpaceClosed:
            continue
        if settled and ready.generations(collection) == before:
            return found
    raise StoreError(f"collection {collection!r} changes faster than it can be read; ask again")


def _numbers(ready: Sequence[ReadyGeneration]) -> set[str]:
    return {str(generation.number) for generation in ready}
