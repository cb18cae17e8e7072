"""The chunker's contract, the only maker of chunks, and what is said of a chunker to people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from chunkers.headings import ChapterPaths
from core.errors import InvalidValue
from core.identity import chunk_id, strategy_digest
from core.values import Chunk, Document, Span


@runtime_checkable
class Chunker(Protocol):
    """A frozen dataclass whose fields are its whole configuration and whose ``repr`` identifies it.

    Its ``str`` says in one line, for people, what it does.
    """

    def split(self, text: str) -> list[Span]:
        """Spans of ``text`` whose starts and ends strictly increase and that leave no visible
        character out (gaps hold only white space); blank text gives none.
        """


def chunk_document(document: Document, chunker: Chunker, *, content_digest: str) -> list[Chunk]:
    """Cut a document into chunks: ``chunk.text == document.text[chunk.span.start:chunk.span.end]``.

    The chapter of a chunk is the path of Markdown headings at its start, those counted that it starts
    with; a document whose ``format`` is ``text`` has no headings.

    Args:
        content_digest: of the document's generation; part of every chunk's id.

    Raises:
        InvalidValue: the chunker's spans are empty, out of order or outside the text.
    """
    spans = chunker.split(document.text)
    _check(spans, len(document.text), chunker)
    plain = document.metadata.get("format") == "text"
    chapters = None if plain else ChapterPaths(document.text)
    strategy = strategy_digest(chunker)
    return [
        Chunk(
            id=chunk_id(document.id, content_digest, strategy, span, None),
            document_id=document.id,
            span=span,
            text=span.of(document.text),
            chapter=chapters.at(span) if chapters else (),
        )
        for span in spans
    ]


def describe(chunker: Chunker) -> str:
    """What a chunker does, in one line for people."""
    return " ".join(str(chunker).split())


def _check(spans: Sequence[Span], length: int, chunker: Chunker) -> None:
    before = Span(0, 0)
    for index, span in enumerate(spans):
        ordered = index == 0 or (before.start < span.start and before.end < span.end)
        if not ordered or not span.start < span.end <= length:
            raise InvalidValue(
                f"spans of a chunker must not be empty, must stay in [0, {length}] and must strictly "
                f"increase in start and end, got [{span.start}, {span.end}) at {index} after "
                f"[{before.start}, {before.end}); correct {chunker!r}"
            )
        before = span
