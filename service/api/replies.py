"""What the native routes give: the wire form of our values, and the way back.

The server and `service.client` share these models, so that a value survives the journey unchanged.
Offsets are code points.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from answering.base import Candidate, Decision, Reason, Scored
from core.values import Chunk, Hit, Span
from service.jobs import Job, JobKind, JobState
from service.values import (
    Answer,
    DeleteReport,
    DeleteState,
    DocumentRecord,
    DocumentState,
    IngestReport,
    IngestState,
    Notice,
    Retrieval,
)


class _Reply(BaseModel):
    model_config = ConfigDict(extra="ignore")  # a newer server may say more


class HitReply(_Reply):
    """One passage; ``text`` is the document's text from ``start`` to ``end``."""

    rank: int
    score: float
    chunk_id: str
    document_id: str
    title: str
    chapter: str = Field(description="The headings above the passage, joined by ` / `.")
    start: int
    end: int
    text: str
    headings: list[str] = Field(description="The headings above the passage, outermost first.")
    index_text: str | None = Field(None, description="What the lexical index reads in place of the text.")

    @staticmethod
    def of(hit: Hit, title: str) -> HitReply:
        """The wire form of a hit."""
        chunk = hit.chunk
        return HitReply(
            rank=hit.rank,
            score=hit.score,
            chunk_id=chunk.id,
            document_id=chunk.document_id,
            title=title,
            chapter=chunk.chapter_path,
            start=chunk.span.start,
            end=chunk.span.end,
            text=chunk.text,
            headings=list(chunk.chapter),
            index_text=chunk.index_text,
        )

    def hit(self) -> Hit:
        """The hit that this is the wire form of."""
        span = Span(self.start, self.end)
        chunk = Chunk(self.chunk_id, self.document_id, span, self.text, tuple(self.headings), self.index_text)
        return Hit(chunk, self.score, self.rank)


class RetrieveReply(_Reply):
    """Passages, best first."""

    hits: list[HitReply]

    @staticmethod
    def of(found: Retrieval | Answer) -> RetrieveReply:
        """The wire form of what was found."""
        return RetrieveReply(hits=_hits(found))

    def retrieval(self, question: str) -> Retrieval:
        """The retrieval that this is the wire form of."""
        return Retrieval(question, [hit.hit() for hit in self.hits], self.titles())

    def titles(self) -> dict[str, str]:
        """Titles by document id."""
        return {hit.document_id: hit.title for hit in self.hits}


class SentenceReply(_Reply):
    """A sentence of a passage; ``before`` and ``after`` are its neighbours there, or empty."""

    text: str
    document_id: str
    chunk_id: str
    start: int
    end: int
    before: str
    after: str
    score: float

    @staticmethod
    def of(scored: Scored) -> SentenceReply:
        """The wire form of a scored sentence."""
        candidate = scored.candidate
        return SentenceReply(
            text=candidate.text,
            document_id=candidate.document_id,
            chunk_id=candidate.chunk_id,
            start=candidate.span.start,
            end=candidate.span.end,
            before=candidate.before,
            after=candidate.after,
            score=scored.score,
        )

    def scored(self) -> Scored:
        """The scored sentence that this is the wire form of."""
        span = Span(self.start, self.end)
        candidate = Candidate(self.document_id, self.chunk_id, span, self.text, self.before, self.after)
        return Scored(candidate, self.score)


class AnswerReply(RetrieveReply):
    """One sentence, or null with the reason, and the passages that were looked through."""

    answer: SentenceReply | None
    probability: float
    threshold: float
    reason: Reason
    candidates: list[SentenceReply] | None = Field(
        None, description="Every sentence that was considered, best first; null unless asked for."
    )
    generated: str | None = Field(
        None, description="What a chat model wrote from the passages, if one is set."
    )

    @staticmethod
    def of_answer(answer: Answer, *, candidates: bool) -> AnswerReply:
        """The wire form of an answer."""
        decision = answer.decision
        best = decision.answer
        return AnswerReply(
            hits=_hits(answer),
            answer=SentenceReply.of(best) if best else None,
            probability=decision.probability,
            threshold=decision.threshold,
            reason=decision.reason,
            candidates=[SentenceReply.of(one) for one in decision.ranked] if candidates else None,
            generated=answer.generated,
        )

    def value(self, question: str) -> Answer:
        """The answer that this is the wire form of; its candidates only where they were asked for."""
        ranked = [sentence.scored() for sentence in self.candidates or ()]
        decision = Decision(tuple(ranked), self.threshold, self.probability, self.reason)
        return Answer(question, [hit.hit() for hit in self.hits], decision, self.titles(), self.generated)


