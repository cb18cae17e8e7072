"""What a chat completion says, whatever a server sends in its place."""

from __future__ import annotations

import json
from dataclasses import dataclass

import regex

from core.errors import UnusableReply
from service.provider import Endpoint

_END_OF_THOUGHT = regex.compile(r"</think(?:ing)?>", regex.I)
_THOUGHT = regex.compile(r"\s*<think(?:ing)?>", regex.I)


@dataclass(frozen=True, slots=True)
class Said:
    """What a model said.

    Attributes:
        text: without what it thought aloud before.
        cut: whether it ran out of tokens before it had said anything: it was thinking until then.
    """

    text: str
    cut: bool


def said(body: str, endpoint: Endpoint) -> Said:
    """The first choice of a chat completion.

    Raises:
        UnusableReply: the body is no completion, or the model refused or said nothing.
    """
    choice = _first_choice(body, endpoint)
    message = choice.get("message")
    if not isinstance(message, dict):
        raise _unusable(endpoint, "a message", "none", reason="no message")
    if isinstance(message.get("refusal"), str) or choice.get("finish_reason") == "content_filter":
        raise _unusable(endpoint, "an answer", "a refusal", reason="refusal")
    content = _text(message.get("content"))
    text, thinking = _spoken(content or "")
    if choice.get("finish_reason") == "length" and (thinking or not text):
        return Said("", cut=True)
    if thinking:
        raise _unusable(endpoint, "an answer", "a thought that breaks off", reason="unfinished thought")
    if content is None:
        raise _unusable(endpoint, "text", "null", reason="null content")
    return Said(text, cut=False)


def unfinished(endpoint: Endpoint, tokens: int) -> UnusableReply:
    """What to raise where a model thinks on and on."""
    return _unusable(endpoint, f"an answer within {tokens} tokens", "none", reason="unfinished thought")


def _first_choice(body: str, endpoint: Endpoint) -> dict[str, object]:
    try:
        reply = json.loads(body)
    except (ValueError, RecursionError) as error:
        page = body.lstrip()[:1] == "<"
        found = "a page of HTML" if page else "something else"
        raise _unusable(endpoint, "JSON", found, reason="HTML page" if page else "not JSON") from error
    choices = reply.get("choices") if isinstance(reply, dict) else None
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise _unusable(endpoint, "a list of choices", "none", reason="no choices")
    return choices[0]


def _text(content: object) -> str | None:
    """The text of a message, which some servers send in parts."""
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else None


def _spoken(text: str) -> tuple[str, bool]:
    """What stands after the last thought, and whether a thought is still open."""
    end = 0
    for closing in _END_OF_THOUGHT.finditer(text):
        end = closing.end()
    return text[end:].strip(), end == 0 and _THOUGHT.match(text) is not None


def _unusable(endpoint: Endpoint, rule: str, found: str, *, reason: str) -> UnusableReply:
    return UnusableReply(
        f"the chat reply of {endpoint.shown} must hold {rule}, got {found}; check the base URL and that "
        "the model is a chat model",
        reason=reason,
    )
