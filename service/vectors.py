"""Which windows lie nearest to a question: HNSW, in Chroma."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol, cast, runtime_checkable

import numpy as np

from core.errors import EmbedderMismatch, InvalidValue, StoreError
from core.protocols import Vectors
from service.hnsw_files import clear_unused

_NAME = "windows"  # a directory holds one space, so its name inside needs to tell nothing
_BATCH = 2000
# Inner product, which on unit rows is the cosine and on others the dot product that was asked for.
_HNSW = {"space": "ip", "ef_construction": 100, "max_neighbors": 16, "ef_search": 200}


@runtime_checkable
class VectorStore(Protocol):
    """Ids and vectors, nothing else: no text, no metadata."""

    def add(self, ids: Sequence[str], vectors: Vectors, told: Callable[[int], None] | None = None) -> None:
        """Store rows; on return they are found and on the disk.

        Args:
            ids: of the rows, none stored before.
            vectors: (len(ids), dim) float32.
            told: called with the number of rows stored so far.
        """

    def nearest(self, vector: Vectors, n: int) -> list[tuple[str, float]]:
        """The about ``n`` nearest (id, dot product), best first, ties by id; approximate.

        Raises:
            InvalidValue: unless ``n >= 1``.
            EmbedderMismatch: the vector has another length than the rows.
        """

    def ids(self) -> set[str]:
        """The ids of all rows."""

    def count(self) -> int:
        """The number of rows."""

    def close(self) -> None:
        """Wait for the calls in progress, then release the files."""


class SpaceClosed(StoreError):
    """The space was closed, for another took its place; get the current one and ask again."""


class ChromaSpace:
    """A `VectorStore` in a directory of its own, which this process owns.

    One client a directory, because that is what Chroma can let go of: a collection that is deleted
    inside a client leaves its vectors' bytes in the client's files.

    Raises:
        StoreError: the directory holds no space that Chroma can read.
    """

    def __init__(self, path: Path) -> None:
        import chromadb
        from chromadb.config import Settings

        self._users = 0
        self._closed = False
        self._state = threading.Condition()
        path.mkdir(parents=True, exist_ok=True)
        # Every setting that matters is said here: Chroma would else take it from the environment.
        settings = Settings(
            _env_file=None,  # type: ignore[call-arg]  # pydantic-settings' own, unknown to mypy
            anonymized_telemetry=False,
            chroma_api_impl="chromadb.api.rust.RustBindingsAPI",
            chroma_otel_collection_endpoint="",
            allow_reset=False,
            migrations="apply",
        )
        with _chroma_errors(path):
            # Any: Chroma's published type of a client lacks `close`, and that of a configuration its keys.
            self._client = cast(Any, chromadb.PersistentClient(path=str(path), settings=settings))
        try:
            with _chroma_errors(path):
                self._space: Any = self._client.get_or_create_collection(
                    _NAME, embedding_function=None, configuration={"hnsw": _HNSW}
                )
                self._batch = min(_BATCH, self._client.get_max_batch_size())
                self._load()
                clear_unused(path)
        except BaseException:
            self._client.close()
            raise
        self._path = path

    def add(self, ids: Sequence[str], vectors: Vectors, told: Callable[[int], None] | None = None) -> None:
        """See `VectorStore.add`."""
        with self._in_use():
            for start in range(0, len(ids), self._batch):
                stop = min(start + self._batch, len(ids))
                self._space.add(ids=list(ids[start:stop]), embeddings=vectors[start:stop])
                if told is not None:
                    told(stop)
            clear_unused(self._path)

    def nearest(self, vector: Vectors, n: int) -> list[tuple[str, float]]:
        """See `VectorStore.nearest`."""
        from chromadb.errors import InvalidArgumentError

        if n < 1:
            raise InvalidValue(f"n must be at least 1, got {n}")
        with self._in_use():
            count = self._space.count()
            if not count:
                return []
            try:
                found = self._space.query(
                    query_embeddings=np.asarray(vector, dtype=np.float32)[None, :],
                    n_results=min(n, count),
                    include=["distances"],
                )
            except InvalidArgumentError as error:
                raise EmbedderMismatch(f"{error}; run `sawyer reindex`") from error
        pairs = zip(found["ids"][0], found["distances"][0], strict=True)
        return sorted(((name, 1.0 - float(distance)) for name, distance in pairs), key=_best_first)

    def ids(self) -> set[str]:
        """See `VectorStore.ids`."""
        with self._in_use():
            return set(self._space.get(include=[])["ids"])

    def count(self) -> int:
        """See `VectorStore.count`."""
        with self._in_use():
            return int(self._space.count())

    def close(self) -> None:
        """See `VectorStore.close`; a second call does nothing."""
        with self._state:
            if self._closed:
                return
            self._closed = True
            self._state.wait_for(lambda: not self._users)
        self._client.close()

    def _load(self) -> None:
        """Ask once: Chroma reads, or makes, the HNSW files at the first question and not before."""
        first = self._space.get(limit=1, include=["embeddings"])["embeddings"]
        if len(first):
            self._space.query(query_embeddings=first, n_results=1, include=["distances"])

    @contextmanager
    def _in_use(self) -> Iterator[None]:
        with self._state:
            if self._closed:
                raise SpaceClosed("the space was closed while it was asked; ask again")
            self._users += 1
        try:
            with _chroma_errors(self._path):
                yield
        finally:
            with self._state:
                self._users -= 1
                self._state.notify_all()


def _best_first(pair: tuple[str, float]) -> tuple[float, str]:
    return -pair[1], pair[0]


@contextmanager
def _chroma_errors(path: Path) -> Iterator[None]:
    from chromadb.errors import ChromaError

    try:
        yield
    except (ChromaError, OSError) as error:
        raise StoreError(
            f"Chroma cannot use {path} ({error}); free disk space if it is full, then try again: "
            "the space is written anew from the catalog"
        ) from error
