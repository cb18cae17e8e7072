"""Sawyer's own routes, under ``/v1``, and the two that say how the server is."""

from __future__ import annotations

import asyncio
from typing import Annotated

from anyio import to_thread
from fastapi import APIRouter, Query, Request, Response
from starlette.exceptions import HTTPException
from starlette.routing import Match, Route

import chunkers
from chunkers.base import chunks_of, cut
from chunkers.limits import Limits
from core.errors import NotFound, Unavailable, error_class
from core.identity import content_digest, document_id
from core.values import Document
from service.api.bodies import StrictRoute
from service.api.errors import PROBLEM_RESPONSES, Problem
from service.api.parts import PartsOf
from service.api.replies.documents import (
    DeleteReply,
    DocumentReply,
    DocumentsReply,
    HealthReply,
    IngestReply,
    JobReply,
    NoticeReply,
    ReindexReply,
)
from service.api.replies.passages import AnswerReply, ChunkReply, ChunksReply, RetrieveReply
from service.api.requests import (
    AnswerRequest,
    ChunkRequest,
    CollectionQuery,
    IngestQuery,
    ReindexRequest,
    RetrieveRequest,
)
from service.api.uploads import OPENAPI, read_document
from service.jobs import Job

PREFIX = "/v1"
router = APIRouter(prefix=PREFIX, route_class=StrictRoute, responses=PROBLEM_RESPONSES, tags=["sawyer"])
health = APIRouter(tags=["health"])


@router.post("/retrieve")
def retrieve(asked: RetrieveRequest, parts: PartsOf) -> RetrieveReply:
    """The k best passages for a question."""
    found = parts.sawyer.retrieve(
        asked.question, k=asked.k, collection=asked.collection, retriever=asked.retriever
    )
    return RetrieveReply.of(found)


@router.post("/answer")
def answer(asked: AnswerRequest, parts: PartsOf) -> AnswerReply:
    """One exact sentence, cited, or null and why; with the passages that were looked through."""
    found = parts.sawyer.ask(
        asked.question,
        k=asked.k,
        collection=asked.collection,
        retriever=asked.retriever,
        selector=asked.selector,
    )
    return AnswerReply.of_answer(found, candidates=asked.candidates)


@router.post("/chunk")
def chunk(asked: ChunkRequest, parts: PartsOf) -> ChunksReply:
    """Cut a text, with the models that the server was set up with; no text is stored."""
    chunker = chunkers.build(
        asked.chunker,
        size=asked.size,
        unit=asked.unit,
        overlap=asked.overlap,
        limits=Limits(asked.least, asked.soft, asked.hard),
        models=parts.models,
    )
    content = content_digest(asked.text.encode())
    document = Document(document_id("", content), asked.text)
    made = cut(asked.text, chunker)
    chunks = chunks_of(document, chunker, made.spans, content_digest=content)
    replies = ChunkReply.all_of(chunks, made)
    return ChunksReply(chunks=replies, notices=list(made.notices), counts=dict(made.counts))


@router.post("/documents", status_code=202, openapi_extra=OPENAPI, responses={200: {"model": IngestReply}})
async def ingest(
    request: Request, response: Response, asked: Annotated[IngestQuery, Query()], parts: PartsOf
) -> IngestReply:
    """Make a document retrievable: 202 at once, or with ``wait=true`` the end, as 200 or as a problem."""
    source, collection = await read_document(request, max_bytes=parts.max_document_bytes)
    job = parts.jobs.ingest(source, collection=collection)
    document = document_id(collection, source.name)
    if not asked.wait:
        return IngestReply(document_id=document, job_id=job.id, state="pending")
    ended = await asyncio.wrap_future(parts.jobs.end(job.id))
    report = ended.report
    if report is None or report.state == "failed":
        raise _failure(ended)
    response.status_code = 200
    notices = [NoticeReply(code=notice.code, detail=notice.detail) for notice in report.notices]
    return IngestReply(document_id=document, job_id=job.id, state=report.state, notices=notices)


@router.get("/documents")
def documents(asked: Annotated[CollectionQuery, Query()], parts: PartsOf) -> DocumentsReply:
    """Documents of one collection, or of all, by collection and source."""
    records = parts.sawyer.documents(collection=asked.collection)
    return DocumentsReply(documents=[DocumentReply.of(record) for record in records])


@router.delete("/documents/{document_id}")
async def delete(document_id: str, parts: PartsOf) -> DeleteReply:
    """Hide a document at once, then take it off the disk."""
    # A delete may wait for a long write; many of them must not use up the threads that answer questions.
    report = await to_thread.run_sync(parts.sawyer.delete, document_id, limiter=parts.deletes)
    return DeleteReply.of(report)


@router.post("/reindex", status_code=202)
async def reindex(asked: ReindexRequest, parts: PartsOf) -> ReindexReply:
    """Chunk and embed the stored texts anew, with the server's present settings."""
    job = parts.jobs.reindex(collection=asked.collection)
    return ReindexReply(job_id=job.id, state=job.state)


@router.get("/jobs/{job_id}")
async def job(job_id: str, parts: PartsOf) -> JobReply:
    """How far a job is, or how it ended."""
    return JobReply.of(parts.jobs.get(job_id))


@health.get("/healthz")
async def healthz(parts: PartsOf) -> HealthReply:
    """The process is alive."""
    return HealthReply(status="ok", version=parts.version)


@health.get("/readyz", responses={503: PROBLEM_RESPONSES["5XX"]})
async def readyz(parts: PartsOf) -> HealthReply:
    """Questions are answered; 503 until then."""
    if not parts.ready.is_set():
        raise Unavailable("the server is still starting; ask again in a moment")
    return HealthReply(status="ready", version=parts.version)


# Last, so that it takes what no route took: a chat page mounted at / would answer in a form of its own.
@router.api_route(
    "/{rest:path}",
    methods=["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"],
    include_in_schema=False,
)
async def unknown(request: Request) -> Response:
    """No such route: 404; a route that exists for other methods: 405."""
    routes = [route for route in router.routes if isinstance(route, Route)]
    partial = [route for route in routes if route.matches(request.scope)[0] is Match.PARTIAL]
    if not partial:
        raise NotFound(f"there is no route {request.method} {request.scope['path']}; /docs lists them")
    allowed = ", ".join(sorted({method for route in partial for method in route.methods or ()}))
    raise HTTPException(405, f"{request.method} must be one of {allowed} here", {"allow": allowed})


def _failure(job: Job) -> Problem:
    error = error_class(job.code)(job.detail)
    return Problem(error, {"document_id": job.document_id, "job_id": job.id})
