from __future__ import annotations

import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from core.errors import EmbedderMismatch, NotFound
from core.identity import document_id
from service.stores import Generation, Stores
from tests.support.fakes import HashEmbedder
from tests.support.generations import EMBEDDER, bytes_on_disk, files_holding, generation, ingest

HARBOUR = generation("harbour.txt", "The harbour lay still under a pewter sky. " * 6)
ORCHARD = generation("orchard.txt", "In the orchard the quinces had begun to fall. " * 5)
XYLOGRAPH = generation("secret.txt", "A xylograph of the old mill hung in the hall. " * 6)


@pytest.fixture
def stores(tmp_path: Path) -> Iterator[Stores]:
    stores = Stores(tmp_path / "data")
    yield stores
    stores.close()


def answers(stores: Stores, question: str, collection: str = "default") -> tuple[object, ...]:
    """All that a question can get out of the stores, by each way there is."""
    table = stores.table(collection)
    hits = stores.lexical(collection).search(question, 10)
    query = EMBEDDER.embed_query(question)
    return (
        table.chunk_ids,
        table.window_ids,
        table.pairs.tolist(),
        None if table.vectors is None else table.vectors.tobytes(),
        hits,
        # The engine's sums differ in the last bit from one opening to the next.
        sorted((name, round(near, 4)) for name, near in stores.nearest(collection, query, 1000)),
        stores.chunks([chunk_id for chunk_id, _ in hits]),
    )


def holds(stores: Stores, made: Generation) -> None:
    """The generation is in all three stores, whole."""
    wanted = [chunk.id for chunk in made.chunks]
    table = stores.table(made.collection)
    assert set(wanted) <= set(table.chunk_ids)
    assert set(wanted) <= stores.lexical(made.collection).ids()
    assert stores.chunks(wanted) == list(made.chunks)
    near = stores.nearest(made.collection, made.vectors[0], 1)
    rows = {window_id: row for row, window_id in enumerate(table.window_ids)}
    if table.vectors is not None:
        assert table.vectors[rows[near[0][0]]] @ made.vectors[0] == pytest.approx(1, abs=1e-5)


def lacks(stores: Stores, made: Generation) -> None:
    """Nothing of the generation is in any answer."""
    table = stores.table(made.collection)
    ids = {chunk.id for chunk in made.chunks}
    assert not ids & set(table.chunk_ids)
    assert not ids & stores.lexical(made.collection).ids()
    assert not ids & {hit for hit, _ in stores.lexical(made.collection).search(made.text, 100)}
    names = {name for name, _ in stores.nearest(made.collection, made.vectors[0], 100)}
    assert names <= set(table.window_ids)
    with pytest.raises(NotFound):
        stores.chunks([made.chunks[0].id])


# -- publish ----------------------------------------------------------------------------------------


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
        stores.table("default").vectors[0, 0] = 1  # type: ignore[index]


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


# -- replace and delete -----------------------------------------------------------------------------


def test_a_replacement_takes_the_former_generation_s_place(stores: Stores, tmp_path: Path) -> None:
    first = generation("a.txt", "A xylograph of the old mill hung in the hall. " * 6)
    second = generation("a.txt", "A daguerreotype of the new mill hung there. " * 6)
    ingest(stores, ORCHARD)
    ingest(stores, first)
    ingest(stores, second)
    holds(stores, second)
    holds(stores, ORCHARD)
    lacks(stores, first)
    assert len(stores.documents()) == 2
    assert files_holding(tmp_path, b"xylograph") == []
    assert all(files_holding(tmp_path, row.tobytes()) == [] for row in _only_in(first, second))
    assert stores.lexical("default").idf(["xylograph"]).frequency == {"xylograph": 0}


def test_the_same_document_published_again_stays_whole(stores: Stores) -> None:
    ingest(stores, HARBOUR)
    ingest(stores, HARBOUR)
    holds(stores, HARBOUR)
    assert stores.lexical("default").idf([]).total == len(HARBOUR.chunks)


def test_another_chunker_reuses_the_windows(stores: Stores) -> None:
    ingest(stores, HARBOUR)
    stored = stores.stored_windows(HARBOUR.document_id, HARBOUR.content_digest, HARBOUR.fingerprint)
    assert stored is not None
    assert stored[0] == list(HARBOUR.windows)
    assert stored[1].tobytes() == HARBOUR.vectors.tobytes()


def test_a_hidden_document_is_out_of_every_answer_at_once(stores: Stores) -> None:
    ingest(stores, HARBOUR)
    ingest(stores, ORCHARD)
    engine_rows = len(HARBOUR.chunks) + len(ORCHARD.chunks)
    stores.hide(HARBOUR.document_id)
    lacks(stores, HARBOUR)
    holds(stores, ORCHARD)
    assert stores.text(HARBOUR.document_id) is None
    assert [(r.source, r.state) for r in stores.documents()] == [
        ("harbour.txt", "deleted"),
        ("orchard.txt", "ready"),
    ]
    assert stores.lexical("default").idf([]).total == engine_rows  # not yet purged
    stores.purge()
    assert [record.source for record in stores.documents()] == ["orchard.txt"]
    assert stores.lexical("default").idf([]).total == len(ORCHARD.chunks)
    lacks(stores, HARBOUR)
    holds(stores, ORCHARD)