class ChunkReply(_Reply):
    """One chunk; ``text`` is the given text from ``start`` to ``end``."""

    id: str
    start: int
    end: int
    text: str
    chapter: str

    @staticmethod
    def of(chunk: Chunk) -> ChunkReply:
        """The wire form of a chunk."""
        start, end = chunk.span.start, chunk.span.end
        return ChunkReply(id=chunk.id, start=start, end=end, text=chunk.text, chapter=chunk.chapter_path)


class ChunksReply(_Reply):
    """The chunks of a text, in reading order."""

    chunks: list[ChunkReply]


class NoticeReply(_Reply):
    """Something that was done otherwise than a caller might expect."""

    code: str
    detail: str


class DocumentReply(_Reply):
    """One document as the catalog knows it."""

    id: str
    collection: str
    source: str
    title: str
    state: DocumentState
    reason: str
    characters: int
    chunks: int
    windows: int
    strategy: str
    embedder: str
    content_digest: str
    duplicate_of: str | None
    updated_at: str
    notices: list[NoticeReply]

    @staticmethod
    def of(record: DocumentRecord) -> DocumentReply:
        """The wire form of a record."""
        return DocumentReply.model_validate(record, from_attributes=True)

    def record(self) -> DocumentRecord:
        """The record that this is the wire form of."""
        fields = self.model_dump(exclude={"notices"})
        return DocumentRecord(**fields, notices=_notices(self.notices))


class DocumentsReply(_Reply):
    """Documents by collection and source."""

    documents: list[DocumentReply]


class ReportReply(_Reply):
    """What became of one source."""

    document: DocumentReply
    state: IngestState
    error_code: str
    reason: str
    notices: list[NoticeReply]

    @staticmethod
    def of(report: IngestReport) -> ReportReply:
        """The wire form of a report."""
        return ReportReply.model_validate(report, from_attributes=True)

    def report(self) -> IngestReport:
        """The report that this is the wire form of."""
        record = self.document.record()
        return IngestReport(record, self.state, self.error_code, self.reason, _notices(self.notices))


class JobReply(_Reply):
    """One write as it stands."""

    job_id: str
    kind: JobKind
    document_id: str | None
    state: JobState
    stage: str = Field(description="reading, chunking, embedding, indexing; empty before it has begun.")
    done: int
    total: int
    code: str = Field(description="The error's code when the job failed, else empty.")
    detail: str
    report: ReportReply | None = Field(None, description="What became of an ingested document.")
    documents: int | None = Field(None, description="How many documents a reindex went through.")

    @staticmethod
    def of(job: Job) -> JobReply:
        """The wire form of a job."""
        return JobReply(
            job_id=job.id,
            kind=job.kind,
            document_id=job.document_id,
            state=job.state,
            stage=job.stage,
            done=job.done,
            total=job.total,
            code=job.code,
            detail=job.detail,
            report=ReportReply.of(job.report) if job.report else None,
            documents=job.documents,
        )


class IngestReply(_Reply):
    """A document on its way (``pending``), or how it went (``ready``, ``unchanged``)."""

    document_id: str
    job_id: str
    state: Literal["pending", "ready", "unchanged"]
    notices: list[NoticeReply] = Field(default_factory=list)


class ReindexReply(_Reply):
    """A reindex on its way."""

    job_id: str
    state: JobState


class DeleteReply(_Reply):
    """``deleted``: hidden from every answer; ``purged``: off the disk as well."""

    document_id: str
    state: DeleteState

    @staticmethod
    def of(report: DeleteReport) -> DeleteReply:
        """The wire form of a report."""
        return DeleteReply(document_id=report.document_id, state=report.state)

    def report(self) -> DeleteReport:
        """The report that this is the wire form of."""
        return DeleteReport(self.document_id, self.state)


class HealthReply(_Reply):
    """The process is alive, or ready for questions."""

    status: Literal["ok", "ready"]
    version: str


def _hits(found: Retrieval | Answer) -> list[HitReply]:
    return [HitReply.of(hit, found.titles.get(hit.chunk.document_id, "")) for hit in found.hits]


def _notices(notices: list[NoticeReply]) -> tuple[Notice, ...]:
    return tuple(Notice(notice.code, notice.detail) for notice in notices)
