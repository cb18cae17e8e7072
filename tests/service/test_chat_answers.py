"""Every class of answer, through the real client: a pick, or a named and counted failure, in few requests."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator

import pytest

from chunkers.pickers import ChatPicker
from core.errors import ProviderError, UnusableReply
from service.chat import OpenAIChat
from service.provider import Endpoint
from tests.support.answers import ANSWERS, FAILING, UNUSABLE, USABLE, Answer
from tests.support.chat_rules import Schemas, is_pick, shown
from tests.support.openai_server import OpenAIServer

WINDOW = [f"Paragraph of the window, the number {word}." for word in ("one", "two", "three", "four")]
KEY = "sk-secret"


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer() as running:
        yield running


def picker(server: OpenAIServer, *, timeout: float = 5, retries: int = 0) -> ChatPicker:
    return ChatPicker(OpenAIChat("small", Endpoint(server.base_url, KEY, timeout, retries)))


SEVERAL_REQUESTS = {
    "max_tokens refused",
    "temperature refused",
    "both refused",
    "thinks unseen before it speaks",
    "500 once",
    "429 once",
    "cut off once",
    "HTML page once",
}


def named(answers: tuple[Answer, ...]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("answer", answers, ids=lambda answer: answer.name)


def test_the_table_is_large_and_names_each_class_once() -> None:
    assert len(ANSWERS) == len(USABLE) + len(UNUSABLE) + len(FAILING) >= 40


@named(USABLE)
@pytest.mark.parametrize("schemas", ["ignored", "kept", "refused"])
def test_an_answer_that_names_a_boundary_is_that_pick(
    server: OpenAIServer, answer: Answer, schemas: Schemas
) -> None:
    assert answer.pick is not None
    server.always(answer.behaviour(schemas))
    counts: Counter[str] = Counter()
    asked = picker(server, retries=answer.retries)
    assert asked.pick_counted(WINDOW, lambda name: counts.update([name])) == answer.pick(len(WINDOW))
    windows = [request for request in server.requests if is_pick(request)]
    assert all(shown(request) == WINDOW for request in windows)
    assert counts["asked"] == counts["probed"] == 1
    again = counts["asked again"] + counts["request made again"] + counts["request reworded"]
    assert len(server.requests) == 2 + again
    assert (again > 0) == (answer.name in SEVERAL_REQUESTS)
    assert counts["no pick"] == 0


@named(UNUSABLE)
@pytest.mark.parametrize("schemas", ["ignored", "kept"])
def test_an_answer_that_names_none_is_asked_for_again_then_given_up(
    server: OpenAIServer, answer: Answer, schemas: Schemas
) -> None:
    server.always(answer.behaviour(schemas))
    counts: Counter[str] = Counter()
    started = time.monotonic()
    with pytest.raises(UnusableReply, match="--on-failure keep or local") as caught:
        picker(server).pick_counted(WINDOW, lambda name: counts.update([name]))
    assert time.monotonic() - started < 5
    assert caught.value.reason == answer.reason
    reworded = counts.pop("request reworded", 0)
    assert reworded == (answer.name == "a thought without end")
    assert counts == {"probed": 1, "asked": 1, "asked again": 2, f"reply: {answer.reason}": 3, "no pick": 1}
    assert len(server.requests) == 1 + 3 + reworded


@named(FAILING)
def test_an_endpoint_that_fails_is_named_with_the_remedy(server: OpenAIServer, answer: Answer) -> None:
    assert answer.error is not None
    server.always(answer.behaviour())
    started = time.monotonic()
    with pytest.raises(ProviderError, match=r"the endpoint http://127\.0\.0\.1:\d+/v1 .*; ") as caught:
        picker(server, timeout=0.3).pick(WINDOW)
    assert type(caught.value) is answer.error
    assert KEY not in str(caught.value)
    assert len(server.requests) == 1 + (not answer.everywhere)
    assert time.monotonic() - started < 5


def test_an_outage_is_counted_request_by_request(server: OpenAIServer) -> None:
    server.always(ANSWERS["500"].behaviour())
    counts: Counter[str] = Counter()
    with pytest.raises(ProviderError, match="answered 500"):
        picker(server, retries=2).pick_counted(WINDOW, lambda name: counts.update([name]))
    assert counts == {"probed": 1, "request made again": 2}
    assert len(server.requests) == 3


def test_nobody_at_the_url_is_an_error_that_says_so(server: OpenAIServer) -> None:
    with OpenAIServer() as gone:
        url = gone.base_url
    with pytest.raises(ProviderError, match="cannot be reached"):
        ChatPicker(OpenAIChat("small", Endpoint(url, KEY, 2, 0))).pick(WINDOW)


def test_the_complaint_about_a_reply_goes_into_the_next_request(server: OpenAIServer) -> None:
    server.always(ANSWERS["beyond the window"].behaviour())
    with pytest.raises(UnusableReply):
        picker(server).pick(WINDOW)
    first, second, third = [request.body["messages"][1]["content"] for request in server.requests[1:]]
    assert second == third
    assert "could not be used: its ID was not among those shown." in second
    assert "could not be used" not in first
    assert shown(server.requests[1]) == shown(server.requests[2]) == WINDOW
