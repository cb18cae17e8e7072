"""Whatever is wrong with a request has a decided outcome, and it is never a traceback."""

from __future__ import annotations

import json
import logging
import socket
import time
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.errors import OUTCOMES, ProviderError, SawyerError
from tests.support.served import MAX_DOCUMENT_BYTES, Served, problem_of, served

QUESTION = "Who painted the door?"


@pytest.fixture(scope="module")
def server() -> Iterator[Served]:
    with served() as running:
        yield running


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "must be JSON"),
        (b"{", "must be JSON"),
        (b"{}}", "must be JSON"),
        (b'{"question": "a", "k": NaN}', "got NaN"),
        (b'{"question": "a", "k": -Infinity}', "got -Infinity"),
        (b'{"question": "a", "k": 1e400}', "got 1e400"),
        (b'{"question": "\\ud800"}', "lone surrogate \\ud800"),
        (b'{"question": "a", "\\udfff": 1}', "lone surrogate \\udfff"),
        (b'{"question": ["a", {"b": "\\uDC00x"}]}', "lone surrogate \\udc00"),
        (b'{"question": "\xff"}', "must be UTF-8"),
        ('{"question": "a"}'.encode("utf-16"), "must be UTF-8"),
        (b'{"question": "a", "k": 1, "k": 2}', "'k' more than once"),
        (b'{"question": [{"a": 1, "\\u0061": 2}]}', "'a' more than once"),
        (b"[" * 100_000, "nest"),
        (b'{"k": ' + b"9" * 5000 + b"}", "digits"),
    ],
)
def test_a_body_that_is_no_json_is_refused(server: Served, body: bytes, said: str) -> None:
    assert said in problem_of(server.post("/v1/retrieve", body), 422, "invalid_input")["detail"]


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({}, "#/question"),
        ({"question": 5}, "#/question"),
        ({"question": QUESTION, "k": "5"}, "#/k"),
        ({"question": QUESTION, "k": 2.5}, "#/k"),
        ({"question": QUESTION, "k": True}, "#/k"),
        ({"question": QUESTION, "limit": 5}, "#/limit"),
        ({"question": QUESTION, "a/b~": 5}, "#/a~1b~0"),
        ({"question": QUESTION, "retriever": "magic"}, "#/retriever"),
        ({"question": QUESTION, "collection": ""}, "#/collection"),
        ({"question": QUESTION, "collection": "a\u0000"}, "#/collection"),
        ({"question": QUESTION, "collection": "x" * 129}, "#/collection"),
    ],
)
def test_a_body_outside_its_schema_says_where(
    server: Served, fields: dict[str, object], pointer: str
) -> None:
    for path in ("/v1/retrieve", "/v1/answer"):
        problem = problem_of(server.send(path, **fields), 422, "invalid_value")
        assert [error["pointer"] for error in problem["errors"]] == [pointer]


@pytest.mark.parametrize("body", [[], "text", 5, None])
def test_a_body_that_is_no_object_is_refused(server: Served, body: object) -> None:
    problem_of(server.post("/v1/retrieve", json.dumps(body)), 422, "invalid_value")


def test_a_body_with_a_million_wrong_fields_is_told_about_the_first(server: Served) -> None:
    body = json.dumps({str(number): 0 for number in range(50_000)})
    problem = problem_of(server.post("/v1/retrieve", body), 422, "invalid_value")
    assert len(problem["errors"]) == 20


@pytest.mark.parametrize("kind", ["", "text/plain", "application/x-www-form-urlencoded", "application/jsonp"])
def test_another_content_type_is_415(server: Served, kind: str) -> None:
    for path in ("/v1/retrieve", "/v1/chunk", "/v1/documents"):
        problem_of(server.post(path, b'{"question": "a"}', kind), 415, "unsupported_format")


def test_a_content_type_may_carry_parameters_and_a_body_a_byte_order_mark(server: Served) -> None:
    body = b"\xef\xbb\xbf" + json.dumps({"question": QUESTION}).encode()
    assert server.post("/v1/retrieve", body, "Application/JSON; charset=utf-8").status_code == 200


@pytest.mark.parametrize("question", ["", "   \n\u3000", "x" * 50_000])
def test_a_blank_or_endless_question_is_invalid(server: Served, question: str) -> None:
    for path in ("/v1/retrieve", "/v1/answer"):
        problem_of(server.send(path, question=question), 422, "invalid_question")


@pytest.mark.parametrize("k", [0, -1, 101, 10**30])
def test_k_outside_its_rule_is_refused(server: Served, k: int) -> None:
    detail = problem_of(server.send("/v1/retrieve", question=QUESTION, k=k), 422, "invalid_value")["detail"]
    assert str(k) in detail


def test_a_collection_that_does_not_exist_is_404(server: Served) -> None:
    problem_of(server.send("/v1/retrieve", question=QUESTION, collection="nowhere"), 404, "not_found")
    assert server.http.get("/v1/documents", params={"collection": "nowhere"}).json() == {"documents": []}


@pytest.mark.parametrize(
    "fields",
    [
        {"size": 0},
        {"size": -5},
        {"size": 10, "overlap": 10},
        {"size": 10, "overlap": 11},
        {"size": 10, "overlap": -1},
        {"chunker": "guillotine"},
        {"unit": "furlongs"},
        {"colour": "green"},
    ],
)
def test_a_chunker_that_cannot_be_is_refused(server: Served, fields: dict[str, object]) -> None:
    asked = {"text": "One. Two.", "chunker": "fixed", "size": 10, **fields}
    problem_of(server.send("/v1/chunk", **asked), 422, "invalid_value")


