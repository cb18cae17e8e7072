"""A fake Sawyer behind the real application on a real socket."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx

from core.errors import InvalidValue, NotFound
from service.api.app import create_app
from service.jobs import Jobs
from service.values import (
    DEFAULT_COLLECTION,
    DEFAULT_K,
    IngestReport,
    Progress,
    Retrieval,
    RetrieverName,
    Source,
)
from tests.support.fake_sawyer import FakeSawyer
from tests.support.live_server import live_server

MAX_DOCUMENT_BYTES = 1_000_000
MAX_K = 100
TALE = """# The Lighthouse

## One

The keeper painted the door green. Nobody knew why he chose that colour.

## Two

In winter the supply boat came on Thursdays. It brought oil, flour and letters.
"""


def open_gate() -> threading.Event:
    gate = threading.Event()
    gate.set()
    return gate


@dataclass
class GatedSawyer(FakeSawyer):
    """A `FakeSawyer` whose ingests wait at a gate, and which knows the rules of collections and k."""

    gate: threading.Event = field(default_factory=open_gate)
    entered: threading.Event = field(default_factory=threading.Event)
    closed: bool = False

    def ingest(
        self, source: Source, *, collection: str = DEFAULT_COLLECTION, progress: Progress | None = None
    ) -> IngestReport:
        self.entered.set()
        while not self.gate.wait(0.01):
            if progress is not None:
                progress("embedding", 1, 2)
        return super().ingest(source, collection=collection, progress=progress)

    def retrieve(
        self,
        question: str,
        *,
        k: int = DEFAULT_K,
        collection: str = DEFAULT_COLLECTION,
        retriever: RetrieverName = "hybrid",
    ) -> Retrieval:
        if k > MAX_K:
            raise InvalidValue(f"k must be in [1, {MAX_K}], got {k}")
        if collection != DEFAULT_COLLECTION and not self.documents(collection=collection):
            raise NotFound(f"there is no collection {collection!r}; ingest a document into it first")
        found = super().retrieve(question, k=k, collection=collection, retriever=retriever)
        cited = {hit.chunk.document_id for hit in found.hits}
        return Retrieval(question, list(found.hits), {key: found.titles[key] for key in cited})

    def close(self) -> None:
        self.closed = True


@dataclass(frozen=True)
class Served:
    """The parts of one running server."""

    url: str
    sawyer: GatedSawyer
    jobs: Jobs
    http: httpx.Client

    def post(
        self, path: str, body: bytes | str, kind: str = "application/json", **headers: str
    ) -> httpx.Response:
        """Send these very bytes."""
        return self.http.post(path, content=body, headers={"content-type": kind, **headers})

    def send(self, path: str, **fields: Any) -> httpx.Response:
        """Send the fields as JSON."""
        return self.http.post(path, json=fields)

    def upload(self, name: str, data: bytes, path: str = "/v1/documents?wait=true", **fields: str) -> Any:
        """Send a file as a browser does."""
        return self.http.post(path, files={"file": (name, data, "text/plain")}, data=fields)


@contextmanager
def served(**options: Any) -> Iterator[Served]:
    """A server with the tale in its default collection.

    Args:
        options: handed to `create_app`.
    """
    sawyer = GatedSawyer()
    sawyer.ingest(Source("tale.md", TALE.encode()))
    sawyer.entered.clear()
    jobs = Jobs(sawyer)
    app = create_app(sawyer, jobs, **{"max_document_bytes": MAX_DOCUMENT_BYTES, **options})
    with live_server(app) as url, httpx.Client(base_url=url, trust_env=False, timeout=20) as http:
        try:
            yield Served(url, sawyer, jobs, http)
        finally:
            sawyer.gate.set()
            jobs.close(1)


def problem_of(response: httpx.Response, status: int, code: str) -> Mapping[str, Any]:
    """The problem, after checking that it is a whole one of this status and code."""
    assert response.headers["content-type"] == "application/problem+json"
    problem: Mapping[str, Any] = response.json()
    assert (response.status_code, problem["status"], problem["code"]) == (status, status, code), problem
    assert problem["type"] in (f"/problems/{code}", "about:blank")
    assert problem["title"]
    assert problem["detail"]
    assert problem["instance"].startswith("/")
    return problem
