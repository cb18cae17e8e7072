"""A collection's vectors as questions see them: only what is retrievable."""

from __future__ import annotations

from collections.abc import Callable

from core.errors import EmbedderMismatch, StoreError
from core.protocols import Vectors
from service.catalog_ready import Ready
from service.vectors import SpaceClosed, VectorStore

# A space is replaced by each purge; a reader would have to lose this many races in a row.
_ATTEMPTS = 5


class CollectionSpace:
    """The nearest windows of a collection, leaving out what is hidden or what a crash left behind.

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
        for _ in range(_ATTEMPTS):
            ready = self._ready.generations(self._collection)
            if not ready:
                return []
            fingerprints = {generation.fingerprint for generation in ready}
            if len(fingerprints) > 1:
                raise EmbedderMismatch(
                    f"a collection must be of one embedder to be searched, {self._collection!r} is of "
                    f"{len(fingerprints)}; run `sawyer reindex`"
                )
            space = self._engine(fingerprints.pop())
            try:
                hidden = max(0, space.count() - sum(generation.windows for generation in ready))
                found = space.nearest(vector, n + hidden)
            except SpaceClosed:
                continue
            numbers = {str(generation.number) for generation in ready}
            return [pair for pair in found if pair[0].partition(".")[0] in numbers][:n]
        raise StoreError(f"collection {self._collection!r} changes faster than it can be read; ask again")
