"""Chunks are made in one place, which takes no chunker's word for its spans."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

import chunkers
from chunkers.base import chunk_document
from core.errors import InvalidValue
from core.values import Document, Span

TEXT = "# Book\r\n\r\n## One\r\n\r\nIt began.\r\n\r\nIt went on.\r\n\r\n## Two\r\n\r\nIt ended.\r\n"


@dataclass(frozen=True)
class Scripted:
    spans: tuple[Span, ...]

    def split(self, text: str) -> list[Span]:  # noqa: ARG002 - its spans are given
        return list(self.spans)


def test_a_chunk_is_the_slice_with_its_chapter() -> None:
    chunks = chunk_document(Document("d", TEXT), chunkers.build("paragraph"), content_digest="c")
    assert [(chunk.text, chunk.chapter_path) for chunk in chunks] == [
        ("# Book", "Book"),
        ("## One", "Book / One"),
        ("It began.", "Book / One"),
        ("It went on.", "Book / One"),
        ("## Two", "Book / Two"),
        ("It ended.", "Book / Two"),
    ]
    assert all(chunk.document_id == "d" for chunk in chunks)


def test_a_plain_text_has_no_chapters() -> None:
    plain = Document("d", TEXT, metadata={"format": "text"})
    chunks = chunk_document(plain, chunkers.build("recursive"), content_digest="c")
    assert {chunk.chapter for chunk in chunks} == {()}


def test_ids_repeat_with_everything_the_same_and_differ_with_anything_else() -> None:
    def ids(document: str = "d", content: str = "c", size: int = 30) -> set[str]:
        chunker = chunkers.build("recursive", size=size)
        return {
            chunk.id for chunk in chunk_document(Document(document, TEXT), chunker, content_digest=content)
        }

    assert ids() == ids()
    assert len(ids()) == len(chunkers.build("recursive", size=30).split(TEXT))
    assert not ids() & (ids(document="e") | ids(content="changed") | ids(size=31))


@pytest.mark.parametrize(
    "spans",
    [
        (Span(0, 5), Span(0, 9)),
        (Span(0, 9), Span(3, 9)),
        (Span(3, 9), Span(0, 12)),
        (Span(4, 4),),
        (Span(0, len(TEXT) + 1),),
    ],
    ids=["same start", "same end", "backwards", "empty", "outside"],
)
def test_a_chunker_that_breaks_the_contract_is_named(spans: tuple[Span, ...]) -> None:
    with pytest.raises(InvalidValue, match=r"must strictly increase.*got \[.*correct Scripted"):
        chunk_document(Document("d", TEXT), Scripted(spans), content_digest="c")
