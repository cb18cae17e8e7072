"""The client gives what the Sawyer behind the server gives: the same values, the same errors."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.errors import (
    OUTCOMES,
    InvalidInput,
    InvalidValue,
    NotFound,
    SawyerError,
    ServerUnreachable,
    TooLarge,
)
from core.values import Span
from service.client import Client
from service.values import Sawyer, Source
from tests.support.served import MAX_DOCUMENT_BYTES, Served, served


@pytest.fixture(scope="module")
def server() -> Iterator[Served]:
    with served() as running:
        yield running


@pytest.fixture(scope="module")
def client(server: Served) -> Iterator[Client]:
    with Client(server.url + "/") as opened:
        yield opened


@pytest.mark.parametrize(
    "question", ["Who painted the door green?", "Which emperor had elephants?", "海上生"]
)
@pytest.mark.parametrize("k", [1, 5])
def test_questions_get_equal_answers(server: Served, client: Client, question: str, k: int) -> None:
    assert client.retrieve(question, k=k) == server.sawyer.retrieve(question, k=k)
    assert client.ask(question, k=k) == server.sawyer.ask(question, k=k)


def test_an_ingest_gives_an_equal_report_and_record(server: Served, client: Client) -> None:
    text = "# 海上 / West\n\nA 🧵 of é and e\u0301.\r\n\tTabs\u00a0too.".encode()
    source = Source("dir/海 (1).md", text, "A\tTitle", "text/markdown")
    report = client.ingest(source, collection="étagère")
    assert report.state == "ready"
    assert report.document == server.sawyer.records[report.document.id]
    assert client.ingest(source, collection="étagère").state == "unchanged"
    assert client.documents() == server.sawyer.documents()
    assert client.documents(collection="étagère") == [report.document]
    hit = client.retrieve("What is e?", k=1, collection="étagère").hits[0]
    assert hit.chunk.text == Span(hit.chunk.span.start, hit.chunk.span.end).of(text.decode())
    assert hit.chunk.chapter == ("海上 / West",)


def test_notices_and_failures_travel_in_the_report(client: Client) -> None:
    guessed = client.ingest(Source("old.txt", "na\xefve".encode("cp1252")))
    assert [notice.code for notice in guessed.notices] == ["encoding_guess"]
    failed = client.ingest(Source("blank.txt", b" "))
    assert (failed.state, failed.error_code, failed.document.state) == ("failed", "empty_document", "failed")
    assert failed.reason


def test_delete_and_reindex(server: Served, client: Client) -> None:
    made = client.ingest(Source("gone.txt", b"Soon gone.")).document.id
    assert client.delete(made).state == "purged"
    assert made not in server.sawyer.records
    assert client.reindex() == len(server.sawyer.records)
    assert client.reindex(collection="nothing") == 0


def test_progress_is_told(client: Client) -> None:
    seen: list[tuple[str, int, int]] = []
    client.ingest(Source("p.txt", b"Some text."), progress=lambda *step: seen.append(step))
    assert seen[-1] == ("indexing", 1, 1)


CALLS: dict[str, Callable[[Sawyer], object]] = {
    "blank question": lambda sawyer: sawyer.ask(" "),
    "endless question": lambda sawyer: sawyer.ask("x" * 50_000),
    "k of 0": lambda sawyer: sawyer.retrieve("door", k=0),
    "k over the limit": lambda sawyer: sawyer.retrieve("door", k=10_000),
    "unknown collection": lambda sawyer: sawyer.ask("door", collection="nowhere"),
    "unknown document": lambda sawyer: sawyer.delete("0" * 32),
}


@pytest.mark.parametrize("name", CALLS)
def test_the_same_call_raises_the_same_error(server: Served, client: Client, name: str) -> None:
    with pytest.raises(SawyerError) as direct:
        CALLS[name](server.sawyer)
    with pytest.raises(SawyerError) as remote:
        CALLS[name](client)
    assert type(remote.value) is type(direct.value)
    assert str(remote.value) == str(direct.value)


@pytest.mark.parametrize("kind", OUTCOMES, ids=lambda kind: kind.__name__)
def test_every_error_of_the_tree_comes_back_as_itself(
    server: Served, client: Client, kind: type[SawyerError]
) -> None:
    server.sawyer.failure = kind("rule, value, remedy")
    with pytest.raises(SawyerError, match=r"^rule, value, remedy$") as raised:
        client.documents()
    assert type(raised.value) is kind


def test_an_ingest_that_raises_there_raises_here(server: Served, client: Client) -> None:
    server.sawyer.failure = NotFound("no embedder")
    with pytest.raises(NotFound, match="no embedder"):
        client.ingest(Source("x.txt", b"text"))


@pytest.mark.parametrize("size", [MAX_DOCUMENT_BYTES + 1, 40 * MAX_DOCUMENT_BYTES])
def test_a_document_over_the_limit_is_too_large(client: Client, size: int) -> None:
    for _ in range(5):  # the server may close the connection while the body is still being sent
        with pytest.raises(TooLarge):
            client.ingest(Source("big.txt", b"x" * size))


@pytest.mark.parametrize("surrogate", ["\ud800", "a\udcffb"])
def test_text_that_is_no_unicode_is_refused_here(client: Client, surrogate: str) -> None:
    for call in (
        lambda: client.ask(surrogate),
        lambda: client.ask("door", collection=surrogate),
        lambda: client.documents(collection=surrogate),
        lambda: client.ingest(Source(surrogate, b"text")),
        lambda: client.ingest(Source("x", b"text", title=surrogate)),
    ):
        with pytest.raises(InvalidInput):
            call()


@pytest.mark.parametrize("name", ["", "../documents", "a/b", "a?b", "x y"])
def test_an_id_that_is_none_reaches_no_other_route(client: Client, name: str) -> None:
    with pytest.raises(NotFound):
        client.delete(name)


def test_where_nothing_listens_the_server_is_unreachable() -> None:
    with socket.create_server(("127.0.0.1", 0)) as reserved:
        port = reserved.getsockname()[1]
    with Client(f"http://127.0.0.1:{port}") as client, pytest.raises(ServerUnreachable, match="sawyer serve"):
        client.ask("door")


def test_a_server_that_does_not_answer_in_time_is_unreachable() -> None:
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        url = f"http://127.0.0.1:{deaf.getsockname()[1]}"
        with Client(url, timeout=0.2) as client, pytest.raises(ServerUnreachable):
            client.ask("door")


@pytest.mark.parametrize(("status", "body"), [(200, b"<html>"), (200, b"{}"), (404, b"[]"), (500, b"oops")])
def test_a_server_of_another_kind_is_unreachable(status: int, body: bytes) -> None:
    class Stranger(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            self.send_response(status)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *told: object) -> None:
            """Say nothing."""

    with HTTPServer(("127.0.0.1", 0), Stranger) as stranger:
        thread = threading.Thread(target=stranger.serve_forever, daemon=True)
        thread.start()
        try:
            url = f"http://127.0.0.1:{stranger.server_address[1]}"
            with Client(url) as client, pytest.raises(ServerUnreachable, match="no Sawyer server"):
                client.ask("door")
        finally:
            stranger.shutdown()
            thread.join(5)


@pytest.mark.parametrize("url", ["", "127.0.0.1:7860", "ftp://host", "http://", "file:///etc", "http://[::1"])
def test_a_url_must_be_one_of_http(url: str) -> None:
    with pytest.raises(InvalidValue, match="http://127"):
        Client(url)


def test_proxies_of_the_environment_are_not_asked_about_this_machine(
    server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")
    with Client(server.url) as client:
        assert client.documents() == server.sawyer.documents()


def test_many_threads_share_one_client(server: Served, client: Client) -> None:
    expected = server.sawyer.ask("Who painted the door green?")
    results: list[object] = []

    def work() -> None:
        results.extend(client.ask("Who painted the door green?") for _ in range(5))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 40
    assert all(result == expected for result in results)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    text=st.text(st.characters(codec="utf-8"), min_size=1, max_size=200).filter(str.strip),
    name=st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=30).filter(
        str.strip
    ),
)
def test_any_text_under_any_name_arrives_unchanged(
    server: Served, client: Client, text: str, name: str
) -> None:
    report = client.ingest(Source(name, text.encode()), collection="any")
    assert report.document == server.sawyer.records[report.document.id]
    assert report.document.source == name
    client.delete(report.document.id)
