"""A loopback server that speaks the OpenAI protocol and misbehaves on demand.

    with OpenAIServer() as server:
        server.script(status(429, retry_after=1), embeddings())
        Endpoint(server.base_url, "key")

Scripted behaviours answer one request each, in order; when they are used up, the path's normal
behaviour answers. A behaviour is a function from the request to what is done about it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from types import TracebackType
from typing import Any

from tests.support.fakes import HashEmbedder


@dataclass(frozen=True)
class Request:
    """One request as it arrived; header names in lower case, ``at`` in seconds of a monotonic clock."""

    path: str
    headers: Mapping[str, str]
    body: Any
    at: float


@dataclass(frozen=True)
class Reply:
    """An HTTP response; a ``body`` that is not bytes is sent as JSON."""

    body: Any = b""
    status: int = 200
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def payload(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


@dataclass(frozen=True)
class Hang:
    """No byte until the server closes."""


@dataclass(frozen=True)
class Cut:
    """A head that promises more than is sent, then a closed connection."""


@dataclass(frozen=True)
class Drip(Hang):
    """A reply that begins at once, goes on byte by byte and does not end before the server closes."""

    pause: float


Behaviour = Callable[[Request], Reply | Hang | Cut]


def embeddings(dim: int = 16, *, reverse: bool = False) -> Behaviour:
    """One vector a text, as asked; ``reverse`` lists them backwards, told apart by their index alone."""

    def answer(request: Request) -> Reply:
        rows = HashEmbedder(dim).embed_passages(request.body["input"]) * 3  # not of unit length
        data = [
            {"object": "embedding", "index": index, "embedding": row.tolist()}
            for index, row in enumerate(rows)
        ]
        return Reply(
            {"object": "list", "model": request.body["model"], "data": data[:: -1 if reverse else 1]}
        )

    return answer


def with_vectors(change: Callable[[list[dict[str, Any]]], object]) -> Behaviour:
    """The normal embeddings after ``change`` has edited the list of them."""

    def answer(request: Request) -> Reply:
        reply = embeddings()(request)
        assert isinstance(reply, Reply)
        change(reply.body["data"])
        return reply

    return answer


def completion(text: str, *, finish_reason: str = "stop") -> Behaviour:
    """A chat completion that says ``text``."""
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": finish_reason}
    body = {"id": "chatcmpl-1", "object": "chat.completion", "created": 0, "choices": [choice]}
    return lambda request: Reply({**body, "model": request.body["model"]})


def status(code: int, message: str = "no", *, retry_after: float | None = None) -> Behaviour:
    """An error in OpenAI's form."""
    headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
    body = {"error": {"message": message, "type": "error", "code": None}}
    return lambda _: Reply(body, code, headers=headers)


def body(content: Any, content_type: str = "application/json") -> Behaviour:
    """Status 200 with this body."""
    return lambda _: Reply(content, content_type=content_type)


def html_page(code: int = 200) -> Behaviour:
    """What a proxy or a wrong URL answers."""
    return lambda _: Reply(b"<html><b>Welcome</b></html>", code, "text/html")


def hang() -> Behaviour:
    """Accept and never answer."""
    return lambda _: Hang()


def cut() -> Behaviour:
    """Break off in the middle of a reply."""
    return lambda _: Cut()


def drip(pause: float = 0.02) -> Behaviour:
    """A blank every so many seconds, as some servers send while they work, for ever."""
    return lambda _: Drip(pause)


def delayed(seconds: float | Callable[[], float], behaviour: Behaviour) -> Behaviour:
    """The behaviour's answer, after so long; a function is asked anew for each request."""

    def answer(request: Request) -> Reply | Hang | Cut:
        time.sleep(seconds() if callable(seconds) else seconds)
        return behaviour(request)

    return answer


class _Listener(ThreadingHTTPServer):
    request_queue_size = 128  # with the usual 5, the sixth of many that come at once waits a second


class OpenAIServer:
    """``POST /v1/embeddings`` and ``POST /v1/chat/completions`` on a free port of 127.0.0.1.

    Attributes:
        requests: what has arrived, oldest first.
        normal: path -> behaviour when nothing is scripted; may be changed.
        most_at_once: how many requests were being answered at the same time, at most.
    """

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.most_at_once = 0
        self._active = 0
        self.normal: dict[str, Behaviour] = {
            "/v1/embeddings": embeddings(),
            "/v1/chat/completions": completion("Yes."),
        }
        self._script: list[Behaviour] = []
        self._lock = Lock()
        self._closing = Event()
        self._server = _Listener(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def script(self, *behaviours: Behaviour) -> None:
        """Answer the next requests so, one behaviour each."""
        with self._lock:
            self._script.extend(behaviours)

    def always(self, behaviour: Behaviour) -> None:
        """Answer every request so from now on."""
        self.normal = dict.fromkeys(self.normal, behaviour)

    def __enter__(self) -> OpenAIServer:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _answer(self, request: Request) -> Reply | Hang | Cut:
        with self._lock:
            self.requests.append(request)
            self._active += 1
            self.most_at_once = max(self.most_at_once, self._active)
            unknown = status(404, f"no such path: {request.path}")
            behaviour = self._script.pop(0) if self._script else self.normal.get(request.path, unknown)
        try:
            return behaviour(request)
        finally:
            with self._lock:
                self._active -= 1

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        outer = self

        class Handler(BaseHTTPRequestHandler):  # HTTP/1.0: one connection a request
            def do_POST(self) -> None:
                sent = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                headers = {name.lower(): value for name, value in self.headers.items()}
                request = Request(self.path, headers, json.loads(sent), time.monotonic())
                action = outer._answer(request)
                if isinstance(action, Drip):
                    self._drip(action.pause)
                elif isinstance(action, Hang):
                    outer._closing.wait()
                elif isinstance(action, Cut):
                    self._send(Reply(headers={"Content-Length": "1000"}), b'{"data": [')
                else:
                    self._send(action, action.payload)

            def _drip(self, pause: float) -> None:
                self._send(Reply(headers={"Content-Length": "1000000"}), b"")
                while not outer._closing.wait(pause):
                    try:
                        self.wfile.write(b" ")
                    except OSError:  # nobody listens any longer
                        return

            def _send(self, reply: Reply, payload: bytes) -> None:
                self.send_response(reply.status)
                headers = {"Content-Type": reply.content_type, "Content-Length": str(len(payload))}
                for name, value in {**headers, **reply.headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(payload)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base names it
                pass  # a test's output is the test's

        return Handler
