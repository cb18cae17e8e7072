"""Hits to candidates: the sentences of the retrieved chunks, each with its exact span."""

from __future__ import annotations

from collections.abc import Iterable

from answering.base import Candidate
from chunkers.boundaries import sentence_spans
from core.text import visible_length
from core.values import Hit, Span

# A sentence with fewer visible characters ("Ah!", "* * *") answers nothing by itself.
MIN_VISIBLE = 4


def candidates(hits: Iterable[Hit]) -> list[Candidate]:
    """Every sentence of every hit once, in the order of the hits and of the text.

    Overlapping chunks share sentences: a span is kept where it is seen first. Headings are no
    sentences and are left out; they travel as chapter.
    """
    seen: set[tuple[str, Span]] = set()
    found: list[Candidate] = []
    for hit in hits:
        chunk = hit.chunk
        spans = [span for span in sentence_spans(chunk.text) if not _is_heading(span.of(chunk.text))]
        for position, span in enumerate(spans):
            text = span.of(chunk.text)
            key = (chunk.document_id, span.shifted(chunk.span.start))
            if key in seen or visible_length(text) < MIN_VISIBLE:
                continue
            seen.add(key)
            before = spans[position - 1].of(chunk.text) if position else ""
            after = spans[position + 1].of(chunk.text) if position + 1 < len(spans) else ""
            found.append(Candidate(chunk.document_id, chunk.id, key[1], text, before, after, rank=hit.rank))
    return found


def _is_heading(text: str) -> bool:
    return text.lstrip().startswith("#")
