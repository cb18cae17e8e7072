"""What the routes work with, one set an application."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Annotated

from anyio import CapacityLimiter
from fastapi import Depends, Request

from chunkers.recipe import Models
from service.jobs import Jobs
from service.values import Sawyer


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of one application.

    Attributes:
        max_document_bytes: the size limit of one document.
        ready: set once questions are answered at full speed.
        deletes: how many deletes may wait at a time.
        models: what chunkers may ask.
    """

    sawyer: Sawyer
    jobs: Jobs
    version: str
    max_document_bytes: int
    ready: threading.Event = field(default_factory=threading.Event)
    deletes: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(4))
    models: Models = field(default_factory=Models)


def _parts(request: Request) -> Parts:
    parts = request.app.state.parts
    assert isinstance(parts, Parts)  # noqa: S101 - create_app put them there
    return parts


PartsOf = Annotated[Parts, Depends(_parts)]
