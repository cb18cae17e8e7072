"""No page elsewhere drives a loopback service: Host and Origin are checked on every route."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, MutableMapping
from typing import Any

import pytest
from fastapi import FastAPI

from core.errors import InvalidValue
from service.api.guard import Guard, trusted_names
from tests.support.live_server import live_server
from tests.support.served import Served, problem_of, served

ALLOWED = ("sawyer.example.org", "proxy.example.org:8443")


@pytest.fixture(scope="module")
def server() -> Iterator[Served]:
    with served(allowed_hosts=ALLOWED) as running:
        yield running


GOOD_HOSTS = [
    "127.0.0.1",
    "127.0.0.1:7860",
    "localhost",
    "LocalHost:1",
    "[::1]",
    "[::1]:80",
    "sawyer.example.org",
    "Sawyer.Example.Org:443",
    "proxy.example.org:8443",
]
BAD_HOSTS = [
    "evil.example",
    "evil.example:7860",
    "127.0.0.1.evil.example",
    "localhost.evil.example",
    "sawyer.example.org.evil.example",
    "xsawyer.example.org",
    "proxy.example.org",
    "proxy.example.org:8444",
    "0.0.0.0",
    "169.254.169.254",
    "127.0.0.1@evil.example",
    "evil.example#127.0.0.1",
    "evil.example/127.0.0.1",
    "localhost:port",
    "localhost:99999",
    "[::1",
    "::1",
    "",
]


@pytest.mark.parametrize("host", GOOD_HOSTS)
def test_our_own_names_are_answered_on_any_port(server: Served, host: str) -> None:
    assert server.http.get("/healthz", headers={"host": host}).status_code == 200
    origin = {"host": "127.0.0.1", "origin": f"http://{host}"}
    assert server.http.get("/healthz", headers=origin).status_code == 200


@pytest.mark.parametrize("host", BAD_HOSTS)
@pytest.mark.parametrize(
    "path", ["/healthz", "/readyz", "/docs", "/openapi.json", "/v1/documents", "/nowhere"]
)
def test_a_foreign_host_is_refused_on_every_route(server: Served, host: str, path: str) -> None:
    problem = problem_of(server.http.get(path, headers={"host": host}), 403, "refused")
    assert "SAWYER_ALLOWED_HOSTS" in problem["detail"]


@pytest.mark.parametrize(
    "origin",
    [*(f"http://{host}" for host in BAD_HOSTS), "null", "", "https://evil.example", "file://", "localhost",
     "chrome-extension://127.0.0.1", "http://localhost evil.example"],
)  # fmt: skip
def test_a_foreign_origin_is_refused_and_changes_nothing(server: Served, origin: str) -> None:
    before = server.http.get("/v1/documents").json()
    body = {"text": "Planted.", "source": "planted"}
    reply = server.http.post("/v1/documents", json=body, headers={"origin": origin})
    problem_of(reply, 403, "refused")
    assert server.http.get("/v1/documents").json() == before


def test_a_browser_s_form_from_elsewhere_is_refused(server: Served) -> None:
    reply = server.http.post(
        "/v1/documents", files={"file": ("a.txt", b"Planted.")}, headers={"origin": "http://evil.example"}
    )
    problem_of(reply, 403, "refused")


def test_no_cors_header_is_ever_sent_and_nobody_may_frame_us(server: Served) -> None:
    asked = {"origin": "http://localhost:9", "access-control-request-method": "POST"}
    for reply in (
        server.http.options("/v1/documents", headers=asked),
        server.http.get("/healthz", headers={"origin": "http://localhost:9"}),
    ):
        assert not [name for name in reply.headers if name.startswith("access-control")]
        assert reply.headers["x-frame-options"] == "SAMEORIGIN"
        assert reply.headers["x-content-type-options"] == "nosniff"


def test_what_is_mounted_stands_behind_the_same_guard() -> None:
    page = FastAPI()

    @page.get("/hello")
    def hello() -> str:
        return "hello"

    with served() as running:
        app = FastAPI()
        app.add_middleware(Guard, trusted=trusted_names())
        app.mount("/", page)
        with live_server(app) as url:
            assert running.http.get(f"{url}/hello").json() == "hello"
            reply = running.http.get(f"{url}/hello", headers={"host": "evil.example"})
            problem_of(reply, 403, "refused")


@pytest.mark.parametrize(
    "hosts", [["evil.example"], ["localhost", "evil.example"], ["localhost", "localhost"], []]
)
def test_a_request_must_carry_exactly_one_host(hosts: list[str]) -> None:
    sent = spoken("http", [(b"host", host.encode()) for host in hosts])
    assert sent[0]["status"] == 403


def test_a_foreign_websocket_is_refused_before_it_opens() -> None:
    foreign = [(b"host", b"127.0.0.1"), (b"origin", b"http://evil.example")]
    assert spoken("websocket", foreign) == [
        {"type": "websocket.close", "code": 1008, "reason": "refused"},
    ]
    own = [(b"host", b"127.0.0.1"), (b"origin", b"http://127.0.0.1:7860")]
    assert spoken("websocket", own) == [{"type": "inner"}]


def spoken(kind: str, headers: list[tuple[bytes, bytes]]) -> list[MutableMapping[str, Any]]:
    """What a guarded application sends to one connection."""
    sent: list[MutableMapping[str, Any]] = []

    async def inner(scope: Any, receive: Any, send: Any) -> None:
        sent.append({"type": "inner"})

    async def receive() -> MutableMapping[str, Any]:
        return {"type": "http.request"}

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    guard = Guard(inner, trusted=trusted_names())
    asyncio.run(guard({"type": kind, "path": "/", "headers": headers}, receive, send))
    return sent


@pytest.mark.parametrize(
    "name", ["*", "*.example.org", "http://example.org", "example.org/", "", "a b", "a:b"]
)
def test_an_allowed_host_must_be_a_name(name: str) -> None:
    with pytest.raises(InvalidValue, match="SAWYER_ALLOWED_HOSTS"):
        trusted_names([name])
