"""A catalog that is damaged, foreign, full or cut short says so and never answers wrongly."""

from __future__ import annotations

import resource
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.errors import StoreError
from service.catalog import Catalog
from service.catalog.generations import Generation
from tests.support.fakes import HashEmbedder
from tests.support.generations import generation, store

TEXT = "The harbour lay still. Nobody had lit the lamps, and the tide was going out.\r\n" * 3


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "catalog.sqlite3"


@pytest.fixture
def catalog(path: Path) -> Iterator[Catalog]:
    catalog = Catalog(path)
    yield catalog
    catalog.close()


def read_all(catalog: Catalog, made: Generation) -> None:
    catalog.ready.chunks([chunk.id for chunk in made.chunks])
    catalog.ready.table("default", exact_limit=10_000)


@pytest.mark.parametrize(
    "content", [b"not a database at all, " * 100, b"SQLite format 3\x00" + b"\xff" * 4096]
)
def test_a_file_that_is_no_catalog_says_what_to_do(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(StoreError, match="move the data directory away and ingest again"):
        Catalog(path)


def test_a_file_that_cannot_be_opened_is_not_called_damaged(path: Path) -> None:
    path.mkdir()
    with pytest.raises(StoreError, match="see that you may write the file and its folder"):
        Catalog(path)


def test_a_disk_that_takes_no_more_is_not_called_damaged(catalog: Catalog) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (131_072, hard))  # bytes a file; Python ignores the signal
    try:
        with pytest.raises(StoreError, match="free disk space"):
            store(catalog, generation("a.txt", TEXT * 5_000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    store(catalog, generation("b.txt", TEXT))


def test_another_program_s_database_is_left_alone(path: Path) -> None:
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE theirs (x)")
    other.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="another program's"):
        Catalog(path)
    assert path.read_bytes() == before


def test_another_version_s_catalog_is_named(path: Path) -> None:
    Catalog(path).close()
    other = sqlite3.connect(path)
    other.execute("PRAGMA user_version = 99")
    other.close()
    with pytest.raises(StoreError, match="must have format 1, got 99"):
        Catalog(path)


@pytest.mark.parametrize("part", ["text", "vector", "chapter", "pairs"])
def test_a_changed_byte_is_an_error_and_never_an_answer(path: Path, part: str) -> None:
    made = generation("a.txt", "Kennst du das Land? " * 40, embedder=HashEmbedder(64))
    first = Catalog(path)
    store(first, made)
    first.close()
    stored = {
        "text": made.text[:60].encode(),
        "vector": made.vectors[0].tobytes(),
        "chapter": b"Chapter 0",
        "pairs": made.window_chunks.astype("<i4").tobytes()[:40],
    }[part]
    data = path.read_bytes()
    assert data.count(stored) == 1 or part in ("text", "vector")
    position = data.index(stored) + 8
    path.write_bytes(data[:position] + bytes([data[position] ^ 1]) + data[position + 1 :])
    second = Catalog(path)
    with pytest.raises(StoreError, match="ingest again"):
        read_all(second, made)
    second.close()


def test_a_catalog_cut_short_is_an_error_and_never_an_answer(path: Path) -> None:
    made = generation("a.txt", "Kennst du das Land? " * 4000)
    first = Catalog(path)
    store(first, made)
    first.close()
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])

    def open_and_read() -> None:
        second = Catalog(path)
        try:
            read_all(second, made)
        finally:
            second.close()

    with pytest.raises(StoreError, match="ingest again"):
        open_and_read()
