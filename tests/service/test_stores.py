from __future__ import annotations

import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from core.errors import NotFound
from core.identity import document_id
from service.stores import Stores
from tests.support.generations import EMBEDDER, bytes_on_disk, generation, ingest
from tests.support.stored import HARBOUR, ORCHARD, answers, holds


@pytest.fixture
def stores(tmp_path: Path) -> Iterator[Stores]:
    stores = Stores(tmp_path / "data")
    yield stores
    stores.close()


def test_a_published_document_is_in_all_three_stores(stores: Stores) -> None:
    record = ingest(stores, HARBOUR)
    assert record.state == "ready"
    holds(stores, HARBOUR)
    assert stores.text(HARBOUR.document_id) == HARBOUR.text
    assert stores.lexical("default").search("pewter skies", 1)[0][0] in {c.id for c in HARBOUR.chunks}
    assert stores.titles([HARBOUR.document_id]) == {HARBOUR.document_id: HARBOUR.title}
    assert stores.lexical("default").idf(["harbour"]).total == len(HARBOUR.chunks)


def test_progress_is_told_in_windows(stores: Stores) -> None:
    told: list[tuple[str, int, int]] = []
    stores.begin(HARBOUR.document_id, "default", HARBOUR.source, "T", "d")
    stores.publish(HARBOUR, lambda *step: told.append(step))
    total = len(HARBOUR.windows)
    assert told == [("indexing", 0, total), ("indexing", total, total)]


def test_an_unknown_collection_is_empty_and_leaves_no_trace(stores: Stores, tmp_path: Path) -> None:
    before = set(bytes_on_disk(tmp_path))
    table = stores.table("nobody's")
    assert (table.revision, table.chunk_ids, table.vectors, table.fingerprint) == (0, [], None, None)
    assert stores.lexical("nobody's").search("harbour", 3) == []
    assert stores.lexical("nobody's").idf(["harbour"]).total == 0
    assert stores.nearest("nobody's", HARBOUR.vectors[0], 3) == []
    assert set(bytes_on_disk(tmp_path)) == before


def test_the_table_is_the_same_object_until_the_collection_changes(stores: Stores) -> None:
    ingest(stores, HARBOUR)
    table = stores.table("default")
    ingest(stores, generation("other.txt", "Elsewhere. " * 9, collection="elsewhere"))
    assert stores.table("default") is table
    ingest(stores, ORCHARD)
    assert stores.table("default").revision > table.revision
    with pytest.raises(ValueError, match="read-only"):
        stores.table("default").vectors[0, 0] = 1  # type: ignore[index]  # None without vectors


def test_pairs_join_windows_to_chunks_of_their_own_document(stores: Stores) -> None:
    for made in (HARBOUR, ORCHARD):
        ingest(stores, made)
    table = stores.table("default")
    spans = [window for made in (HARBOUR, ORCHARD) for window in made.windows]
    chunks = stores.chunks(table.chunk_ids)
    assert len(table.pairs) == len(spans) == len(table.window_ids)
    for window, chunk in table.pairs:
        assert chunks[chunk].span.holds(spans[window])


def test_above_the_exact_limit_the_space_answers_alike(tmp_path: Path) -> None:
    stores = Stores(tmp_path, exact_limit=len(HARBOUR.windows))
    ingest(stores, HARBOUR)
    assert stores.table("default").vectors is not None
    ingest(stores, ORCHARD)
    table = stores.table("default")
    assert table.vectors is None
    assert table.fingerprint == EMBEDDER.fingerprint
    query = EMBEDDER.embed_query("quinces in the orchard")
    exact = np.concatenate([HARBOUR.vectors, ORCHARD.vectors]) @ query
    got = dict(stores.nearest("default", query, len(exact)))
    assert [got[name] for name in table.window_ids] == pytest.approx(exact.tolist(), abs=1e-5)
    stores.close()


def test_chunks_come_in_the_order_asked_repeats_too(stores: Stores) -> None:
    ingest(stores, HARBOUR)
    asked = [HARBOUR.chunks[position].id for position in (3, 0, 3)]
    assert [chunk.id for chunk in stores.chunks(asked)] == asked


def test_collections_share_nothing(stores: Stores, tmp_path: Path) -> None:
    ingest(stores, HARBOUR)
    before = answers(stores, "harbour sky")
    directories = {path.parent for path in bytes_on_disk(tmp_path / "data" / "lexical")}
    for number in range(3):
        ingest(stores, generation(f"{number}.txt", "harbour sky " * 30, collection="others"))
    stores.hide(document_id("others", "1.txt"))
    stores.purge()
    assert answers(stores, "harbour sky") == before
    assert directories <= {path.parent for path in bytes_on_disk(tmp_path / "data" / "lexical")}


@pytest.mark.parametrize(
    "name", ["../../up", "/etc/passwd", "a/b\\c", "海 上", "..", "x" * 128, "CON", "a\tb"]
)
def test_a_collection_s_name_never_becomes_a_path(tmp_path: Path, name: str) -> None:
    stores = Stores(tmp_path / "data")
    made = generation("a.txt", "The harbour lay still. " * 4, collection=name)
    ingest(stores, made)
    holds(stores, made)
    stores.close()
    assert [path.name for path in tmp_path.iterdir()] == ["data"]
    for engine in ("lexical", "vectors"):
        for path in (tmp_path / "data" / engine).iterdir():
            assert re.fullmatch(r"[0-9a-f]{16}-\d+", path.name)


def test_readers_always_find_one_whole_generation(stores: Stores) -> None:
    versions = [
        generation("a.txt", f"The harbour, version {word}, lay still under its sky. " * 6)
        for word in ("amber", "birch", "cedar")
    ]
    whole = [{chunk.id for chunk in made.chunks} for made in versions]
    ingest(stores, versions[0])
    problems: list[object] = []
    reads = [0, 0, 0]
    done = threading.Event()

    def read(reader: int) -> None:
        while not done.is_set():
            try:
                table = stores.table("default")
                if set(table.chunk_ids) not in whole:
                    problems.append(table.chunk_ids)
                hits = stores.lexical("default").search(versions[0].text, 50)
                if {hit for hit, _ in hits} not in whole:
                    problems.append(hits)
                near = stores.nearest("default", versions[0].vectors[0], 3)
                if len(near) != 3:
                    problems.append(near)
                reads[reader] += 1
                stores.chunks([hit for hit, _ in hits])
            except NotFound:
                pass  # replaced since the search: a reader asks again
            except BaseException as error:
                problems.append(error)
                raise

    readers = [threading.Thread(target=read, args=(number,)) for number in range(3)]
    for reader in readers:
        reader.start()
    for made in versions[1:] * 3:
        ingest(stores, made)
    done.set()
    for reader in readers:
        reader.join(30)
    assert problems == []
    assert min(reads) > 3


def test_chroma_is_loaded_only_where_vectors_are_written_or_hnsw_is_asked(tmp_path: Path) -> None:
    first = Stores(tmp_path)
    ingest(first, HARBOUR)
    first.close()
    script = """
import sys
from pathlib import Path
from service.stores import Stores
stores = Stores(Path(sys.argv[1]))
assert stores.documents() and stores.table("default").vectors is not None
assert stores.chunks([hit for hit, _ in stores.lexical("default").search("harbour", 3)])
stores.begin("x", "default", "x", "X", "d"); stores.fail("x", "no", "error")
assert "chromadb" not in sys.modules
stores.nearest("default", stores.table("default").vectors[0], 1)
assert "chromadb" in sys.modules
stores.close()
"""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script, str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