def test_a_hidden_majority_does_not_crowd_out_what_is_left(stores: Stores) -> None:
    many = [generation(f"{number}.txt", "harbour " * 60) for number in range(3)]
    few = generation("few.txt", "harbour and orchard and pewter and quinces")
    for made in (*many, few):
        ingest(stores, made)
    for made in many:
        stores.hide(made.document_id)
    assert [hit for hit, _ in stores.lexical("default").search("harbour", 1)] == [few.chunks[0].id]
    assert len(stores.nearest("default", many[0].vectors[0], 1)) == 1


def test_what_was_purged_stands_in_no_file(stores: Stores, tmp_path: Path) -> None:
    for made in (HARBOUR, XYLOGRAPH, ORCHARD):
        ingest(stores, made)
    answers(stores, "xylograph")
    marks = [b"xylograph", b"secret.txt", XYLOGRAPH.document_id.encode(), XYLOGRAPH.chunks[0].id.encode()]
    marks += [row.tobytes() for row in _only_in(XYLOGRAPH, HARBOUR, ORCHARD)]
    assert all(files_holding(tmp_path, mark) for mark in marks)  # the search can find them
    stores.hide(XYLOGRAPH.document_id)
    stores.purge()
    assert [mark for mark in marks if files_holding(tmp_path, mark)] == []
    assert stores.lexical("default").idf(["xylograph"]).frequency == {"xylograph": 0}
    assert stores.document(XYLOGRAPH.document_id) is None
    for made in (HARBOUR, ORCHARD):
        holds(stores, made)


def test_purging_the_last_document_leaves_no_trace_of_its_collection(tmp_path: Path) -> None:
    stores = Stores(tmp_path)
    made = generation("a.txt", "A xylograph. " * 9, collection="woodcuts")
    ingest(stores, made)
    stores.hide(made.document_id)
    stores.purge()
    assert stores.documents() == []
    assert stores.table("woodcuts").chunk_ids == []
    stores.close()
    assert files_holding(tmp_path, b"woodcuts") == []
    assert [path.name for path in bytes_on_disk(tmp_path)] == ["catalog.sqlite3"]


def test_purging_changes_no_answer_about_what_stays(stores: Stores) -> None:
    ingest(stores, HARBOUR)
    fresh = answers(stores, "harbour sky")
    ingest(stores, XYLOGRAPH)
    stores.hide(XYLOGRAPH.document_id)
    stores.purge()
    # Scores too: weights of words are again those of the texts that are there.
    assert answers(stores, "harbour sky")[4] == fresh[4]
    assert answers(stores, "harbour sky")[3] == fresh[3]


def test_a_failed_document_can_be_deleted(stores: Stores, tmp_path: Path) -> None:
    stores.begin("f", "default", "xylograph.bin", "T", "d")
    stores.fail("f", "no text", "unsupported_format")
    assert [(r.state, r.reason) for r in stores.documents()] == [("failed", "no text")]
    stores.hide("f")
    stores.purge()
    assert stores.documents() == []
    assert files_holding(tmp_path, b"xylograph.bin") == []


def test_many_replacements_are_purged_once(stores: Stores, tmp_path: Path) -> None:
    for made in (HARBOUR, ORCHARD):
        ingest(stores, made)
    again = [generation(made.source, made.text, size=55) for made in (HARBOUR, ORCHARD)]
    with stores.purging_once():
        for made in again:
            stores.publish(made)
        lacks(stores, HARBOUR)
        holds(stores, again[0])
        assert files_holding(tmp_path, b"Every(40)")
    assert files_holding(tmp_path, b"Every(40)") == []
    assert stores.lexical("default").ids() == {chunk.id for made in again for chunk in made.chunks}


def test_vectors_of_two_embedders_are_never_compared(stores: Stores) -> None:
    other = HashEmbedder(32, name="other")
    ingest(stores, HARBOUR)
    ingest(stores, generation("orchard.txt", ORCHARD.text, embedder=other))
    assert stores.fingerprints("default") == {EMBEDDER.fingerprint, other.fingerprint}
    table = stores.table("default")
    assert (table.vectors, table.fingerprint) == (None, None)
    with pytest.raises(EmbedderMismatch, match="sawyer reindex"):
        stores.nearest("default", HARBOUR.vectors[0], 3)
    assert stores.lexical("default").search("quinces", 3)  # words need no embedder
    made = generation("harbour.txt", HARBOUR.text, embedder=other)  # the same chunk ids as before
    stores.publish(made)
    assert stores.fingerprints("default") == {other.fingerprint}
    holds(stores, made)


# -- when things end early --------------------------------------------------------------------------


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


# -- threads and imports ----------------------------------------------------------------------------


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


def _only_in(made: Generation, *others: Generation) -> list[np.ndarray]:
    """The generation's vectors that no other has: they must be in its rows alone."""
    known = {row.tobytes() for other in others for row in other.vectors}
    found = [row for row in made.vectors if row.tobytes() not in known]
    assert found
    return found
