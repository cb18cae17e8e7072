"""What a command prints: answers, documents and reports as lines.

Results go to standard output, everything else to standard error. Text from outside is made printable
first: an escape sequence in a book must not reach the terminal as one.
"""

from __future__ import annotations

import json
import sys
import unicodedata
from collections.abc import Iterator, Sequence

from chunkers.base import Cut
from core.values import Span
from service.values import Answer, DocumentRecord, IngestReport, Notice
from service.wording import (
    CLOSEST_SHOWN,
    chosen_by,
    confidence,
    likelihood,
    names_above,
    place,
    reasons_for,
    shortened,
    shortfall,
    why_not,
)

SNIPPET_CHARACTERS = 200

_ADD_A_TEXT = "the collection holds no text yet; add one with `sawyer ingest PATH`"
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
    yield f"Chosen by: {chosen_by(answer)}"
    yield from _why_this_one(answer)


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


def note_account(name: str, made: Cut) -> None:
    """What a chunker did besides cutting, and what it counted."""
    for notice in made.notices:
        note(f"{name}: {notice}")
    counted = ", ".join(f"{what} {number:,}" for what, number in made.counts.items() if number)
    if counted:
        note(f"{name}: {counted}")


def _no_answer(answer: Answer) -> Iterator[str]:
    decision = answer.decision
    empty = decision.reason == "empty_collection"
    yield f"No answer: {_ADD_A_TEXT if empty else why_not(answer)}."
    if short := shortfall(answer):
        yield short
    yield from _why_this_one(answer)
    if answer.hits:
        yield ""
        yield "Closest passages:"
    for hit in answer.hits[:CLOSEST_SHOWN]:
        chunk = hit.chunk
        yield f"  {shortened(printable(chunk.text), SNIPPET_CHARACTERS)}"
        yield f"    {_source(answer.titles.get(chunk.document_id, ''), chunk.chapter, chunk.span)}"


def _why_this_one(answer: Answer) -> Iterator[str]:
    if answer.decision.answer is None and answer.decision.mattered:
        best = answer.decision.ranked[0].candidate
        yield f"That sentence: {shortened(printable(best.text), SNIPPET_CHARACTERS)}"
    if likely := likelihood(answer):
        yield likely
    if reasons := reasons_for(answer):
        yield "What spoke for the sentence (+) and against it (-), in log-odds:"
    for moved, what in reasons:
        yield f"  {moved}  {what}"


def _source(title: str, chapter: Sequence[str], span: Span) -> str:
    path = " / ".join(map(printable, names_above(title, chapter)))
    return f"{path}, {place(span)}" if path else place(span)
