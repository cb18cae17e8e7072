"""Threads do what is submitted, in order, and hold up neither an error nor the end of the process."""

from __future__ import annotations

import signal
import subprocess
import sys
from threading import Event, Timer

import pytest

from chunkers.workers import Workers

INTERRUPTED = """
import os, signal, threading
from chunkers.chains import Chains, walk

def step(start):
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    threading.Event().wait()  # an endpoint that is silent for ever

walk(Chains([0, 1, 2], [1, 2], {}, {}, 2), step, 2)
"""


def test_what_is_done_is_the_futures() -> None:
    with Workers(3, "test") as workers:
        futures = [workers.submit(divmod, 100, number) for number in range(5)]
    assert [future.exception() is None for future in futures] == [False, True, True, True, True]
    assert [future.result()[0] for future in futures[1:]] == [100, 50, 33, 25]


def test_after_an_error_what_has_begun_is_done_and_the_rest_is_left() -> None:
    begun, release, done = Event(), Event(), list[int]()

    def work(number: int) -> None:
        begun.set()
        release.wait()
        done.append(number)

    def several(error: BaseException) -> None:
        with Workers(1, "test") as workers:
            for number in range(5):
                workers.submit(work, number)
            begun.wait()
            Timer(0.1, release.set).start()
            raise error

    with pytest.raises(ValueError, match="enough"):
        several(ValueError("enough"))
    assert done == [0]


def test_an_interrupt_waits_for_nobody() -> None:
    begun, never = Event(), Event()

    def work() -> None:
        begun.set()
        never.wait()

    def interrupted() -> None:
        with Workers(1, "test") as workers:
            workers.submit(work)
            begun.wait()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    never.set()


def test_a_process_that_is_interrupted_ends_though_an_endpoint_is_silent() -> None:
    ended = subprocess.run([sys.executable, "-c", INTERRUPTED], timeout=30, capture_output=True, check=False)
    assert b"KeyboardInterrupt" in ended.stderr
    assert ended.returncode in (-signal.SIGINT, 130)
