from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.errors import InvalidValue, NotFound
from core.identity import document_id
from service.catalog import Catalog
from service.values import Notice
from tests.support.generations import files_holding, generation, store

TEXT = "The harbour lay still. Nobody had lit the lamps, and the tide was going out.\r\n" * 3
NO_PAIRS = np.empty((0, 2), dtype=np.int32)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "catalog.sqlite3"


@pytest.fixture
def catalog(path: Path) -> Iterator[Catalog]:
    catalog = Catalog(path)
    yield catalog
    catalog.close()


def test_a_generation_comes_back_as_it_was_stored(catalog: Catalog) -> None:
    made = generation("a.txt", TEXT, notices=[Notice("encoding_guess", "cp1252")])
    store(catalog, made)
    record = catalog.document(made.document_id)
    assert record is not None
    assert (record.state, record.title, record.source) == ("ready", "Title of a.txt", "a.txt")
    assert record.characters == len(TEXT)
    assert (record.chunks, record.windows) == (len(made.chunks), len(made.windows))
    assert (record.strategy, record.embedder) == ("Every(40)", "hash")
    assert record.notices == (Notice("encoding_guess", "cp1252"),)
    assert catalog.ready.text(made.document_id) == TEXT
    assert catalog.ready.metadata(made.document_id) == {"format": "txt"}
    wanted = [chunk.id for chunk in reversed(made.chunks)]
    assert catalog.ready.chunks(wanted) == list(reversed(made.chunks))
    windows = catalog.ready.windows(made.document_id, made.content_digest, made.fingerprint)
    assert windows is not None
    assert windows[0] == list(made.windows)
    assert windows[1].tobytes() == made.vectors.tobytes()
    table = catalog.ready.table("default", exact_limit=1000)
    assert table.pairs.tolist() == made.window_chunks.tolist()
    assert table.chunk_ids == [chunk.id for chunk in made.chunks]
    assert table.vectors is not None
    assert table.vectors.tobytes() == made.vectors.tobytes()


def test_windows_are_given_only_for_the_same_bytes_and_embedder(catalog: Catalog) -> None:
    made = generation("a.txt", TEXT)
    store(catalog, made)
    assert catalog.ready.windows(made.document_id, "other bytes", made.fingerprint) is None
    assert catalog.ready.windows(made.document_id, made.content_digest, "other embedder") is None
    assert catalog.ready.windows("other document", made.content_digest, made.fingerprint) is None


def test_a_rewritten_chunk_keeps_its_index_text_and_its_slice(catalog: Catalog) -> None:
    made = generation("a.txt", TEXT, index_text="Nobody lit lamps.")
    store(catalog, made)
    assert catalog.ready.chunks([made.chunks[0].id]) == [made.chunks[0]]
    assert catalog.ready.chunks([made.chunks[0].id])[0].indexed == "Nobody lit lamps."


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=80))
def test_any_text_comes_back_unchanged(catalog: Catalog, text: str) -> None:
    made = generation("a.txt", text, size=7)
    store(catalog, made)
    assert catalog.ready.text(made.document_id) == text
    assert catalog.ready.chunks([chunk.id for chunk in made.chunks]) == list(made.chunks)
    catalog.remove(catalog.hidden())


@pytest.mark.parametrize("place", ["source", "title", "text"])
def test_a_lone_surrogate_is_refused_and_nothing_is_stored(catalog: Catalog, place: str) -> None:
    bad = "caf\udce9"  # a file name that is not UTF-8, as Python reads it
    made = replace(generation("a.txt", TEXT), **{place: bad, "chunks": (), "window_chunks": NO_PAIRS})
    with pytest.raises(InvalidValue, match="without lone surrogates"):
        store(catalog, made)
    assert catalog.ready.table("default", exact_limit=10).chunk_ids == []


# -- states -----------------------------------------------------------------------------------------


def test_records_come_by_collection_and_source(catalog: Catalog) -> None:
    for collection, source in [("b", "1"), ("a", "2"), ("a", "1")]:
        catalog.begin(document_id(collection, source), collection, source, "T", "d")
    assert [(r.collection, r.source) for r in catalog.documents()] == [("a", "1"), ("a", "2"), ("b", "1")]
    assert [r.source for r in catalog.documents("a")] == ["1", "2"]
    assert catalog.documents("none") == []


