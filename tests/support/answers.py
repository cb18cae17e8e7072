"""What chat models and the servers in front of them answer, class by class, and what is to become of it.

    server.always(ANSWERS["several IDs"].behaviour())

In a window of n paragraphs an answer ends in a pick, in an `UnusableReply` of a named reason after all
tries, or in an error of the endpoint.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Any

from core.errors import ProviderError, ProviderRefused, UnusableReply
from tests.support.chat_rules import Schemas, probed, shown
from tests.support.openai_server import (
    Behaviour,
    Cut,
    Hang,
    Reply,
    Request,
    body,
    completion,
    cut,
    hang,
    html_page,
    status,
)


@dataclass(frozen=True)
class Answer:
    """One class of answers.

    Attributes:
        behave: how a window is answered, each time.
        pick: n -> the pick that follows, where one does.
        error: what is raised where none does, and no subclass of it.
        reason: of an `UnusableReply`.
        everywhere: whether the question what the server can do is answered so too.
        at_first: how each request is answered the first time that it comes.
        retries: requests that have to be made again, at least, for the pick to be had.
    """

    name: str
    behave: Behaviour
    pick: Callable[[int], int] | None = None
    error: type[ProviderError] | None = None
    reason: str = ""
    everywhere: bool = False
    at_first: Behaviour | None = None
    retries: int = 0

    def behaviour(self, schemas: Schemas = "ignored") -> Behaviour:
        """How one server is to answer."""
        behave = failing_once(self.at_first, self.behave) if self.at_first else self.behave
        return behave if self.everywhere else probed(behave, schemas=schemas)


def says(text: Any, *, finish_reason: str = "stop") -> Behaviour:
    """A completion; LAST and BEYOND in its text stand for the last ID shown and the one after it."""

    def answer(request: Request) -> Reply | Hang | Cut:
        if not isinstance(text, str):
            return completion(text, finish_reason=finish_reason)(request)
        last = len(shown(request))
        filled = text.replace("LAST", str(last)).replace("BEYOND", str(last + 1))
        return completion(filled, finish_reason=finish_reason)(request)

    return answer


def message(finish_reason: str = "stop", **fields: Any) -> Behaviour:
    """A completion with this message."""
    choice = {"index": 0, "message": {"role": "assistant", **fields}, "finish_reason": finish_reason}
    return body({"object": "chat.completion", "choices": [choice]})


def refusing(parameter: str, complaint: str, behaviour: Behaviour) -> Behaviour:
    """A server that refuses every request with this parameter."""

    def answer(request: Request) -> Reply | Hang | Cut:
        return status(400, complaint)(request) if parameter in request.body else behaviour(request)

    return answer


def thinking(tokens: int, behaviour: Behaviour) -> Behaviour:
    """A model that thinks, unseen, for so many tokens before it speaks."""

    def answer(request: Request) -> Reply | Hang | Cut:
        room = request.body.get("max_tokens") or request.body["max_completion_tokens"]
        return (behaviour if room > tokens else completion("", finish_reason="length"))(request)

    return answer


def failing_once(failure: Behaviour, then: Behaviour) -> Behaviour:
    """Each request fails once."""
    seen: set[str] = set()
    lock = Lock()

    def answer(request: Request) -> Reply | Hang | Cut:
        key = str(request.body["messages"])
        with lock:
            new = key not in seen
            seen.add(key)
        return (failure if new else then)(request)

    return answer


def _second(_: int) -> int:
    return 1


def _none(count: int) -> int:
    return count


def _picks(name: str, text: Any, pick: Callable[[int], int] = _second, finish: str = "stop") -> Answer:
    return Answer(name, says(text, finish_reason=finish), pick)


def _unusable(name: str, reason: str, behave: Behaviour | str) -> Answer:
    behave = says(behave) if isinstance(behave, str) else behave
    return Answer(name, behave, error=UnusableReply, reason=reason)


def _fails(name: str, behave: Behaviour, error: type[ProviderError] = ProviderError) -> Answer:
    return Answer(name, behave, error=error, everywhere=True)


_GOOD = says("Answer: ID 2")
_MAX_TOKENS = "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead."
_TEMPERATURE = "Unsupported value: 'temperature' does not support 0 with this model."
_THOUGHT = "<think>\nID 3? No, ID 4.\n</think>\n\n"
_MISUSED = "{'tool': 'cut'}"

USABLE = (
    _picks("the asked form", "Answer: ID 2"),
    _picks("no shift", "Answer: none", _none),
    _picks("the last ID", "Answer: ID LAST", lambda count: count - 1),
    _picks("an ID alone", "ID 2"),
    _picks("a number alone", " 2\r\n"),
    _picks("none alone", "None.", _none),
    _picks("Markdown", "**Answer:** `ID 2`."),
    _picks("JSON", '{"answer": "ID 2"}'),
    _picks("JSON none", '{"answer": "none"}', _none),
    _picks("JSON null", '{"answer": null}', _none),
    _picks("JSON number", '{"answer": 2}'),
    _picks("JSON of another key", '{"id": 2}'),
    _picks("fenced JSON", '```json\n{\n  "answer": "ID 2"\n}\n```'),
    _picks("JSON in prose", 'Sure! {"answer": "ID 2"} is my answer, after ID 1.'),
    _picks("prose around", "The scene moves to the sea at ID 2, where they meet."),
    _picks("reasons first", "ID 3 goes on with ID 2.\n\nAnswer: ID 2"),
    _picks("the same ID twice", "Answer: ID 2\nAnswer: ID 2"),
    _picks("leading zeros", "Answer: ID 0002"),
    _picks("full-width forms", "Answer：ＩＤ ２"),
    _picks("a thought before", _THOUGHT + "Answer: ID 2"),
    _picks("a thought without its beginning", "ID 3? No.</think>Answer: ID 2"),
    _picks("content in parts", [{"type": "text", "text": "Answer: "}, {"type": "text", "text": "ID 2"}]),
    _picks("cut after the answer", "Answer: ID 2. For in this para", finish="length"),
    Answer("max_tokens refused", refusing("max_tokens", _MAX_TOKENS, _GOOD), _second),
    Answer("temperature refused", refusing("temperature", _TEMPERATURE, _GOOD), _second),
    Answer(
        "both refused",
        refusing("max_tokens", _MAX_TOKENS, refusing("temperature", _TEMPERATURE, _GOOD)),
        _second,
    ),
    Answer("thinks unseen before it speaks", thinking(1_000, _GOOD), _second),
    Answer("500 once", _GOOD, _second, at_first=status(500), retries=1),
    Answer("429 once", _GOOD, _second, at_first=status(429, retry_after=0.1), retries=1),
    Answer("cut off once", _GOOD, _second, at_first=cut(), retries=1),
    Answer("HTML page once", _GOOD, _second, at_first=html_page()),
)
UNUSABLE = (
    _unusable("two IDs", "several IDs", "Either ID 2 or the one after it, ID 3."),
    _unusable("two answers", "several IDs", "Answer: ID 2\nAnswer: none"),
    _unusable("a range", "several IDs", "Answer: ID 2-3"),
    _unusable("all IDs", "several IDs", "ID 1, ID 2, ID 3 and so on"),
    _unusable("beyond the window", "beyond the last ID", "Answer: ID BEYOND"),
    _unusable("far beyond the window", "beyond the last ID", "Answer: ID 99999999999999999999"),
    _unusable("digits without end", "beyond the last ID", "9" * 100_000),
    _unusable("the first ID", "not after ID 1", "Answer: ID 1"),
    _unusable("zero", "not after ID 1", "Answer: ID 0"),
    _unusable("backward", "not after ID 1", "Answer: ID -3"),
    _unusable("a fraction", "not a whole number", "Answer: ID 2.5"),
    _unusable("XXXX", "no ID", "Answer: ID XXXX"),
    _unusable("a number in words", "no ID", "Answer: ID two"),
    _unusable("prose without an ID", "no ID", "It was a dark and stormy night."),
    _unusable("a refusal in prose", "no ID", "I'm sorry, but I can't help with that."),
    _unusable("a tool call in prose", "no ID", _MISUSED),
    _unusable("broken JSON", "no ID", '{"answer": '),
    _unusable("deep JSON", "empty", "[" * 50_000),
    _unusable("an empty reply", "empty", ""),
    _unusable("blanks", "empty", " \n\t\n"),
    _unusable("a thought and no more", "empty", _THOUGHT),
    _unusable("a thought that breaks off", "unfinished thought", "<think>Perhaps ID 2"),
    _unusable("a thought without end", "unfinished thought", thinking(10**9, _GOOD)),
    _unusable("null content", "null content", message(content=None)),
    _unusable("content of another type", "null content", message(content=2)),
    _unusable("a tool call", "null content", message("tool_calls", content=None, tool_calls=[])),
    _unusable("a refusal", "refusal", message(content=None, refusal="I can't help with that.")),
    _unusable("filtered content", "refusal", message("content_filter", content="")),
    _unusable("no message", "no message", body({"choices": [{"index": 0, "finish_reason": "stop"}]})),
    _unusable("no choices", "no choices", body({"object": "chat.completion", "choices": []})),
    _unusable("choices of another type", "no choices", body({"choices": ["Answer: ID 2"]})),
    _unusable("an error with status 200", "no choices", body({"error": {"message": "overloaded"}})),
    _unusable("null", "no choices", body(None)),
    _unusable("a list", "no choices", body([])),
    _unusable("half of a JSON body", "not JSON", body(b'{"choices": [')),
    _unusable("no body", "not JSON", body(b"")),
    _unusable("bytes", "not JSON", body(b"\xff\xfe\x00")),
    _unusable("HTML page", "HTML page", html_page()),
)
FAILING = (
    _fails("500", status(500)),
    _fails("HTML page with 502", html_page(502)),
    _fails("429", status(429)),
    _fails("429, to come back at once", status(429, retry_after=0.1)),
    _fails("429, to come back in hours", status(429, retry_after=7200)),
    _fails("cut off", cut()),
    _fails("hangs", hang()),
    Answer("400, too long", status(400, "the context is too long"), error=ProviderError),
    _fails("wrong key", status(401, "Incorrect API key"), ProviderRefused),
    _fails("no credit", status(402, "Insufficient balance"), ProviderRefused),
    _fails("key without the model", status(403, "not allowed"), ProviderRefused),
    _fails("unknown model or path", status(404, "model not found"), ProviderRefused),
)
ANSWERS = {answer.name: answer for answer in (*USABLE, *UNUSABLE, *FAILING)}
