"""`sawyer serve`: one process that owns a data directory and answers over HTTP, chat page included."""

from __future__ import annotations

import importlib
import logging
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Protocol

import uvicorn
from fastapi import FastAPI

from core.errors import SawyerError
from service.api.app import create_app
from service.api.guard import trusted_names
from service.chunking import chunking_models
from service.embedding import embedder_of
from service.incidents import incident
from service.jobs import Jobs
from service.listening import listen, url_of
from service.ownership import Ownership, own
from service.pipeline import build
from service.queued import Queued
from service.sample import offer_sample
from service.settings import Settings
from service.values import Sawyer

# Seconds that a stopping server gives: to open requests, and to the running job, twice (see Jobs.close).
REQUEST_GRACE, JOB_GRACE = 3, 5.0
_LOOPBACK_PREFIXES = ("127.", "localhost", "::1")


class OpenSawyer(Sawyer, Protocol):
    """A `Sawyer` that holds stores open."""

    def close(self) -> None:
        """Let them go."""


def serve(settings: Settings, *, open_sawyer: Callable[[Settings], OpenSawyer] = build) -> None:
    """Serve until SIGINT or SIGTERM, then finish what runs and return.

    Says ``Sawyer is ready at URL`` on standard output, once questions are answered. From then on the
    other commands on this machine find the server by its data directory.

    Args:
        settings: where to listen, what to own, how to answer, whether the chat page is shown at ``/``.
        open_sawyer: what is served; the pipeline that the settings describe.

    Raises:
        DataDirectoryBusy: another server owns the data directory, or a command does for too long.
        InvalidValue: the port is taken, or a setting breaks its rule.
        SawyerError: whatever else keeps the stores or the embedder from opening.
    """
    trusted_names(settings.allowed_hosts)  # told before anything is opened
    with (
        own(settings.data_dir, server=True, wait=settings.lock_wait, notify=_say) as ownership,
        closing(listen(settings.host, settings.port)) as listening,
    ):
        url = url_of(settings.host, listening)
        sawyer = open_sawyer(settings)
        jobs = Jobs(sawyer)
        queued = Queued(sawyer, jobs)
        start = _Start(sawyer, queued, settings, ownership, url)
        try:
            _run(_application(sawyer, queued, jobs, start, settings), listening, start)
        finally:
            _stop(jobs, start, sawyer)


class _Start:
    """What happens between listening and being ready: the sample, and a first question to load the model."""

    def __init__(
        self, sawyer: OpenSawyer, writes: Sawyer, settings: Settings, ownership: Ownership, url: str
    ) -> None:
        self.ready = threading.Event()
        self._sawyer = sawyer
        self._writes = writes
        self._settings = settings
        self._ownership = ownership
        self._url = url
        self._thread = threading.Thread(target=self._prepare, name="sawyer-start", daemon=True)

    def begin(self) -> None:
        self._thread.start()

    def end(self) -> None:
        if self._thread.ident is not None:
            self._thread.join(JOB_GRACE)

    def _prepare(self) -> None:
        for step in (self._offer_sample, self._warm_up, self._announce):
            try:
                step()
            except SawyerError as error:  # an index of another embedder, say: `sawyer reindex` needs us up
                _say(str(error))
            except Exception as error:  # noqa: BLE001 - the thread's last wall
                _say(incident(error, "the start of the server"))
        host = self._settings.host
        if not host.startswith(_LOOPBACK_PREFIXES) and not self._settings.allowed_hosts:
            _say(f"listening on {host}, yet answering to loopback names only: set SAWYER_ALLOWED_HOSTS")
        print(f"Sawyer is ready at {self._url}", flush=True)  # noqa: T201 - what a person waits for

    def _offer_sample(self) -> None:
        for report in offer_sample(self._writes, self._settings.data_dir):
            if report.state == "failed":
                _say(f"the bundled sample could not be read: {report.reason}")

    def _warm_up(self) -> None:
        self._sawyer.retrieve("Is anybody there?", k=1)

    def _announce(self) -> None:
        self.ready.set()
        self._ownership.announce(self._url)


class _Server(uvicorn.Server):
    """Uvicorn that says when it has started, and leaves the ending of the process to `serve`."""

    def __init__(self, config: uvicorn.Config, started: Callable[[], None]) -> None:
        super().__init__(config)
        self._started = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._started()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        # Uvicorn's own raises the signal again, which ends the process before the stores are closed.
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {one: signal.signal(one, self.handle_exit) for one in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for one, handler in before.items():
                signal.signal(one, handler)


def _application(
    sawyer: OpenSawyer, queued: Queued, jobs: Jobs, start: _Start, settings: Settings
) -> FastAPI:
    app = create_app(
        sawyer,
        jobs,
        max_document_bytes=settings.max_upload_bytes,
        allowed_hosts=settings.allowed_hosts,
        ready=start.ready,
        models=chunking_models(settings, embedder_of(settings)),
    )
    if settings.chat:
        # The one import upwards: the page stands on the service, and only this command shows it.
        page = importlib.import_module("gradio_app")
        page.mount(app, queued, max_upload_bytes=settings.max_upload_bytes)
    return app


def _run(app: FastAPI, listening: socket.socket, start: _Start) -> None:
    # The form parser logs what a broken form looks like; its sender is told, nobody else needs to be.
    logging.getLogger("python_multipart").setLevel(logging.CRITICAL)
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=REQUEST_GRACE,
    )
    _Server(config, start.begin).run(sockets=[listening])


def _stop(jobs: Jobs, start: _Start, sawyer: OpenSawyer) -> None:
    stopped = jobs.close(JOB_GRACE)
    start.end()
    if stopped:
        sawyer.close()
        return
    # It still writes. Only the death of the process may free the lock, or the next owner meets it.
    _say("a job did not stop in time; the next start repairs what it leaves")
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)  # noqa: T201 - for the person who started the server