def test_a_failed_replacement_leaves_the_former_generation(catalog: Catalog) -> None:
    made = generation("a.txt", TEXT)
    store(catalog, made)
    catalog.begin(made.document_id, "default", "a.txt", "New title", "new bytes")
    assert catalog.document(made.document_id).state == "pending"  # type: ignore[union-attr]  # it is there
    assert catalog.ready.text(made.document_id) == TEXT
    catalog.fail(made.document_id, "too many bad bytes", "undecodable_text")
    record = catalog.document(made.document_id)
    assert record is not None
    assert (record.state, record.reason) == ("failed", "too many bad bytes")
    assert (record.title, record.content_digest) == (made.title, made.content_digest)
    assert catalog.ready.text(made.document_id) == TEXT


def test_a_repeat_after_a_failure_clears_its_reason(catalog: Catalog) -> None:
    made = generation("a.txt", TEXT)
    catalog.begin(made.document_id, "default", "a.txt", "T", "d")
    catalog.fail(made.document_id, "no", "error")
    store(catalog, made)
    record = catalog.document(made.document_id)
    assert record is not None
    assert (record.state, record.reason) == ("ready", "")


def test_interrupted_attempts_go_back_or_fail(catalog: Catalog) -> None:
    made = generation("a.txt", TEXT)
    store(catalog, made)
    catalog.begin(made.document_id, "default", "a.txt", "T", "new")
    catalog.begin("new", "default", "b.txt", "T", "d")
    catalog.end_interrupted()
    assert {r.source: (r.state, r.reason) for r in catalog.documents()} == {
        "a.txt": ("ready", ""),
        "b.txt": ("failed", "interrupted"),
    }


def test_the_same_bytes_elsewhere_are_a_duplicate_of_the_earliest(catalog: Catalog) -> None:
    for source in ("z.txt", "a.txt", "m.txt"):
        store(catalog, generation(source, TEXT))
    store(catalog, generation("z.txt", TEXT, collection="elsewhere"))
    store(catalog, generation("other.txt", TEXT + "!"))
    first = document_id("default", "z.txt")

    def duplicates() -> dict[tuple[str, str], str | None]:
        return {(r.collection, r.source): r.duplicate_of for r in catalog.documents() if r.duplicate_of}

    assert duplicates() == {("default", "a.txt"): first, ("default", "m.txt"): first}
    catalog.hide(first)
    assert duplicates() == {("default", "m.txt"): document_id("default", "a.txt")}


def test_a_deleted_document_cannot_be_published_or_failed(catalog: Catalog) -> None:
    made = generation("a.txt", TEXT)
    catalog.begin(made.document_id, "default", "a.txt", "T", "d")
    catalog.hide(made.document_id)
    catalog.fail(made.document_id, "late", "error")
    assert [record.state for record in catalog.documents()] == ["deleted"]
    with pytest.raises(NotFound, match="deleted while it was ingested"):
        catalog.publish(catalog.serial(), made)
    assert catalog.ready.text(made.document_id) is None


@pytest.mark.parametrize(
    "change",
    [
        lambda catalog: catalog.hide("nobody"),
        lambda catalog: catalog.fail("nobody", "", ""),
        lambda catalog: catalog.publish(1, generation("a.txt", TEXT)),
    ],
    ids=["hide", "fail", "publish"],
)
def test_what_does_not_exist_cannot_change(catalog: Catalog, change: Callable[[Catalog], None]) -> None:
    with pytest.raises(NotFound, match="sawyer documents"):
        change(catalog)


def test_a_document_begun_again_after_deletion_lives(catalog: Catalog) -> None:
    made = generation("a.txt", TEXT)
    store(catalog, made)
    catalog.hide(made.document_id)
    store(catalog, made)  # the same chunk ids, while the hidden generation still lies there
    assert catalog.ready.chunks([made.chunks[0].id]) == [made.chunks[0]]
    assert len(catalog.hidden()) == 1
    catalog.remove(catalog.hidden())
    assert catalog.ready.chunks([chunk.id for chunk in made.chunks]) == list(made.chunks)


