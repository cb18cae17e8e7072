"""Answers, documents and reports as HTML for the chat page.

Every text that comes from outside (books, titles, chapters, file names, questions, reasons) passes
through `escaped`, so it is always shown as text. No class, style, link or image comes from a text.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence

from answering.base import Scored
from core.values import Chunk, Hit, Span
from service.values import Answer, DocumentRecord, DocumentState, IngestReport, IngestState, Notice
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

WAITING = '<p class="sawyer-waiting">Reading …</p>'  # in an answer's place until it is there
DOCUMENTS_SHOWN = 200
SNIPPET_CHARACTERS = 180
QUESTION_CHARACTERS = 600

_UNSENDABLE = re.compile("[\x00\ud800-\udfff]")
_DOCUMENT_STATES: Mapping[DocumentState, str] = {
    "pending": "being read",
    "ready": "ready",
    "failed": "failed",
    "deleted": "being removed",
}
_INGEST_STATES: Mapping[IngestState, str] = {"ready": "ready", "unchanged": "unchanged", "failed": "failed"}


def shown(text: str) -> str:
    """The text with what no page can hold, NUL and lone surrogates, replaced by U+FFFD."""
    return _UNSENDABLE.sub("\ufffd", text)


def escaped(text: str) -> str:
    """The text as HTML that shows exactly it, inside an element or a quoted attribute."""
    return html.escape(shown(text), quote=True)


def question_html(question: str) -> str:
    """A question as it was asked; a very long one is cut."""
    text = shortened(question, QUESTION_CHARACTERS) or "(nothing)"
    return f'<p class="sawyer-asked" dir="auto">{escaped(text)}</p>'


def sentence_html(sentence: str) -> str:
    """A message of ours: an error, or what to do."""
    return f'<div class="sawyer-answer sawyer-error" role="alert"><p>{escaped(sentence)}</p></div>'


def answer_html(answer: Answer) -> str:
    """The answer sentence, where it stands and how sure it is; or that there is none, and why."""
    best = answer.decision.answer
    return _no_answer(answer) if best is None else _cited(answer, best)


def documents_html(records: Sequence[DocumentRecord]) -> str:
    """The documents with their states, or a line that there are none."""
    if not records:
        return '<p class="sawyer-empty">No texts yet.</p>'
    items = "".join(_document(record) for record in records[:DOCUMENTS_SHOWN])
    rest = len(records) - DOCUMENTS_SHOWN
    more = f'<p class="sawyer-empty">and {rest:,} more</p>' if rest > 0 else ""
    return f'<ul class="sawyer-documents">{items}</ul>{more}'


def report_html(name: str, report: IngestReport) -> str:
    """What became of one added file, as a sentence."""
    match report.state:
        case "ready":
            record = report.document
            passages = "1 passage" if record.chunks == 1 else f"{record.chunks:,} passages"
            text = f"is ready: {record.characters:,} characters in {passages}."
        case "unchanged":
            text = "is unchanged: these very bytes were here already."
        case "failed":
            text = f"was not added: {report.reason}"
    return _report(name, report.state, text, report.notices)


def failure_html(name: str, reason: str) -> str:
    """One added file that nothing became of."""
    return _report(name, "failed", f"was not added: {reason}", ())


def _report(name: str, state: IngestState, text: str, notices: Sequence[Notice]) -> str:
    return (
        f'<div class="sawyer-report" data-state="{_INGEST_STATES[state]}">'
        f'<p><bdi class="sawyer-name">{escaped(name)}</bdi> {escaped(text)}</p>{_notices(notices)}</div>'
    )


def _cited(answer: Answer, best: Scored) -> str:
    sentence = best.candidate
    chunk = next((hit.chunk for hit in answer.hits if hit.chunk.id == sentence.chunk_id), None)
    quoted = "" if chunk is None else _passage(chunk, sentence.span)
    chapter = () if chunk is None else chunk.chapter
    title = answer.titles.get(sentence.document_id, "")
    return (
        '<div class="sawyer-answer">'
        f'<p class="sawyer-sentence" dir="auto">{escaped(sentence.text)}</p>'
        f"{_generated(answer)}"
        f"{quoted}"
        f'<p class="sawyer-source">{_source(title, chapter, sentence.span)}</p>'
        f'<p class="sawyer-confidence">Confidence: {confidence(answer.decision.probability)}</p>'
        f'<p class="sawyer-selector">Chosen by {escaped(chosen_by(answer))}</p>'
        f"{_mattered(answer, 'Why this sentence')}</div>"
    )


def _no_answer(answer: Answer) -> str:
    decision = answer.decision
    if decision.reason == "empty_collection":
        return (
            '<div class="sawyer-answer sawyer-none"><p class="sawyer-verdict">There is no text yet</p>'
            '<p class="sawyer-reason">Add a text first, then ask.</p></div>'
        )
    closest = "".join(_closest(hit, answer.titles) for hit in answer.hits[:CLOSEST_SHOWN])
    heading = '<p class="sawyer-heading">Closest passages</p>' if closest else ""
    several = len({hit.chunk.document_id for hit in answer.hits}) > 1
    return (
        '<div class="sawyer-answer sawyer-none">'
        f'<p class="sawyer-verdict">Not in {"these texts" if several else "this text"}</p>'
        f'<p class="sawyer-reason">{_why(answer)}</p>'
        f"{_mattered(answer, 'What came closest')}{heading}{closest}</div>"
    )


def _why(answer: Answer) -> str:
    return escaped(f"{why_not(answer).capitalize()}. {shortfall(answer)}".rstrip())


def _mattered(answer: Answer, summary: str) -> str:
    """Folded: how likely an answer is there, and what counted; nothing where the selector cannot tell."""
    likely, reasons = likelihood(answer), reasons_for(answer)
    if not likely and not reasons:
        return ""
    items = "".join(
        f'<li><span class="sawyer-odds">{moved.replace("-", "−")}</span> {escaped(what)}</li>'
        for moved, what in reasons
    )
    key = "What spoke for this sentence (+) and against it (−):" if reasons else ""
    best = answer.decision.ranked[:1] if answer.decision.answer is None else ()  # else it stands above
    quoted = "".join(f'<p class="sawyer-best" dir="auto">{escaped(one.candidate.text)}</p>' for one in best)
    return (
        f'<details class="sawyer-why"><summary>{summary}</summary>{quoted}'
        f"<p>{escaped(f'{likely} {key}'.strip())}</p><ul>{items}</ul></details>"
    )


def _passage(chunk: Chunk, sentence: Span) -> str:
    """The chunk's text with the sentence marked, where it stands in it."""
    if not chunk.span.holds(sentence):
        return f'<blockquote class="sawyer-passage" dir="auto">{escaped(chunk.text)}</blockquote>'
    inside = sentence.shifted(-chunk.span.start)
    before = Span(0, inside.start).of(chunk.text).lstrip()
    after = Span(inside.end, len(chunk.text)).of(chunk.text).rstrip()
    return (
        '<blockquote class="sawyer-passage" dir="auto">'
        f"{escaped(before)}<mark>{escaped(inside.of(chunk.text))}</mark>{escaped(after)}</blockquote>"
    )


