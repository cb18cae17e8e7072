"""A Sawyer whose writes wait their turn behind everybody else's."""

from __future__ import annotations

from concurrent.futures import Future
from concurrent.futures import wait as wait_for

from core.errors import error_class
from service.jobs import Job, Jobs
from service.values import (
    DEFAULT_COLLECTION,
    DEFAULT_K,
    Answer,
    DeleteReport,
    DocumentRecord,
    IngestReport,
    Progress,
    Retrieval,
    RetrieverName,
    Sawyer,
    Source,
)

WATCH = 0.1  # seconds between two looks at a job's progress


class Queued:
    """What the chat page gets: the same `Sawyer`, with ingests and reindexes run by the one worker.

    A caller's progress function is called in the caller's own thread, at most every `WATCH` seconds.
    """

    def __init__(self, sawyer: Sawyer, jobs: Jobs) -> None:
        self._sawyer = sawyer
        self._jobs = jobs

    def ingest(
        self, source: Source, *, collection: str = DEFAULT_COLLECTION, progress: Progress | None = None
    ) -> IngestReport:
        """See `service.values.Sawyer.ingest`.

        Raises:
            Unavailable: the queue is full, or the server is stopping.
        """
        job = self._follow(self._jobs.ingest(source, collection=collection), progress)
        if job.report is None:
            raise error_class(job.code)(job.detail)
        return job.report

    def reindex(self, *, collection: str | None = None, progress: Progress | None = None) -> int:
        """See `service.values.Sawyer.reindex`; raises as `ingest` does."""
        job = self._follow(self._jobs.reindex(collection=collection), progress)
        if job.documents is None:
            raise error_class(job.code)(job.detail)
        return job.documents

    def retrieve(
        self,
        question: str,
        *,
        k: int = DEFAULT_K,
        collection: str = DEFAULT_COLLECTION,
        retriever: RetrieverName = "hybrid",
    ) -> Retrieval:
        """See `service.values.Sawyer.retrieve`."""
        return self._sawyer.retrieve(question, k=k, collection=collection, retriever=retriever)

    def ask(
        self,
        question: str,
        *,
        k: int = DEFAULT_K,
        collection: str = DEFAULT_COLLECTION,
        retriever: RetrieverName = "hybrid",
        selector: str | None = None,
    ) -> Answer:
        """See `service.values.Sawyer.ask`."""
        return self._sawyer.ask(question, k=k, collection=collection, retriever=retriever, selector=selector)

    def documents(self, *, collection: str | None = None) -> list[DocumentRecord]:
        """See `service.values.Sawyer.documents`."""
        return self._sawyer.documents(collection=collection)

    def delete(self, document_id: str) -> DeleteReport:
        """See `service.values.Sawyer.delete`."""
        return self._sawyer.delete(document_id)

    def _follow(self, job: Job, progress: Progress | None) -> Job:
        end: Future[Job] = self._jobs.end(job.id)
        if progress is None:
            return end.result()
        seen = ("", 0, 0)
        while True:
            finished, _ = wait_for([end], timeout=WATCH)
            job = end.result() if finished else self._jobs.get(job.id)
            now = (job.stage, job.done, job.total)
            if now != seen and job.stage:
                progress(*now)
                seen = now
            if finished:
                return job