@pytest.mark.parametrize(("method", "path"), [("GET", "/v1/nothing"), ("POST", "/v1"), ("GET", "/nothing")])
def test_an_unknown_route_is_404(server: Served, method: str, path: str) -> None:
    problem_of(server.http.request(method, path), 404, "not_found")


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("GET", "/v1/retrieve", {"POST"}),
        ("DELETE", "/v1/answer", {"POST"}),
        ("PATCH", "/v1/documents", {"GET", "POST"}),
        ("POST", "/v1/jobs/x", {"GET"}),
        ("POST", "/healthz", {"GET"}),
    ],
)
def test_another_method_is_405_and_says_which(
    server: Served, method: str, path: str, allowed: set[str]
) -> None:
    reply = server.http.request(method, path)
    problem_of(reply, 405, "method_not_allowed")
    assert set(reply.headers["allow"].split(", ")) == allowed


def test_an_unknown_query_parameter_is_refused(server: Served) -> None:
    problem = problem_of(server.http.get("/v1/documents", params={"colection": "x"}), 422, "invalid_value")
    assert problem["errors"] == [{"detail": "Extra inputs are not permitted", "parameter": "colection"}]


def test_a_declared_body_over_the_limit_is_refused_unread(server: Served) -> None:
    host, port = server.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=5) as raw:
        raw.sendall(
            b"POST /v1/documents HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
            b"content-length: 100000000000\r\n\r\n"
        )
        reply = raw.recv(65536)  # and not one byte of the body was ever sent
    assert reply.startswith(b"HTTP/1.1 413 ")
    assert b"too_large" in reply


def test_an_endless_body_is_refused_at_the_limit(server: Served) -> None:
    sent = 0

    def endless() -> Iterator[bytes]:
        nonlocal sent
        while True:
            sent += 100_000
            yield b"x" * 100_000

    reply = server.http.post("/v1/retrieve", content=endless(), headers={"content-type": "application/json"})
    problem_of(reply, 413, "too_large")
    assert sent < 100 * MAX_DOCUMENT_BYTES


def test_every_error_of_the_tree_has_its_status(server: Served) -> None:
    for kind, outcome in OUTCOMES.items():
        assert issubclass(kind, SawyerError)
        server.sawyer.failure = kind("rule, value, remedy")
        problem = problem_of(server.send("/v1/answer", question=QUESTION), outcome.status, outcome.code)
        assert problem["detail"] == "rule, value, remedy"


def test_a_narrower_error_takes_the_code_of_the_class_above(server: Served) -> None:
    class Overloaded(ProviderError):
        """A model endpoint has no time."""

    server.sawyer.failure = Overloaded("later")
    problem_of(server.send("/v1/answer", question=QUESTION), 502, "provider_error")


def test_an_error_that_nobody_foresaw_shows_a_number_and_logs_its_text(
    server: Served, caplog: pytest.LogCaptureFixture
) -> None:
    server.sawyer.failure = ZeroDivisionError("the secret of the house")
    with caplog.at_level(logging.ERROR, logger="sawyer"):
        reply = server.send("/v1/answer", question=QUESTION)
    problem = problem_of(reply, 500, "error")
    assert "secret" not in reply.text
    assert "Traceback" not in reply.text
    (record,) = caplog.records
    number = str(record.args[0]) if record.args else ""
    assert number in problem["detail"]
    assert "the secret of the house" in (caplog.text)


def test_a_sender_who_leaves_before_the_body_is_whole_is_no_incident(
    server: Served, caplog: pytest.LogCaptureFixture
) -> None:
    host, port = server.url.removeprefix("http://").split(":")
    with caplog.at_level(logging.ERROR):
        for route in ("documents", "retrieve"):
            with socket.create_connection((host, int(port)), timeout=5) as leaving:
                leaving.sendall(
                    f"POST /v1/{route} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                    "Content-Length: 1000\r\n\r\n{".encode()
                )
                time.sleep(0.1)  # until the route waits for the rest
        time.sleep(0.1)
        assert server.http.get("/healthz").status_code == 200
    assert caplog.records == []


def test_a_message_with_a_lone_surrogate_is_still_sent(server: Served) -> None:
    server.sawyer.failure = ProviderError("got \ud800")
    assert (
        problem_of(server.send("/v1/answer", question=QUESTION), 502, "provider_error")["detail"] == "got ?"
    )


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(body=st.binary(max_size=60) | st.text(alphabet='{}[]":,\\ud8kqNaI0e9 ', max_size=60).map(str.encode))
def test_no_bytes_make_the_server_fail(server: Served, body: bytes) -> None:
    for path in ("/v1/answer", "/v1/documents"):
        assert 200 <= server.post(path, body).status_code < 500


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(fields=st.dictionaries(st.sampled_from(["question", "k", "collection", "retriever", "x"]), JSON))
def test_no_json_makes_the_server_fail(server: Served, fields: dict[str, object]) -> None:
    assert 200 <= server.post("/v1/retrieve", json.dumps(fields)).status_code < 500


def test_refusals_are_quick(server: Served) -> None:
    started = time.monotonic()
    for _ in range(20):
        server.send("/v1/retrieve", question="")
    assert time.monotonic() - started < 5
