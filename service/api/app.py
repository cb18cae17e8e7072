"""The HTTP application over any `Sawyer`."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from importlib.metadata import version

from fastapi import FastAPI

from chunkers.recipe import Models
from service.api import docs, errors, native
from service.api.bodies import BodyLimit
from service.api.guard import Guard, trusted_names
from service.api.parts import Parts
from service.jobs import Jobs
from service.values import Sawyer

# A form around a file, and its other fields; JSON that escapes much of its text counts as sent.
_FORM_BYTES = 1024 * 1024


def create_app(
    sawyer: Sawyer,
    jobs: Jobs,
    *,
    max_document_bytes: int,
    allowed_hosts: Iterable[str] = (),
    ready: threading.Event | None = None,
    models: Models = Models(),  # noqa: B008 - a frozen value
) -> FastAPI:
    """Native routes, health, OpenAPI at ``/docs``; everything mounted later stands behind the same guard.

    Args:
        sawyer: answers the questions.
        jobs: runs the writes, on the same `Sawyer`.
        max_document_bytes: the size limit of one document.
        allowed_hosts: names beside the loopback ones; see `service.api.guard`.
        ready: what ``/readyz`` looks at; None for an application that is ready from the start.
        models: what the chunkers behind ``/v1/chunk`` may ask.

    Raises:
        InvalidValue: an allowed host is no host name.
    """
    trusted = trusted_names(allowed_hosts)
    number = version("sawyer-rag")
    app = FastAPI(
        title="Sawyer",
        version=number,
        description="One exact, cited sentence out of long texts, or an honest no; and the passages.",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    if ready is None:
        ready = threading.Event()
        ready.set()
    app.state.parts = Parts(sawyer, jobs, number, max_document_bytes, ready, models=models)
    errors.install(app)
    docs.install(app)
    app.include_router(native.health)
    app.include_router(native.router)
    # The last one added sees a request first.
    app.add_middleware(BodyLimit, limit=max_document_bytes + _FORM_BYTES, prefix=native.PREFIX)
    app.add_middleware(errors.Incidents)
    app.add_middleware(Guard, trusted=trusted)
    return app
