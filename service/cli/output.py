"""What a command prints: answers, documents and reports as lines.

Results go to standard output, everything else to standard error. Text from outside is made printable
first: an escape sequence in a book must not reach the terminal as one.
"""

from __future__ import annotations

import json
import sys
import unicodedata
from collections.abc import Iterator, Mapping, Sequence

from answering.base import Reason
from core.values import Span
from service.naming import unlabelled
from service.page.rendering import confidence
from service.values import Answer, DocumentRecord, IngestReport, Notice

CLOSEST_SHOWN = 3
SNIPPET_CHARACTERS = 200

_REASONS: Mapping[Reason, str] = {
    "no_evidence": "no sentence here says enough about what you ask",
    "type_mismatch": "the closest sentences do not hold the kind of thing that you ask for",
    "ambiguous": "several sentences fit about equally well, and none stands out",
    "empty_collection": "the collection holds no text yet; add one with `sawyer ingest PATH`",
}
_UNPRINTABLE = frozenset({"Cc", "Cs"})  # control characters and lone surrogates
# They make a line read in another order than it is written.
_REORDERING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def put(line: str) -> None:
    """One line of result."""
    sys.stdout.write(line + "\n")


def put_json(value: object) -> None:
    """One result as one line of JSON, in ASCII, so that every terminal and pipe can carry it."""
    put(json.dumps(value, allow_nan=False))


def note(message: str) -> None:
    """One line about what is going on."""
    sys.stderr.write(f"sawyer: {printable(message)}\n")


def printable(text: str) -> str:
    r"""``text`` on one line: white space as single spaces, control characters written out (``\x1b``)."""
    return "".join(
        c.encode("unicode_escape").decode()
        if c in _REORDERING or unicodedata.category(c) in _UNPRINTABLE
        else c
        for c in " ".join(text.split())
    )


def answer_lines(answer: Answer) -> Iterator[str]:
    """The sentence, where it stands and how sure it is; or that there is none, why, and what is closest."""
    best = answer.decision.answer
    if best is None:
        yield from _no_answer(answer)
        return
    sentence = best.candidate
    chapter = next((hit.chunk.chapter for hit in answer.hits if hit.chunk.id == sentence.chunk_id), ())
    yield printable(sentence.text)
    yield ""
    if answer.generated is not None:
        yield f"In the model's words: {printable(answer.generated)}"
    yield f"Source: {_source(answer.titles.get(sentence.document_id, ''), chapter, sentence.span)}"
    yield f"Confidence: {confidence(answer.decision.probability)}"


def document_lines(records: Sequence[DocumentRecord]) -> Iterator[str]:
    """A table of documents, its columns wide enough for what is in them."""
    rows = [("ID", "STATE", "CHARACTERS", "CHUNKS", "COLLECTION", "SOURCE", "TITLE")]
    rows += [
        (
            record.id,
            record.state,
            f"{record.characters:,}",
            f"{record.chunks:,}",
            printable(record.collection),
            printable(record.source),
            printable(record.title),
        )
        for record in records
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def report_line(report: IngestReport) -> str:
    """What became of one source: state, id, source, and how much there is of it."""
    record = report.document
    size = "" if report.state == "failed" else f"  {record.characters:,} characters, {record.chunks:,} chunks"
    twin = f"  (same bytes as {record.duplicate_of})" if record.duplicate_of else ""
    return f"{report.state:<9}  {record.id}  {printable(record.source)}{size}{twin}"


def note_notices(name: str, notices: Sequence[Notice]) -> None:
    """What was done otherwise than one might expect, a line each."""
    for notice in notices:
        note(f"{name}: {notice.code}: {notice.detail}")


def _no_answer(answer: Answer) -> Iterator[str]:
    decision = answer.decision
    yield f"No answer: {_REASONS.get(decision.reason, decision.reason)}."
    if decision.ranked:
        reached, needed = decision.probability, decision.threshold
        yield f"The best sentence reaches {reached:.2f}; an answer needs {needed:.2f}."
    if answer.hits:
        yield ""
        yield "Closest passages:"
    for hit in answer.hits[:CLOSEST_SHOWN]:
        chunk = hit.chunk
        yield f"  {_snippet(chunk.text)}"
        yield f"    {_source(answer.titles.get(chunk.document_id, ''), chunk.chapter, chunk.span)}"


def _snippet(text: str) -> str:
    words = printable(text)
    if len(words) <= SNIPPET_CHARACTERS:
        return words
    return Span(0, SNIPPET_CHARACTERS).of(words).rstrip() + " …"


def _source(title: str, chapter: Sequence[str], span: Span) -> str:
    # A Markdown file's first heading is its title, and says nothing twice.
    headings = chapter[1:] if chapter and unlabelled(chapter[0]) == title else chapter
    path = " / ".join(printable(name) for name in (title, *headings) if name.strip())
    where = f"characters {span.start:,}–{span.end:,}"
    return f"{path}, {where}" if path else where
