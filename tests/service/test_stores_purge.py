from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.errors import EmbedderMismatch
from service.stores import Stores
from tests.support.fakes import HashEmbedder
from tests.support.generations import EMBEDDER, bytes_on_disk, files_holding, generation, ingest
from tests.support.stored import HARBOUR, ORCHARD, XYLOGRAPH, answers, holds, lacks, only_in


@pytest.fixture
def stores(tmp_path: Path) -> Iterator[Stores]:
    stores = Stores(tmp_path / "data")
    yield stores
    stores.close()


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
    assert all(files_holding(tmp_path, row.tobytes()) == [] for row in only_in(first, second))
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
    marks += [row.tobytes() for row in only_in(XYLOGRAPH, HARBOUR, ORCHARD)]
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
