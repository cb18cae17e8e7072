"""A request to a chat model about a text, made again, saying what was wrong, while no reply can be used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from core.errors import UnusableReply
from core.protocols import ChatModel, Count

T = TypeVar("T")

_AGAIN = "Your last reply could not be used: {complaint}."


@dataclass(frozen=True, slots=True)
class Unusable:
    """A reply that cannot be used.

    Attributes:
        reason: by which it is counted.
        complaint: what is said of it to the model.
    """

    reason: str
    complaint: str


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """What a chat model is asked about numbered, fenced units of a text.

    Attributes:
        shown: the units as they are shown, with their ids.
        question: about them.
        form: how to reply.
        schema: of the reply, for a model that keeps one.
        max_tokens: of the reply.
        complaint: what was wrong with the last reply; blank in a first request.
    """

    system: str
    shown: str
    question: str
    form: str
    schema: Mapping[str, object]
    max_tokens: int
    complaint: str = ""

    @property
    def user(self) -> str:
        """The user's message."""
        complaint = _AGAIN.format(complaint=self.complaint) + " " if self.complaint else ""
        return f"{self.shown}\n\n{self.question} {complaint}{self.form}"

    def ask(
        self, chat: ChatModel, read: Callable[[str], T | Unusable], asks: int, *, as_json: bool, count: Count
    ) -> T | Unusable:
        """What the first usable reply says, else why the last one could not be used.

        Args:
            chat: who is asked.
            read: what a reply says.
            asks: requests at most, at least 1.
            as_json: whether the reply is held to the schema.
            count: told of ``asked``, ``asked again`` and ``reply: REASON``.
        """
        count("asked")
        request = self
        for ask in range(asks):
            if ask:
                count("asked again")
            said = request._said(chat, read, as_json, count)
            if not isinstance(said, Unusable):
                break
            count(f"reply: {said.reason}")
            request = replace(request, complaint=said.complaint)
        return said

    def _said(
        self, chat: ChatModel, read: Callable[[str], T | Unusable], as_json: bool, count: Count
    ) -> T | Unusable:
        schema = self.schema if as_json else None
        try:
            reply = chat.complete(
                self.system, self.user, max_tokens=self.max_tokens, schema=schema, count=count
            )
        except UnusableReply as error:
            return Unusable(error.reason, f"it could not be read ({error.reason})")
        return read(reply)
