from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
import pytest

from core.errors import InvalidValue, ProviderError
from core.protocols import Embedder
from service.embedding import build_embedder
from service.embedding.openai import OpenAIEmbedder
from service.provider import Endpoint
from tests.support.openai_server import (
    Behaviour,
    OpenAIServer,
    body,
    cut,
    embeddings,
    hang,
    html_page,
    status,
    with_vectors,
)

KEY = "sk-secret"
TEXTS = ["a whale", "a ship", "the sea", "a captain"]


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer() as running:
        yield running


def embedder(server: OpenAIServer, *, timeout: float = 5, retries: int = 2) -> OpenAIEmbedder:
    return OpenAIEmbedder("small", Endpoint(server.base_url, KEY, timeout, retries))


def test_one_unit_row_a_text_in_the_order_of_the_texts(server: OpenAIServer) -> None:
    made = embedder(server)
    expected = made.embed_passages(TEXTS)
    assert expected.shape == (4, 16)
    assert expected.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(expected, axis=1), 1, atol=1e-6)
    server.script(embeddings(reverse=True))
    np.testing.assert_array_equal(made.embed_passages(TEXTS), expected)
    np.testing.assert_array_equal(made.embed_query(TEXTS[2]), expected[2])
    assert isinstance(made, Embedder)


def test_texts_are_sent_as_strings_with_the_key_and_floats_are_asked_for(server: OpenAIServer) -> None:
    embedder(server).embed_passages(["a whale", "", "broken \ud800 half"])
    (request,) = server.requests
    assert request.path == "/v1/embeddings"
    assert request.body == {
        "model": "small",
        "input": ["a whale", " ", "broken \ufffd half"],
        "encoding_format": "float",
    }
    assert request.headers["authorization"] == f"Bearer {KEY}"


def test_many_texts_are_sent_in_batches_and_come_back_whole(server: OpenAIServer) -> None:
    texts = [f"text {number}" for number in range(150)] + ["long " * 15_000] * 3
    rows = embedder(server).embed_passages(texts)
    sizes = [len(request.body["input"]) for request in server.requests]
    assert sum(sizes) == len(texts)
    assert max(sizes) <= 64
    assert all(sum(map(len, request.body["input"])) <= 100_000 for request in server.requests)
    np.testing.assert_array_equal(rows[7], embedder(server).embed_query(texts[7]))


def test_the_dimension_is_learnt_from_the_first_reply(server: OpenAIServer) -> None:
    made = embedder(server)
    made.embed_query("a whale")
    assert made.dim == 16
    assert len(server.requests) == 1
    fresh = embedder(server)
    assert fresh.embed_passages([]).shape == (0, 16)
    assert len(server.requests) == 2


def test_another_dimension_from_some_call_on_is_an_error_that_says_reindex(server: OpenAIServer) -> None:
    made = embedder(server)
    made.embed_query("a whale")
    server.always(embeddings(dim=8))
    with pytest.raises(ProviderError, match=r"16 dimensions for small, got 8; .* sawyer reindex"):
        made.embed_passages(TEXTS)


@pytest.mark.parametrize(
    ("behaviour", "message"),
    [
        (with_vectors(lambda data: data[1].update(embedding=None)), "numbers for text 1, got NoneType"),
        (with_vectors(lambda data: data[1]["embedding"].__setitem__(0, None)), "numbers for text 1"),
        (with_vectors(lambda data: data[1]["embedding"].__setitem__(0, "0.5")), "numbers for text 1"),
        (with_vectors(lambda data: data[2].update(embedding="AAAA")), "numbers for text 2, got str"),
        (with_vectors(lambda data: data[2]["embedding"].__setitem__(3, float("nan"))), "finite"),
        (with_vectors(lambda data: data[2]["embedding"].__setitem__(3, float("inf"))), "finite"),
        (with_vectors(lambda data: data[0].update(embedding=[0.0] * 16)), "not all zero, for text 0"),
        (with_vectors(lambda data: data[3]["embedding"].pop()), "one dimension, got 15, 16"),
        (with_vectors(lambda data: data[3].update(embedding=[])), "not all zero"),
        (with_vectors(lambda data: data.pop()), "a list of 4 vectors, got 3"),
        (with_vectors(lambda data: data[1].update(index=0)), "numbers for text 1, got NoneType"),
        (body({"object": "list", "data": []}), "a list of 4 vectors, got 0"),
        (body({"object": "list"}), "a list of 4 vectors, got none"),
        (body(None), "a list of 4 vectors, got none"),
        (body([]), "a list of 4 vectors, got none"),
        (body(b'{"data": [', "application/json"), "JSON"),
        (body(b""), "JSON"),
        (body(b"\xff\xfe\x00"), "JSON"),
        (html_page(), "JSON"),
    ],
)
def test_a_reply_that_is_not_one_vector_a_text_is_a_named_error(
    server: OpenAIServer, behaviour: Behaviour, message: str
) -> None:
    server.script(behaviour)
    with pytest.raises(ProviderError, match=message):
        embedder(server).embed_passages(TEXTS)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("code", "remedy"), [(400, "model name"), (401, "check the API key"), (403, "API key"), (404, "base URL")]
)
def test_a_refusal_fails_at_once_with_the_remedy(server: OpenAIServer, code: int, remedy: str) -> None:
    server.always(status(code, f"Incorrect key {KEY}"))
    with pytest.raises(
        ProviderError, match=rf"answered {code} \(Incorrect key \*\*\*\); .*{remedy}"
    ) as caught:
        embedder(server).embed_query("a whale")
    assert len(server.requests) == 1
    assert KEY not in str(caught.value)


