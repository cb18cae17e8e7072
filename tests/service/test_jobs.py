"""Writes run one at a time, in order, and every one of them ends in a state."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from core.errors import NotFound, ProviderError, SawyerError, Unavailable
from service.jobs import Jobs
from service.queued import Queued
from service.values import Source
from tests.support.served import GatedSawyer


@pytest.fixture
def sawyer() -> Iterator[GatedSawyer]:
    fake = GatedSawyer()
    yield fake
    fake.gate.set()


def source(name: str, text: str = "A text.") -> Source:
    return Source(name, text.encode())


def test_jobs_run_in_the_order_they_came(sawyer: GatedSawyer) -> None:
    jobs = Jobs(sawyer)
    sawyer.gate.clear()
    sent = [jobs.ingest(source(str(number))) for number in range(5)]
    sawyer.gate.set()
    assert [jobs.end(job.id).result(5).state for job in sent] == ["done"] * 5
    assert [record.source for record in sawyer.records.values()] == list("01234")
    assert jobs.close()


def test_a_source_that_cannot_be_read_fails_with_its_report(sawyer: GatedSawyer) -> None:
    jobs = Jobs(sawyer)
    ended = jobs.end(jobs.ingest(source("blank", "  ")).id).result(5)
    assert (ended.state, ended.code) == ("failed", "empty_document")
    assert ended.report is not None
    assert ended.detail == ended.report.reason
    assert jobs.close()


def test_an_error_fails_the_job_and_the_worker_lives_on(sawyer: GatedSawyer) -> None:
    jobs = Jobs(sawyer)
    for failure, code in ((ProviderError("no reply"), "provider_error"), (KeyError("bug"), "error")):
        sawyer.failure = failure
        ended = jobs.end(jobs.ingest(source("a")).id).result(5)
        assert (ended.state, ended.code, ended.report) == ("failed", code, None)
    assert jobs.end(jobs.ingest(source("a")).id).result(5).state == "done"
    assert jobs.close()


def test_a_full_queue_takes_no_more(sawyer: GatedSawyer) -> None:
    jobs = Jobs(sawyer, waiting=2)
    sawyer.gate.clear()
    jobs.ingest(source("running"))
    assert sawyer.entered.wait(5)
    jobs.ingest(source("1"))
    last = jobs.ingest(source("2"))
    with pytest.raises(Unavailable, match="2 jobs already wait"):
        jobs.ingest(source("3"))
    sawyer.gate.set()
    jobs.end(last.id).result(5)
    assert jobs.end(jobs.ingest(source("3")).id).result(5).state == "done"
    assert jobs.close()


def test_waiting_bytes_are_bounded_but_one_document_may_always_wait(sawyer: GatedSawyer) -> None:
    jobs = Jobs(sawyer, waiting_bytes=10)
    sawyer.gate.clear()
    big = jobs.ingest(source("big", "x" * 100))
    with pytest.raises(Unavailable, match="100 bytes"):
        jobs.ingest(source("small", "x"))
    sawyer.gate.set()
    jobs.end(big.id).result(5)
    assert jobs.end(jobs.ingest(source("small", "x")).id).result(5).state == "done"
    assert jobs.close()


def test_ended_jobs_are_forgotten_oldest_first(sawyer: GatedSawyer) -> None:
    jobs = Jobs(sawyer, kept=2)
    sent = []
    for number in range(4):
        sent.append(jobs.ingest(source(str(number))))
        jobs.end(sent[-1].id).result(5)
    for job in sent[:2]:
        with pytest.raises(NotFound, match="the last 2"):
            jobs.get(job.id)
    assert [jobs.get(job.id).state for job in sent[2:]] == ["done", "done"]
    assert jobs.close()


def test_closing_lets_the_running_job_finish_and_tells_the_waiting_ones(sawyer: GatedSawyer) -> None:
    jobs = Jobs(sawyer)
    sawyer.gate.clear()
    running, waiting = jobs.ingest(source("running")), jobs.ingest(source("waiting"))
    assert sawyer.entered.wait(5)
    threading.Timer(0.1, sawyer.gate.set).start()
    assert jobs.close(5)
    assert jobs.get(running.id).state == "done"
    assert (jobs.get(waiting.id).state, jobs.get(waiting.id).code) == ("failed", "unavailable")
    with pytest.raises(Unavailable):
        jobs.ingest(source("late"))


def test_closing_ends_a_long_job_at_its_next_step(sawyer: GatedSawyer) -> None:
    jobs = Jobs(sawyer)
    sawyer.gate.clear()
    job = jobs.ingest(source("endless"))
    assert sawyer.entered.wait(5)
    started = time.monotonic()
    assert jobs.close(0.1)
    assert time.monotonic() - started < 2
    assert (jobs.get(job.id).state, jobs.get(job.id).code) == ("failed", "unavailable")


def test_closing_says_when_a_job_does_not_stop() -> None:
    class Deaf(GatedSawyer):
        def ingest(self, *_: object, **__: object) -> object:  # type: ignore[override]  # nobody looks at it
            self.entered.set()
            return self.gate.wait(30)

    sawyer = Deaf()
    sawyer.gate.clear()
    jobs = Jobs(sawyer)
    jobs.ingest(source("deaf"))
    assert sawyer.entered.wait(5)
    assert not jobs.close(0.05)
    sawyer.gate.set()


def test_queued_writes_give_what_a_sawyer_gives(sawyer: GatedSawyer) -> None:
    jobs = Jobs(sawyer)
    queued = Queued(sawyer, jobs)
    assert queued.ingest(source("a")).state == "ready"
    assert queued.ingest(source("a")).state == "unchanged"
    assert queued.ingest(source("b", " ")).error_code == "empty_document"
    assert queued.reindex() == 2
    assert jobs.close()


def test_queued_writes_raise_what_a_sawyer_raises(sawyer: GatedSawyer) -> None:
    jobs = Jobs(sawyer)
    queued = Queued(sawyer, jobs)
    sawyer.failure = ProviderError("no reply")
    with pytest.raises(ProviderError, match="no reply"):
        queued.ingest(source("a"))
    sawyer.failure = KeyError("bug")
    with pytest.raises(SawyerError, match="incident"):
        queued.reindex()
    assert jobs.close()


def test_queued_progress_is_told_in_the_caller_s_thread(sawyer: GatedSawyer) -> None:
    jobs = Jobs(sawyer)
    sawyer.gate.clear()
    threads: set[int] = set()
    stages: list[str] = []

    def progress(stage: str, done: int, total: int) -> None:
        threads.add(threading.get_ident())
        stages.append(stage)
        sawyer.gate.set()

    Queued(sawyer, jobs).ingest(source("slow"), progress=progress)
    assert threads == {threading.get_ident()}
    assert stages[0] == "embedding"
    assert stages[-1] == "indexing"
    assert jobs.close()
