"""Documents, and what is done with them, on the wire."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from service.api.replies.base import Reply
from service.jobs import Job, JobKind, JobState
from service.values import (
    DeleteReport,
    DeleteState,
    DocumentRecord,
    DocumentState,
    IngestReport,
    IngestState,
    Notice,
)


class NoticeReply(Reply):
    """Something that was done otherwise than a caller might expect."""

    code: str
    detail: str


class DocumentReply(Reply):
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


class DocumentsReply(Reply):
    """Documents by collection and source."""

    documents: list[DocumentReply]


class ReportReply(Reply):
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


class JobReply(Reply):
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


class IngestReply(Reply):
    """A document on its way (``pending``), or how it went (``ready``, ``unchanged``)."""

    document_id: str
    job_id: str
    state: Literal["pending", "ready", "unchanged"]
    notices: list[NoticeReply] = Field(default_factory=list)


class ReindexReply(Reply):
    """A reindex on its way."""

    job_id: str
    state: JobState


class DeleteReply(Reply):
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


class HealthReply(Reply):
    """The process is alive, or ready for questions."""

    status: Literal["ok", "ready"]
    version: str


def _notices(notices: list[NoticeReply]) -> tuple[Notice, ...]:
    return tuple(Notice(notice.code, notice.detail) for notice in notices)
