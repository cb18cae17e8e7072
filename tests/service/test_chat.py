"""A chat model is asked only where one is named; what its endpoint takes is found out once, and told."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from chunkers.pickers import ChatPicker
from core.errors import InvalidValue, ProviderError, ProviderRefused
from core.protocols import ChatModel
from service.chat import OpenAIChat, build_chat
from service.provider import Endpoint
from service.settings import Settings
from tests.support.answers import ANSWERS, refusing, says, thinking
from tests.support.chat_rules import by_hash, is_pick, picking, probed
from tests.support.openai_server import (
    Behaviour,
    OpenAIServer,
    Reply,
    completion,
    delayed,
    drip,
    hang,
    status,
)

KEY = "sk-secret"
WINDOW = ["It was late.", "They slept.", "The next day was bright."]


@pytest.fixture(autouse=True)
def _no_ambient_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    for name in Settings.model_fields:
        monkeypatch.delenv(f"SAWYER_{name.upper()}", raising=False)


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer() as running:
        running.always(picking(by_hash))
        yield running


def chat(server: OpenAIServer, *, timeout: float = 5, retries: int = 0) -> OpenAIChat:
    return OpenAIChat("small", Endpoint(server.base_url, KEY, timeout, retries))


def test_a_stray_key_alone_makes_no_chat_model(monkeypatch: pytest.MonkeyPatch, server: OpenAIServer) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    assert build_chat(Settings.load()) is None
    monkeypatch.setenv("SAWYER_CHAT_API_KEY", KEY)
    monkeypatch.setenv("SAWYER_CHAT_BASE_URL", server.base_url)
    assert build_chat(Settings.load()) is None
    assert not server.requests


def test_the_model_the_url_and_the_key_come_from_the_settings(
    monkeypatch: pytest.MonkeyPatch, server: OpenAIServer
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "another")
    monkeypatch.setenv("OPENAI_BASE_URL", "")
    monkeypatch.setenv("SAWYER_CHAT_MODEL", "small")
    monkeypatch.setenv("SAWYER_CHAT_BASE_URL", server.base_url)
    monkeypatch.setenv("SAWYER_CHAT_API_KEY", KEY)
    made = build_chat(Settings.load())
    assert isinstance(made, ChatModel)
    assert not server.requests
    assert made.name == "small"
    assert made.notices() == ()
    made.complete("s", "u", max_tokens=9)
    (request,) = server.requests
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.body["model"] == "small"
    assert KEY not in repr(Settings.load())


def test_a_borrowed_key_is_told(monkeypatch: pytest.MonkeyPatch, server: OpenAIServer) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    made = build_chat(Settings.load(chat_model="small", chat_base_url=server.base_url))
    assert made is not None
    (notice,) = made.notices()
    assert notice == (f"SAWYER_CHAT_API_KEY is not set: the key in OPENAI_API_KEY goes to {server.base_url}")
    made.complete("s", "u", max_tokens=9)
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


def test_a_server_of_ones_own_needs_no_key(server: OpenAIServer) -> None:
    made = build_chat(Settings.load(chat_model="small", chat_base_url=server.base_url))
    assert made is not None
    assert made.notices() == ()
    assert ChatPicker(made).pick(WINDOW) in (1, 2, 3)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "SAWYER_CHAT_MODEL=small needs an API key for https://api.openai.com/v1, got none; set SAWYER_"),
        ({"chat_base_url": "  "}, "needs an API key for https://api.openai.com/v1, got none"),
        ({"chat_base_url": "localhost:8000/v1"}, "base URL must start with http"),
        ({"chat_base_url": "http://h/v1", "chat_api_key": "a b"}, "API key must be printable"),
        ({"chat_timeout": 0}, "chat_timeout must be a number of seconds, more than 0"),
        ({"chat_timeout": float("nan")}, "chat_timeout must be"),
        ({"chat_model": ""}, "chat_model must be the name of a chat model"),
    ],
)
def test_a_chat_model_that_cannot_be_is_refused(given: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidValue, match=message):
        build_chat(Settings.load(**{"chat_model": "small", **given}))


def test_the_time_out_is_ours_and_not_the_clients_ten_minutes() -> None:
    assert Settings.load().chat_timeout == 120
    made = build_chat(Settings.load(chat_model="small", chat_base_url="http://h/v1", chat_timeout=7))
    assert isinstance(made, OpenAIChat)
    assert made.endpoint.client().timeout == 7


def test_what_is_sent_is_plain_and_steady(server: OpenAIServer) -> None:
    chat(server).complete("You are \ud800 terse.", "Hello", max_tokens=9)
    (request,) = server.requests
    assert request.path == "/v1/chat/completions"
    assert request.body == {
        "model": "small",
        "messages": [
            {"role": "system", "content": "You are \ufffd terse."},
            {"role": "user", "content": "Hello"},
        ],
        "max_tokens": 9,
        "temperature": 0,
    }


@pytest.mark.parametrize(
    ("schemas", "keeps", "notice"),
    [
        ("kept", True, "keeps to a JSON schema: it is asked for JSON"),
        ("ignored", False, "does not keep to a JSON schema: it is asked for plain text"),
        ("refused", False, "refuses JSON schemas (400): it is asked for plain text"),
    ],
)
def test_whether_schemas_are_kept_is_found_out_once_and_told(
    server: OpenAIServer, schemas: str, keeps: bool, notice: str
) -> None:
    server.always(delayed(0.05, picking(by_hash, schemas=schemas)))  # type: ignore[arg-type]
    counts: Counter[str] = Counter()
    made = chat(server)
    with ThreadPoolExecutor(8) as pool:
        picks = list(
            pool.map(
                lambda number: ChatPicker(made).pick_counted(
                    [*WINDOW, str(number)], lambda name: counts.update([name])
                ),
                range(16),
            )
        )
    assert set(picks) <= {1, 2, 3, 4}
    assert counts["probed"] == 1
    assert len([request for request in server.requests if not is_pick(request)]) == 1
    assert all(("response_format" in r.body) == keeps for r in server.requests if is_pick(r))
    assert made.notices() == (f"small at {server.base_url} {notice}",)
    assert server.most_at_once > 2


@pytest.mark.parametrize(
    "failure",
    [ANSWERS[name].behave for name in ("null content", "no choices", "HTML page", "filtered content")]
    + [completion(text) for text in ("", "[" * 9_999, '{"legs": "four"}', '{"legs": true}', "4")],
)
def test_a_server_that_fails_at_a_schema_is_asked_for_text(server: OpenAIServer, failure: Behaviour) -> None:
    server.always(lambda request: (says("Answer: ID 2") if is_pick(request) else failure)(request))
    made = chat(server)
    assert ChatPicker(made).pick(WINDOW) == 1
    assert "plain text" in made.notices()[0]


def test_a_failed_probe_says_nothing_and_is_made_again(server: OpenAIServer) -> None:
    server.script(status(503))
    made = chat(server)
    with pytest.raises(ProviderError, match="503"):
        made.keeps_schema()
    assert made.notices() == ()
    assert made.keeps_schema() is False


def test_an_endpoint_that_has_answered_nothing_is_not_asked_for_each_window_of_a_book(
    server: OpenAIServer,
) -> None:
    server.always(status(503, "out of order"))
    picker = ChatPicker(chat(server))
    for _ in range(50):
        with pytest.raises(ProviderError, match="answered 503"):
            picker.pick(WINDOW)
    assert len(server.requests) == 3


def test_those_who_wait_for_a_probe_share_its_failure(server: OpenAIServer) -> None:
    server.always(hang())
    made = chat(server, timeout=0.5)
    failed: list[str] = []

    def ask() -> None:
        with pytest.raises(ProviderError) as caught:
            made.keeps_schema()
        failed.append(str(caught.value))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    started = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(failed) == 8
    assert len(set(failed)) == 1
    assert time.monotonic() - started < 2


def test_a_wrong_key_fails_at_the_first_request(server: OpenAIServer) -> None:
    server.always(status(401, f"Incorrect API key {KEY}"))
    with pytest.raises(
        ProviderRefused, match=r"answered 401 \(Incorrect API key \*\*\*\); check the API key"
    ):
        ChatPicker(chat(server, retries=2)).pick(WINDOW)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("body", "message"),
    [  # as Gemini's endpoint answers to a wrong key, and Mistral's to a wrong model
        ([{"error": {"code": 400, "message": "API key not valid. Please pass one."}}], "check the API key"),
        ({"message": "Invalid model: small", "code": "1500"}, "check the base URL .* and the model name"),
    ],
)
def test_a_bad_request_that_blames_key_or_model_is_a_refusal_before_any_text_is_sent(
    server: OpenAIServer, body: object, message: str
) -> None:
    server.always(lambda _: Reply(body, 400))
    with pytest.raises(ProviderRefused, match=message):
        ChatPicker(chat(server, retries=2)).pick(WINDOW)
    assert len(server.requests) == 1
    assert WINDOW[0] not in str(server.requests[0].body)


def test_a_bad_request_that_blames_the_text_refuses_that_text_alone(server: OpenAIServer) -> None:
    server.always(probed(status(400, "This model's maximum context length is 512 tokens.")))
    with pytest.raises(ProviderError, match="not too long") as raised:
        ChatPicker(chat(server)).pick(WINDOW)
    assert not isinstance(raised.value, ProviderRefused)


def test_a_reply_that_comes_in_drips_and_never_ends_is_given_up(server: OpenAIServer) -> None:
    server.always(drip())
    begun = time.monotonic()
    with pytest.raises(ProviderError, match="must answer within"):
        chat(server, timeout=0.2).complete("s", "u", max_tokens=9)
    assert 0.9 < time.monotonic() - begun < 5


def test_what_an_endpoint_refuses_is_not_sent_to_it_again(server: OpenAIServer) -> None:
    limit = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
    steady = "Unsupported value: 'temperature' does not support 0."
    good = thinking(500, completion("Yes."))
    server.always(refusing("max_tokens", limit, refusing("temperature", steady, good)))
    counts: Counter[str] = Counter()
    made = chat(server)
    for _ in range(3):
        assert made.complete("s", "u", max_tokens=50, count=lambda name: counts.update([name])) == "Yes."
    assert counts == {"request reworded": 3}
    assert len(server.requests) == 3 + 3
    last = server.requests[-1].body
    assert last["max_completion_tokens"] > 500
    assert "max_tokens" not in last
    assert "temperature" not in last
    (notice,) = made.notices()
    assert "takes no temperature of 0" in notice


def test_many_threads_learn_the_same_of_an_endpoint(server: OpenAIServer) -> None:
    good = thinking(500, completion("Yes."))
    refuses = refusing("temperature", "temperature: no", good)
    server.always(delayed(0.02, refusing("max_tokens", "use max_completion_tokens", refuses)))
    made = chat(server)
    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(lambda number: made.complete("s", str(number), max_tokens=50), range(24)))
    assert replies == ["Yes."] * 24
    assert len(server.requests) <= 24 + 8 * 3
    assert len(made.notices()) == 1


def test_an_endpoint_that_refuses_everything_is_given_up(server: OpenAIServer) -> None:
    server.always(status(400, "neither max_tokens nor max_completion_tokens nor temperature, please"))
    with pytest.raises(ProviderError, match="answered 400"):
        chat(server).complete("s", "u", max_tokens=50)
    assert len(server.requests) <= 3


def test_a_long_wait_asked_for_is_waited_for_and_counted(server: OpenAIServer) -> None:
    server.always(probed(says("Answer: ID 2")))
    server.script(status(429, retry_after=1))
    counts: Counter[str] = Counter()
    asked = ChatPicker(chat(server, retries=1))
    assert asked.pick_counted(WINDOW, lambda name: counts.update([name])) == 1
    assert server.requests[1].at - server.requests[0].at >= 1
    assert counts["request made again"] == 1
