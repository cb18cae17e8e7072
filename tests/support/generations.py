"""Small generations, made as the pipeline makes them but with the simplest cut: n characters."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from core.identity import chunk_id, content_digest, digest, document_id
from core.values import Chunk, Span
from service.catalog import Catalog
from service.stores import Generation, Stores
from service.values import DocumentRecord, Notice
from tests.support.fakes import HashEmbedder

EMBEDDER = HashEmbedder(16)


def generation(
    source: str,
    text: str,
    *,
    collection: str = "default",
    embedder: HashEmbedder = EMBEDDER,
    size: int = 40,
    index_text: str | None = None,
    notices: Sequence[Notice] = (),
) -> Generation:
    """A document cut every ``size`` characters, each chunk holding two windows."""
    identity, content = document_id(collection, source), content_digest(text.encode())
    strategy = f"Every({size})"
    half = max(1, size // 2)
    windows = [Span(start, min(start + half, len(text))) for start in range(0, len(text), half)]
    spans = [Span(start, min(start + size, len(text))) for start in range(0, len(text), size)]
    return Generation(
        document_id=identity,
        collection=collection,
        source=source,
        title=f"Title of {source}",
        content_digest=content,
        text=text,
        metadata={"format": "txt"},
        notices=notices,
        strategy=strategy,
        embedder=embedder.name,
        fingerprint=embedder.fingerprint,
        index_mode="windows",
        chunks=[
            Chunk(
                chunk_id(identity, content, digest(strategy), span, index_text),
                identity,
                span,
                span.of(text),
                ("Part one", f"Chapter {number}"),
                index_text,
            )
            for number, span in enumerate(spans)
        ],
        windows=windows,
        vectors=embedder.embed_passages([span.of(text) for span in windows]),
        window_chunks=np.array(
            [(row, span.start // size) for row, span in enumerate(windows)], dtype=np.int32
        ).reshape(-1, 2),
    )


def ingest(stores: Stores, made: Generation) -> DocumentRecord:
    """Begin and publish."""
    stores.begin(made.document_id, made.collection, made.source, made.title, made.content_digest)
    return stores.publish(made)


def bytes_on_disk(directory: Path) -> dict[Path, bytes]:
    """Every file under a directory, whatever its name."""
    return {path: path.read_bytes() for path in directory.rglob("*") if path.is_file()}


def files_holding(directory: Path, wanted: bytes) -> list[Path]:
    """The files in which these bytes stand."""
    return [path for path, data in bytes_on_disk(directory).items() if wanted in data]


def store(catalog: Catalog, made: Generation) -> int:
    """Begin and publish a generation; its number."""
    number = catalog.serial()
    catalog.begin(made.document_id, made.collection, made.source, made.title, made.content_digest)
    catalog.publish(number, made)
    return number
