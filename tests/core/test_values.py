import pytest

from core.errors import InvalidValue
from core.identity import chunk_id, content_digest, digest, document_id, strategy_digest
from core.values import Chunk, Span


def test_a_span_refuses_a_range_that_is_none():
    with pytest.raises(InvalidValue, match=r"0 <= start <= end, got \[5, 3\)"):
        Span(5, 3)
    with pytest.raises(InvalidValue):
        Span(-1, 3)


def test_a_span_slices_overlaps_holds_and_shifts():
    span = Span(2, 5)
    assert span.of("abcdefg") == "cde"
    assert len(span) == 3
    assert span.overlap(Span(4, 9)) == 1
    assert span.overlap(Span(5, 9)) == 0
    assert span.holds(Span(2, 5))
    assert not span.holds(Span(2, 6))
    assert span.shifted(10) == Span(12, 15)


def test_offsets_are_code_points_not_bytes_or_utf16_units():
    assert Span(1, 2).of("😀明x") == "明"


def test_a_chunk_is_indexed_by_its_index_text_when_it_has_one():
    chunk = Chunk("c", "d", Span(0, 1), "a", ("PART I", "Chapter 2"))
    assert chunk.indexed == "a"
    assert chunk.chapter_path == "PART I / Chapter 2"
    assert Chunk("c", "d", Span(0, 1), "a", index_text="title: a").indexed == "title: a"
    assert Chunk("c", "d", Span(0, 1), "a", index_text="").indexed == ""


def test_ids_are_stable_across_processes_and_releases():
    # Pinned: a changed digest would orphan every stored row.
    assert document_id("default", "emma.md") == digest("document", "default", "emma.md")
    assert document_id("default", "emma.md") == "43b849b75dc5a5cd9f40fbf8fdfa1507"


def test_ids_differ_wherever_identity_does():
    base = ("doc", "content", "strategy", Span(0, 4), None)
    ids = {
        chunk_id(*base),
        chunk_id("doc2", *base[1:]),
        chunk_id("doc", "content2", *base[2:]),
        chunk_id("doc", "content", "strategy2", *base[3:]),
        chunk_id("doc", "content", "strategy", Span(0, 5), None),
        chunk_id("doc", "content", "strategy", Span(0, 4), ""),
        chunk_id("doc", "content", "strategy", Span(0, 4), "x"),
    }
    assert len(ids) == 7
    assert digest("ab", "c") != digest("a", "bc")


def test_any_text_has_a_digest():
    assert digest("\ud800") != digest("\udfff")
    assert len(content_digest(b"")) == 64
    assert strategy_digest(Span(0, 1)) == strategy_digest(Span(0, 1))