def _closest(hit: Hit, titles: Mapping[str, str]) -> str:
    chunk = hit.chunk
    snippet = shortened(chunk.text, SNIPPET_CHARACTERS)
    return (
        '<details class="sawyer-closest"><summary>'
        f'<span class="sawyer-snippet" dir="auto">{escaped(snippet)}</span>'
        f'<span class="sawyer-source">{_source(titles.get(chunk.document_id, ""), chunk.chapter, chunk.span)}'
        '</span></summary><blockquote class="sawyer-passage" dir="auto">'
        f"{escaped(chunk.text.strip())}</blockquote></details>"
    )


def _source(title: str, chapter: Sequence[str], span: Span) -> str:
    names = [f"<bdi>{escaped(name)}</bdi>" for name in names_above(title, chapter)]
    return " · ".join([*names, place(span)])


def _generated(answer: Answer) -> str:
    if answer.generated is None:
        return ""
    return (
        '<div class="sawyer-generated"><p class="sawyer-heading">In the model’s words</p>'
        f'<p dir="auto">{escaped(answer.generated)}</p></div>'
    )


def _document(record: DocumentRecord) -> str:
    size = f"{record.characters:,} characters" if record.characters else ""
    twin = "same bytes as another text" if record.duplicate_of else ""
    facts = [f"<bdi>{escaped(record.source)}</bdi>", *(fact for fact in (size, twin) if fact)]
    reason = f'<p class="sawyer-reason">{escaped(record.reason)}</p>' if record.reason else ""
    return (
        f'<li data-state="{record.state}">'
        f'<p class="sawyer-title"><bdi>{escaped(record.title or record.source)}</bdi>'
        f'<span class="sawyer-state">{_DOCUMENT_STATES[record.state]}</span></p>'
        f'<p class="sawyer-facts">{" · ".join(facts)}</p>{reason}{_notices(record.notices)}</li>'
    )


def _notices(notices: Sequence[Notice]) -> str:
    return "".join(
        f'<p class="sawyer-notice">{escaped(notice.detail or notice.code)}</p>' for notice in notices
    )
