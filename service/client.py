"""A running Sawyer over HTTP, with the same calls, values and errors as a `Pipeline` in one's own process."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Any, Self, TypeVar

import httpx
from pydantic import BaseModel, ValidationError

from core.errors import InvalidValue, NotFound, SawyerError, ServerUnreachable, error_class
from service.api.replies.documents import DeleteReply, DocumentsReply, IngestReply, JobReply, ReindexReply
from service.api.replies.passages import AnswerReply, RetrieveReply
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
    Source,
)

CONNECT_TIMEOUT = 5.0  # seconds
FIRST_POLL, LONGEST_POLL = 0.02, 0.5  # seconds between two looks at a job
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_Reply = TypeVar("_Reply", bound=BaseModel)


class Client:
    """A `service.values.Sawyer` elsewhere. Safe to share between threads; close it after use.

    An error that the server names is raised as the class of the error tree that it names.

    Args:
        url: of the server, such as ``http://127.0.0.1:7860``.
        timeout: seconds that one reply may take. A long ingest is many short requests; a delete waits
            for the write before it and is not timed.

    Raises:
        InvalidValue: ``url`` is not one of http or https.
        ServerUnreachable: from any call, when no Sawyer answers there.
    """

    def __init__(self, url: str, *, timeout: float = 60.0) -> None:
        self.url = url.rstrip("/")
        try:
            parsed = httpx.URL(self.url)
        except httpx.InvalidURL:
            parsed = httpx.URL("")
        if parsed.scheme not in ("http", "https") or not parsed.host:
            raise InvalidValue(f"a server's url must be such as http://127.0.0.1:7860, got {url!r}")
        self._timeout = httpx.Timeout(timeout, connect=CONNECT_TIMEOUT)
        self._untimed = httpx.Timeout(None, connect=CONNECT_TIMEOUT)
        self._http = httpx.Client(
            base_url=self.url,
            timeout=self._timeout,
            # A proxy of the environment knows nothing of this machine's own ports.
            trust_env=parsed.host not in _LOOPBACK,
            # The server closes idle connections after 5 seconds; let go of them before it does.
            limits=httpx.Limits(keepalive_expiry=2.0),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let the connections go."""
        self._http.close()

    def ingest(
        self,
        source: Source,
        *,
        collection: str = DEFAULT_COLLECTION,
        progress: Progress | None = None,
    ) -> IngestReport:
        """See `service.values.Sawyer.ingest`.

        Raises:
            Unavailable: the server has more waiting than it takes, or is stopping.
            TooLarge: the document is over the server's limit.
        """
        said = {
            "source": source.name,
            "collection": collection,
            "title": source.title,
            "media_type": source.media_type,
        }
        fields = {name: _unicode(name, value) for name, value in said.items() if value is not None}
        # The file name is for the form only: without one it would be a field, not a file.
        files = {"file": ("document", source.data, "application/octet-stream")}
        sent = self._call(IngestReply, "POST", "/v1/documents", data=fields, files=files)
        job = self._follow(sent.job_id, progress)
        if job.report is None:
            raise error_class(job.code)(job.detail)
        return job.report.report()

    def retrieve(
        self,
        question: str,
        *,
        k: int = DEFAULT_K,
        collection: str = DEFAULT_COLLECTION,
        retriever: RetrieverName = "hybrid",
    ) -> Retrieval:
        """See `service.values.Sawyer.retrieve`."""
        body = _question(question, k, collection, retriever)
        return self._call(RetrieveReply, "POST", "/v1/retrieve", json=body).retrieval(question)

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
        asked = _question(question, k, collection, retriever)
        body = {**asked, "selector": selector, "candidates": True}
        return self._call(AnswerReply, "POST", "/v1/answer", json=body).value(question)

    def documents(self, *, collection: str | None = None) -> list[DocumentRecord]:
        """See `service.values.Sawyer.documents`."""
        asked = {} if collection is None else {"collection": _unicode("collection", collection)}
        reply = self._call(DocumentsReply, "GET", "/v1/documents", params=asked)
        return [document.record() for document in reply.documents]

    def delete(self, document_id: str) -> DeleteReport:
        """See `service.values.Sawyer.delete`."""
        if not document_id.isalnum():  # it would be another path
            raise NotFound(f"there is no document {document_id!r}; `sawyer documents` lists them")
        reply = self._call(DeleteReply, "DELETE", f"/v1/documents/{document_id}", timeout=self._untimed)
        return reply.report()

    def reindex(self, *, collection: str | None = None, progress: Progress | None = None) -> int:
        """See `service.values.Sawyer.reindex`."""
        sent = self._call(ReindexReply, "POST", "/v1/reindex", json={"collection": collection})
        job = self._follow(sent.job_id, progress)
        if job.documents is None:
            raise error_class(job.code)(job.detail)
        return job.documents

    def _follow(self, job_id: str, progress: Progress | None) -> JobReply:
        pause, seen = FIRST_POLL, ("", 0, 0)
        while True:
            job = self._call(JobReply, "GET", f"/v1/jobs/{job_id}")
            now = (job.stage, job.done, job.total)
            if progress is not None and job.stage and now != seen:
                progress(*now)
                seen = now
            if job.state in ("done", "failed"):
                return job
            time.sleep(pause)
            pause = min(2 * pause, LONGEST_POLL)

    def _call(self, model: type[_Reply], method: str, path: str, **sent: Any) -> _Reply:
        try:
            response = self._http.request(method, path, **sent)
        except UnicodeEncodeError:
            raise InvalidValue("text sent to a server must be Unicode, got a lone surrogate") from None
        except httpx.TransportError as error:
            raise ServerUnreachable(
                f"no Sawyer server answers at {self.url} ({type(error).__name__}); "
                f"start one with `sawyer serve`, or name another with --url"
            ) from error
        if not response.is_success:
            raise self._error(response)
        try:
            return model.model_validate_json(response.content)
        except ValidationError:
            raise self._stranger(response) from None

    def _error(self, response: httpx.Response) -> SawyerError:
        """What the reply's problem+json names, as our own error."""
        try:
            body = response.json()
            code, detail = body["code"], body["detail"]
        except (ValueError, KeyError, TypeError):
            return self._stranger(response)
        return error_class(str(code))(str(detail))

    def _stranger(self, response: httpx.Response) -> ServerUnreachable:
        return ServerUnreachable(
            f"what answers at {self.url} is no Sawyer server of this version (status "
            f"{response.status_code}); name another with --url"
        )


def _question(question: str, k: int, collection: str, retriever: RetrieverName) -> dict[str, Any]:
    return {"question": question, "k": k, "collection": collection, "retriever": retriever}


def _unicode(name: str, value: str) -> str:
    """``value``, refused where it holds a lone surrogate."""
    try:
        value.encode()
    except UnicodeEncodeError:
        raise InvalidValue(f"{name} must be Unicode, got {value!a}") from None
    return value
