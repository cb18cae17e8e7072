from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.errors import NotFound
from service.stores import Stores
from tests.support.generations import bytes_on_disk, files_holding, generation, ingest
from tests.support.stored import HARBOUR, ORCHARD, XYLOGRAPH, answers, holds, lacks


@pytest.fixture
def stores(tmp_path: Path) -> Iterator[Stores]:
    stores = Stores(tmp_path / "data")
    yield stores
    stores.close()


def test_a_publication_that_fails_leaves_the_former_one_and_nothing_else(
    stores: Stores, tmp_path: Path
) -> None:
    former = generation("secret.txt", HARBOUR.text)
    ingest(stores, former)

    def stop(_stage: str, done: int, total: int) -> None:
        if done == total:  # both engines have the rows, the catalog has not
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stores.publish(XYLOGRAPH, stop)
    holds(stores, former)
    lacks(stores, XYLOGRAPH)
    assert files_holding(tmp_path, b"xylograph") == []
    assert files_holding(tmp_path, XYLOGRAPH.vectors[0].tobytes()) == []
    stores.publish(XYLOGRAPH)
    holds(stores, XYLOGRAPH)
    lacks(stores, former)


def test_a_document_deleted_while_it_is_ingested_stays_deleted(stores: Stores, tmp_path: Path) -> None:
    stores.begin(XYLOGRAPH.document_id, "default", XYLOGRAPH.source, "T", "d")
    with pytest.raises(NotFound, match="deleted while it was ingested"):
        stores.publish(XYLOGRAPH, lambda *_: stores.hide(XYLOGRAPH.document_id))
    assert stores.table("default").chunk_ids == []
    stores.purge()
    assert files_holding(tmp_path, b"xylograph") == []


def test_opening_ends_what_was_interrupted(tmp_path: Path) -> None:
    first = Stores(tmp_path)
    ingest(first, HARBOUR)
    first.begin(HARBOUR.document_id, "default", HARBOUR.source, "T", "new bytes")
    first.begin(ORCHARD.document_id, "default", ORCHARD.source, "T", "d")
    first.close()
    second = Stores(tmp_path)
    assert [(r.source, r.state, r.reason) for r in second.documents()] == [
        ("harbour.txt", "ready", ""),
        ("orchard.txt", "failed", "interrupted"),
    ]
    holds(second, HARBOUR)
    second.close()


def test_opening_purges_what_was_hidden(tmp_path: Path) -> None:
    first = Stores(tmp_path)
    for made in (HARBOUR, XYLOGRAPH):
        ingest(first, made)
    first.hide(XYLOGRAPH.document_id)
    first.close()
    second = Stores(tmp_path)
    assert [record.source for record in second.documents()] == ["harbour.txt"]
    assert files_holding(tmp_path, b"xylograph") == []
    assert files_holding(tmp_path, XYLOGRAPH.vectors[0].tobytes()) == []
    holds(second, HARBOUR)
    second.close()


def test_what_is_closed_is_found_as_it_was(tmp_path: Path) -> None:
    first = Stores(tmp_path)
    for made in (HARBOUR, ORCHARD):
        ingest(first, made)
    before = answers(first, "the harbour and the orchard")
    first.close()
    files = {path for path in bytes_on_disk(tmp_path) if path.suffix in (".bin", ".term")}
    second = Stores(tmp_path)
    assert answers(second, "the harbour and the orchard") == before
    second.close()
    # Opened, not written anew.
    assert {path for path in bytes_on_disk(tmp_path) if path.suffix in (".bin", ".term")} == files


def test_damaged_engine_files_never_change_an_answer(tmp_path: Path) -> None:
    first = Stores(tmp_path / "sound")
    for made in (HARBOUR, ORCHARD):
        ingest(first, made)
    wanted = answers(first, "the harbour and the orchard")
    first.close()
    sound = tmp_path / "sound"
    files = [path for path in bytes_on_disk(sound) if path.parent != sound and path.stat().st_size]
    assert len(files) > 8
    for number, path in enumerate(files):
        for damage in ("cut", "flip", "remove") if number % 3 == 0 else ("flip",):
            copy = tmp_path / "damaged"
            shutil.copytree(sound, copy)
            victim = copy / path.relative_to(sound)
            data = victim.read_bytes()
            middle = len(data) // 2
            if damage == "cut":
                victim.write_bytes(data[:middle])
            elif damage == "flip":
                victim.write_bytes(data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :])
            else:
                victim.unlink()
            second = Stores(copy)
            assert answers(second, "the harbour and the orchard") == wanted, (path.name, damage)
            second.close()
            shutil.rmtree(copy)


@pytest.mark.parametrize("engine", ["lexical", "vectors"])
def test_a_missing_engine_directory_is_written_anew(tmp_path: Path, engine: str) -> None:
    first = Stores(tmp_path)
    ingest(first, HARBOUR)
    wanted = answers(first, "harbour")
    first.close()
    shutil.rmtree(tmp_path / engine)
    second = Stores(tmp_path)
    assert answers(second, "harbour") == wanted
    ingest(second, ORCHARD)
    holds(second, ORCHARD)
    second.close()


def test_opening_removes_directories_that_no_one_names(tmp_path: Path) -> None:
    first = Stores(tmp_path)
    ingest(first, HARBOUR)
    first.close()
    for engine in ("lexical", "vectors"):
        stray = tmp_path / engine / "0123456789abcdef-99"
        stray.mkdir()
        (stray / "left by a crash").write_text("xylograph")
    second = Stores(tmp_path)
    assert files_holding(tmp_path, b"xylograph") == []
    holds(second, HARBOUR)
    second.close()


def test_a_file_that_the_system_leaves_beside_the_engines_is_no_obstacle(tmp_path: Path) -> None:
    first = Stores(tmp_path)
    ingest(first, HARBOUR)
    first.close()
    for engine in ("lexical", "vectors"):
        (tmp_path / engine / ".DS_Store").write_bytes(b"of the Finder")
    second = Stores(tmp_path)
    ingest(second, ORCHARD)
    holds(second, HARBOUR)
    holds(second, ORCHARD)
    second.close()