def test_too_many_requests_are_made_again_after_the_time_asked_for(server: OpenAIServer) -> None:
    server.script(status(429, retry_after=1))
    assert embedder(server).embed_query("a whale").shape == (16,)
    first, second = server.requests
    assert second.at - first.at >= 1


def test_a_wait_of_hours_is_not_waited_for(server: OpenAIServer) -> None:
    server.script(status(429, retry_after=7200))
    started = time.monotonic()
    with pytest.raises(ProviderError, match="answered 429"):
        embedder(server).embed_query("a whale")
    assert time.monotonic() - started < 5


@pytest.mark.parametrize(
    ("behaviour", "message"),
    [
        (status(500), r"answered 500 \(no\); try again later"),
        (html_page(502), "answered 502; try again later"),
        (cut(), "cut the connection .* in 2 attempts"),
    ],
)
def test_an_outage_is_retried_then_named(server: OpenAIServer, behaviour: Behaviour, message: str) -> None:
    server.always(behaviour)
    with pytest.raises(ProviderError, match=message):
        embedder(server, retries=1).embed_query("a whale")
    assert len(server.requests) == 2


def test_one_failure_among_many_is_survived(server: OpenAIServer) -> None:
    server.script(embeddings(), cut(), status(503))
    assert embedder(server).embed_passages(["text"] * 130).shape == (130, 16)


def test_a_silent_endpoint_is_given_up_after_the_time_out(server: OpenAIServer) -> None:
    server.always(hang())
    started = time.monotonic()
    with pytest.raises(ProviderError, match=r"within 0\.3 seconds, got nothing in 1 attempts"):
        embedder(server, timeout=0.3, retries=0).embed_query("a whale")
    assert time.monotonic() - started < 5


def test_nobody_at_the_url_is_a_named_error() -> None:
    with OpenAIServer() as gone:
        url = gone.base_url
    with pytest.raises(ProviderError, match="cannot be reached"):
        OpenAIEmbedder("small", Endpoint(url, KEY, 2, 0)).embed_query("a whale")


def test_the_environment_of_the_client_is_not_read(
    server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "")
    monkeypatch.setenv("OPENAI_API_KEY", "another")
    build_embedder("openai:small", base_url=server.base_url, api_key=KEY).embed_query("a whale")
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


def test_the_fingerprint_tells_models_and_endpoints_apart_and_asks_nobody(server: OpenAIServer) -> None:
    url = "http://127.0.0.1:9/v1"

    def fingerprint(model: str, base_url: str) -> str:
        return build_embedder(f"openai:{model}", base_url=base_url, api_key=KEY).fingerprint

    assert fingerprint("small", url) == fingerprint("small", url + "/")
    assert (
        len({fingerprint("small", url), fingerprint("large", url), fingerprint("small", server.base_url)})
        == 3
    )
    assert not server.requests


@pytest.mark.parametrize(
    ("spec", "url", "key", "message"),
    [
        ("openai:", None, KEY, "needs a model name"),
        ("openai", None, KEY, "needs a model name"),
        ("openai:small", None, None, "needs an API key, got none; set SAWYER_EMBEDDER_API_KEY"),
        ("openai:small", None, "", "needs an API key"),
        ("openai:small", None, "a\nb", "API key must be printable ASCII"),
        ("openai:small", "api.example.com", KEY, "base URL must start with http"),
        ("openai:small", "file:///etc", KEY, "base URL must start with http"),
        ("openai:small", "http://host:99999/v1", KEY, "base URL must start with http"),
        ("openai:small", "http://[::1/v1", KEY, "base URL must start with http"),
        ("openai:small", "http:// host/v1", KEY, "base URL must start with http"),
    ],
)
def test_an_endpoint_that_cannot_be_is_refused(
    spec: str, url: str | None, key: str | None, message: str
) -> None:
    with pytest.raises(InvalidValue, match=message):
        build_embedder(spec, base_url=url, api_key=key)


def test_neither_key_nor_password_is_shown() -> None:
    endpoint = Endpoint("https://me:hunter2@host:8/v1?token=x", KEY)
    assert endpoint.shown == "https://host:8/v1"
    assert Endpoint("http://[::1]:8/v1", KEY).shown == "http://[::1]:8/v1"
    assert KEY not in repr(endpoint)