def test_titles_are_those_of_what_is_retrievable(catalog: Catalog) -> None:
    made = generation("a.txt", TEXT)
    store(catalog, made)
    catalog.begin(made.document_id, "default", "a.txt", "New title", "d")
    assert catalog.titles([made.document_id, "nobody"]) == {made.document_id: "Title of a.txt"}


# -- transactions -----------------------------------------------------------------------------------


def test_a_transaction_that_fails_leaves_nothing(catalog: Catalog) -> None:
    made = generation("a.txt", TEXT)

    def cut_off() -> None:
        with catalog.transaction():
            store(catalog, made)
            assert catalog.ready.text(made.document_id) == TEXT  # inside, it is there
            raise RuntimeError("power cut")

    with pytest.raises(RuntimeError):
        cut_off()
    assert catalog.documents() == []
    store(catalog, made)
    assert catalog.ready.text(made.document_id) == TEXT


def test_readers_see_the_last_committed_state_and_never_wait(catalog: Catalog) -> None:
    store(catalog, generation("a.txt", TEXT))
    seen: list[int] = []
    with catalog.transaction():
        store(catalog, generation("b.txt", TEXT))
        reader = threading.Thread(target=lambda: seen.append(len(catalog.documents())))
        reader.start()
        reader.join(10)
    assert seen == [1]
    assert len(catalog.documents()) == 2


def test_serials_are_never_given_twice(path: Path) -> None:
    given: list[int] = []
    for _ in range(3):
        catalog = Catalog(path)
        given += [catalog.serial(), catalog.serial()]
        catalog.close()
    assert given == sorted(set(given))


def test_the_revision_grows_with_what_is_retrievable(catalog: Catalog) -> None:
    made = generation("a.txt", TEXT)
    revisions = [catalog.ready.revision("default")]
    store(catalog, made)
    revisions.append(catalog.ready.revision("default"))
    catalog.begin(made.document_id, "default", "a.txt", "T", "d")
    assert catalog.ready.revision("default") == revisions[-1]
    catalog.hide(made.document_id)
    revisions.append(catalog.ready.revision("default"))
    assert revisions[0] == 0
    assert revisions == sorted(set(revisions))


# -- forgetting -------------------------------------------------------------------------------------


def test_what_was_removed_stands_in_no_file(catalog: Catalog, path: Path) -> None:
    kept = [generation(f"{number}.txt", f"keepsake {number} " * 40) for number in range(6)]
    gone = generation("gone.txt", "xylograph " * 50, index_text="xylograph again")
    for made in (*kept[:3], gone, *kept[3:]):
        store(catalog, made)
    vector = gone.vectors[0].tobytes()
    assert files_holding(path.parent, b"xylograph")
    assert files_holding(path.parent, vector)
    catalog.hide(gone.document_id)
    catalog.remove(catalog.hidden())
    catalog.forget()
    for wanted in (b"xylograph", b"gone.txt", gone.document_id.encode(), vector):
        assert files_holding(path.parent, wanted) == []
    for made in kept:
        assert catalog.ready.text(made.document_id) == made.text


def test_forgetting_that_was_cut_off_is_made_up_for(path: Path) -> None:
    first = Catalog(path)
    store(first, generation("gone.txt", "xylograph " * 50))
    first.hide(document_id("default", "gone.txt"))
    first.remove(first.hidden())
    first.close()  # before it forgot
    second = Catalog(path)
    assert second.hidden() == []
    second.forget()
    second.close()
    assert files_holding(path.parent, b"gone.txt") == []


# -- what a generation may be -----------------------------------------------------------------------


def test_rows_that_do_not_belong_together_are_refused() -> None:
    made = generation("a.txt", TEXT)
    with pytest.raises(InvalidValue, match="one row for each of"):
        replace(made, vectors=made.vectors[:-1])
    with pytest.raises(InvalidValue, match="finite"):
        replace(made, vectors=np.full_like(made.vectors, np.nan))
    with pytest.raises(InvalidValue, match="must index"):
        replace(made, window_chunks=np.array([[0, len(made.chunks)]], dtype=np.int32))
    with pytest.raises(InvalidValue, match="slice of its span"):
        replace(made, text=TEXT.upper())
