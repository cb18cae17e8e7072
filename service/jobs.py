"""Writes, one at a time: a bounded queue, one worker thread, and what became of each job.

A job lives as long as its server and is not on disk: what a stopped server had not started is gone
(its sender sees that it never became a document), what it had begun is repaired from the catalog.
"""

from __future__ import annotations

import queue
import threading
import uuid
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import Literal

from core.errors import NotFound, SawyerError, Unavailable
from core.identity import document_id
from service.incidents import incident
from service.values import DEFAULT_COLLECTION, IngestReport, Progress, Sawyer, Source

JobKind = Literal["ingest", "reindex"]
JobState = Literal["queued", "running", "done", "failed"]

GIBIBYTE = 1024**3


@dataclass(frozen=True, slots=True)
class Job:
    """One write as it stands at one moment.

    Attributes:
        document_id: what an ingest is about; None for a reindex.
        stage: what the work is doing, with ``done`` of ``total`` steps.
        code: the error's code when ``state`` is ``failed``; ``detail`` says why.
        report: what became of an ingest; a source that cannot be read fails with a report.
        documents: how many documents a reindex went through.
    """

    id: str
    kind: JobKind
    document_id: str | None = None
    state: JobState = "queued"
    stage: str = ""
    done: int = 0
    total: int = 0
    code: str = ""
    detail: str = ""
    report: IngestReport | None = None
    documents: int | None = None

    @property
    def ended(self) -> bool:
        """Whether nothing about the job will change any more."""
        return self.state in ("done", "failed")


@dataclass(frozen=True, slots=True)
class _Task:
    """A queued job's work; it gives the fields of the ended job."""

    job_id: str
    size: int  # bytes that wait in memory
    work: Callable[[Progress], dict[str, object]]


class Jobs:
    """The queue, its worker and its memory of jobs. Safe to use from any thread.

    Args:
        sawyer: where the writes go.
        waiting: how many jobs may wait.
        waiting_bytes: how many bytes of documents may wait; one document may always wait alone.
        kept: how many ended jobs are remembered.
    """

    def __init__(
        self, sawyer: Sawyer, *, waiting: int = 256, waiting_bytes: int = GIBIBYTE, kept: int = 1000
    ) -> None:
        self._sawyer = sawyer
        self._waiting_bytes = waiting_bytes
        self._kept = kept
        self._lock = threading.Lock()
        self._jobs: dict[str, Job] = {}  # in order of submission
        self._ends: dict[str, Future[Job]] = {}
        self._bytes = 0
        self._tasks: queue.Queue[_Task | None] = queue.Queue(waiting)
        self._closing = False
        self._stop = threading.Event()
        self._worker = threading.Thread(target=self._run, name="sawyer-jobs", daemon=True)
        self._worker.start()

    def ingest(self, source: Source, *, collection: str = DEFAULT_COLLECTION) -> Job:
        """Queue a source.

        Raises:
            Unavailable: the queue is full, or the server is stopping.
        """

        def work(progress: Progress) -> dict[str, object]:
            report = self._sawyer.ingest(source, collection=collection, progress=progress)
            failed = report.state == "failed"
            return {
                "state": "failed" if failed else "done",
                "code": report.error_code,
                "detail": report.reason,
                "report": report,
            }

        job = Job(uuid.uuid4().hex, "ingest", document_id(collection, source.name))
        return self._submit(job, len(source.data), work)

    def reindex(self, *, collection: str | None = None) -> Job:
        """Queue a reindex of one collection, or of all; raises as `ingest` does."""

        def work(progress: Progress) -> dict[str, object]:
            return {
                "state": "done",
                "documents": self._sawyer.reindex(collection=collection, progress=progress),
            }

        return self._submit(Job(uuid.uuid4().hex, "reindex"), 0, work)

    def get(self, job_id: str) -> Job:
        """The job as it stands.

        Raises:
            NotFound: never submitted, or forgotten.
        """
        with self._lock:
            return self._known(job_id)

    def end(self, job_id: str) -> Future[Job]:
        """The ended job, when it comes; raises as `get` does."""
        with self._lock:
            self._known(job_id)
            return self._ends[job_id]

    def close(self, grace: float = 10.0) -> bool:
        """Take no more work, let the running job finish, and forget the waiting ones.

        A job that still runs after ``grace`` seconds fails at its next step; one that does not reach
        a step in as many seconds more is left to the catalog's repair.

        Returns:
            Whether the worker has ended, so that the stores may be closed.
        """
        with self._lock:
            self._closing = True
        while True:
            try:
                task = self._tasks.get_nowait()
            except queue.Empty:
                break
            if task is not None:
                self._finish(task, {"state": "failed", **_failure(_stopped())})
        self._tasks.put(None)
        self._worker.join(grace)
        if self._worker.is_alive():
            self._stop.set()
            self._worker.join(grace)
        return not self._worker.is_alive()

    def _submit(self, job: Job, size: int, work: Callable[[Progress], dict[str, object]]) -> Job:
        with self._lock:
            if self._closing:
                raise _stopped()
            if self._bytes and self._bytes + size > self._waiting_bytes:
                raise Unavailable(
                    f"{self._bytes:,} bytes of documents already wait to be read; try again later"
                )
            try:
                self._tasks.put_nowait(_Task(job.id, size, work))
            except queue.Full:
                raise Unavailable(f"{self._tasks.maxsize} jobs already wait; try again later") from None
            self._bytes += size
            self._jobs[job.id] = job
            end: Future[Job] = Future()
            end.set_running_or_notify_cancel()  # one who stops waiting cancels nothing
            self._ends[job.id] = end
            return job

    def _run(self) -> None:
        while (task := self._tasks.get()) is not None:
            self._update(task.job_id, state="running")

            def progress(stage: str, done: int, total: int, job_id: str = task.job_id) -> None:
                if self._stop.is_set():
                    raise _stopped()
                self._update(job_id, stage=stage, done=done, total=total)

            try:
                changes = task.work(progress)
            except SawyerError as error:
                changes = {"state": "failed", **_failure(error)}
            except Exception as error:  # noqa: BLE001 - the last wall of the one worker: it must live on
                seen = incident(error, f"job {task.job_id}")
                changes = {"state": "failed", **_failure(SawyerError(seen))}
            self._finish(task, changes)

    def _update(self, job_id: str, **changes: object) -> None:
        with self._lock:
            # The names of the changes are those of the fields, which mypy cannot see through a dict.
            self._jobs[job_id] = replace(self._jobs[job_id], **changes)  # type: ignore[arg-type]

    def _finish(self, task: _Task, changes: dict[str, object]) -> None:
        self._update(task.job_id, **changes)
        with self._lock:
            self._bytes -= task.size
            ended = self._jobs[task.job_id]
            end = self._ends[task.job_id]
            old = [job.id for job in self._jobs.values() if job.ended][: -self._kept]
            for job_id in old:
                del self._jobs[job_id], self._ends[job_id]
        end.set_result(ended)

    def _known(self, job_id: str) -> Job:
        job = self._jobs.get(job_id)
        if job is None:
            raise NotFound(
                f"there is no job {job_id!r}: a job is kept until its server stops, and of ended ones "
                f"the last {self._kept:,}; the list of documents says what is stored"
            )
        return job


def _failure(error: SawyerError) -> dict[str, object]:
    return {"code": error.code, "detail": str(error)}


def _stopped() -> Unavailable:
    return Unavailable("the server is stopping and has not finished this; send it again once it is back")
