"""A whole Sawyer in memory: paragraphs are chunks, the best sentence is the one that shares most words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from answering import load_selector, name_meant
from answering.base import Candidate, Contribution, Decision, Reason, Scored
from answering.learnt import LEARNT
from core.errors import (
    EmptyDocument,
    InvalidInput,
    InvalidQuestion,
    InvalidValue,
    NotFound,
    UnsupportedFormat,
)
from core.identity import content_digest, digest, document_id
from core.text import content_terms
from core.values import Chunk, Hit, Span
from service.values import (
    DEFAULT_COLLECTION,
    DEFAULT_K,
    DEFAULT_SELECTOR,
    Answer,
    DeleteReport,
    DocumentRecord,
    IngestReport,
    Notice,
    Progress,
    Retrieval,
    RetrieverName,
    Source,
)

THRESHOLD = 0.5
LONGEST_QUESTION = 2000
_PARAGRAPH = re.compile(r"\S(?:.|\n(?!\s*\n))*")
_SENTENCE = re.compile(r"\S[^.!?]*[.!?]*")
_HEADING = re.compile(r"#+\s*(.+)")


@dataclass
class FakeSawyer:
    """Obeys the `Sawyer` protocol.

    Attributes:
        failure: raised once, by the next call, when set.
    """

    failure: Exception | None = None
    records: dict[str, DocumentRecord] = field(default_factory=dict)
    chunks: dict[str, list[Chunk]] = field(default_factory=dict)

    def ingest(
        self,
        source: Source,
        *,
        collection: str = DEFAULT_COLLECTION,
        progress: Progress | None = None,
    ) -> IngestReport:
        self._fail_if_told()
        content = content_digest(source.data)
        known = document_id(collection, source.name)
        old = self.records.get(known)
        if old is not None and old.content_digest == content and old.state == "ready":
            return IngestReport(old, "unchanged")
        try:
            text, notices = _decoded(source.data)
        except InvalidInput as error:
            record = DocumentRecord(
                known, collection, source.name, source.name, "failed", str(error), content_digest=content
            )
            self.records[known] = record
            return IngestReport(record, "failed", error.code, str(error))
        for stage in ("reading", "chunking", "embedding", "indexing"):
            if progress is not None:
                progress(stage, 1, 1)
        cut = _chunks(known, content, text)
        record = DocumentRecord(
            known,
            collection,
            source.name,
            source.title or _title(text) or source.name,
            "ready",
            characters=len(text),
            chunks=len(cut),
            windows=len(cut),
            strategy="Paragraphs()",
            embedder="none",
            content_digest=content,
            updated_at="2025-01-01T00:00:00+00:00",
            notices=notices,
        )
        self.records[known], self.chunks[known] = record, cut
        return IngestReport(record, "ready", notices=notices)

    def retrieve(
        self,
        question: str,
        *,
        k: int = DEFAULT_K,
        collection: str = DEFAULT_COLLECTION,
        retriever: RetrieverName = "hybrid",  # noqa: ARG002 - the protocol's
    ) -> Retrieval:
        self._fail_if_told()
        _checked(question, k)
        wanted = set(content_terms(question))
        held = ((_share(wanted, chunk.text), chunk) for chunk in self._all(collection))
        scored = sorted(held, key=lambda pair: -pair[0])
        hits = tuple(Hit(chunk, score, rank) for rank, (score, chunk) in enumerate(scored[:k], 1))
        return Retrieval(question, hits, {key: record.title for key, record in self.records.items()})

    def ask(
        self,
        question: str,
        *,
        k: int = DEFAULT_K,
        collection: str = DEFAULT_COLLECTION,
        retriever: RetrieverName = "hybrid",
        selector: str | None = None,
    ) -> Answer:
        meant = name_meant(selector, DEFAULT_SELECTOR)
        load_selector(meant)
        found = self.retrieve(question, k=k, collection=collection, retriever=retriever)
        wanted = set(content_terms(question))
        ranked = sorted(
            (Scored(candidate, _share(wanted, candidate.text)) for candidate in _candidates(found.hits)),
            key=lambda scored: -scored.score,
        )
        probability = ranked[0].score if ranked else 0.0
        reason: Reason = "answered" if probability >= THRESHOLD else "no_evidence"
        if not found.hits:
            reason = "empty_collection"
        decision = Decision(tuple(ranked), THRESHOLD, probability, reason)
        if meant.partition("@")[0] in LEARNT and ranked:  # those that can say why
            counted = Contribution("overlap", probability - THRESHOLD)
            decision = replace(decision, existence=probability, mattered=(counted,))
        return Answer(question, found.hits, decision, found.titles, selector=meant)

    def documents(self, *, collection: str | None = None) -> list[DocumentRecord]:
        self._fail_if_told()
        held = [r for r in self.records.values() if collection in (None, r.collection)]
        return sorted(held, key=lambda record: (record.collection, record.source))

    def delete(self, document_id: str) -> DeleteReport:
        if self.records.pop(document_id, None) is None:
            raise NotFound(f"no document {document_id}; list them with `sawyer documents`")
        self.chunks.pop(document_id, None)
        return DeleteReport(document_id, "purged")

    def reindex(
        self,
        *,
        collection: str | None = None,
        progress: Progress | None = None,  # noqa: ARG002 - the protocol's
    ) -> int:
        return len(self.documents(collection=collection))

    def pretend(self, record_id: str, **changes: object) -> None:
        """Show a document in another state."""
        # mypy cannot see through a dict that the changes are fields.
        self.records[record_id] = replace(self.records[record_id], **changes)  # type: ignore[arg-type]

    def _all(self, collection: str) -> list[Chunk]:
        return [
            chunk
            for key, chunks in self.chunks.items()
            if self.records[key].collection == collection
            for chunk in chunks
        ]

    def _fail_if_told(self) -> None:
        if self.failure is not None:
            failure, self.failure = self.failure, None
            raise failure


def _checked(question: str, k: int) -> None:
    if not question.strip():
        raise InvalidQuestion("question must hold at least one visible character, got none; type one")
    if len(question) > LONGEST_QUESTION:
        raise InvalidQuestion(
            f"question must hold at most {LONGEST_QUESTION} characters, got {len(question)}; shorten it"
        )
    if k < 1:
        raise InvalidValue(f"k must be at least 1, got {k}")


def _decoded(data: bytes) -> tuple[str, tuple[Notice, ...]]:
    if b"\x00" in data:
        raise UnsupportedFormat("bytes must be text or Markdown, got binary data; convert it to .txt first")
    try:
        text, notices = data.decode("utf-8"), ()
    except UnicodeDecodeError:
        text = data.decode("cp1252", "replace")
        return text, (Notice("encoding_guess", "encoding guessed as cp1252"),)
    if not text.strip():
        raise EmptyDocument("a document must hold at least one visible character, got none")
    return text, notices


def _title(text: str) -> str:
    match = _HEADING.match(text)
    return match.group(1).strip() if match else ""


def _chunks(document: str, content: str, text: str) -> list[Chunk]:
    chapter: tuple[str, ...] = ()
    made = []
    for match in _PARAGRAPH.finditer(text):
        span = Span(match.start(), match.end())
        heading = _HEADING.fullmatch(span.of(text))
        if heading:
            chapter = (*chapter[: 1 if chapter else 0], heading.group(1))
            continue
        made.append(
            Chunk(digest("chunk", document, content, str(span)), document, span, span.of(text), chapter)
        )
    return made


def _candidates(hits: Sequence[Hit]) -> list[Candidate]:
    return [
        Candidate(
            hit.chunk.document_id,
            hit.chunk.id,
            Span(match.start(), match.end()).shifted(hit.chunk.span.start),
            match.group(),
        )
        for hit in hits
        for match in _SENTENCE.finditer(hit.chunk.text)
    ]


def _share(wanted: set[str], text: str) -> float:
    return len(wanted & set(content_terms(text))) / len(wanted) if wanted else 0.0
