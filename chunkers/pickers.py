"""The picker that asks a chat model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from chunkers.chat_request import Unusable
from chunkers.pick_prompt import MOST_IN_SCHEMA, PROMPT_VERSION, pick_request
from chunkers.pick_reply import COMPLAINTS, NoPick, read_reply
from core.errors import InvalidValue, UnusableReply
from core.protocols import ChatModel, Count, uncounted


@dataclass(frozen=True)
class ChatPicker:
    """A chat model names the paragraph at which the content shifts.

    One paragraph has no inner boundary and is not sent. Identified by the model's name and the prompt's
    version: what it picked for a window may be remembered under them.

    Attributes:
        asks: requests for one window at most: the first, and further ones that say what was wrong with
            the reply before. What the endpoint's own failures cost comes on top (see `ChatModel`).
    """

    chat: ChatModel = field(repr=False)
    asks: int = 3
    model: str = field(init=False)
    prompt: str = field(init=False, default=PROMPT_VERSION)

    def __post_init__(self) -> None:
        if self.asks < 1:
            raise InvalidValue(f"asks must be at least 1, got {self.asks}; say how often to ask for one pick")
        object.__setattr__(self, "model", self.chat.name)

    @property
    def name(self) -> str:
        """``chat:MODEL``."""
        return f"chat:{self.model}"

    def pick(self, passages: Sequence[str]) -> int:
        """See `BoundaryPicker`."""
        return self.pick_counted(passages, uncounted)

    def pick_counted(self, passages: Sequence[str], count: Count) -> int:
        """See `chunkers.base.CountedPicker`."""
        last = len(passages)
        if last < 2:
            return last
        as_json = self.chat.keeps_schema(count) and last <= MOST_IN_SCHEMA
        request = pick_request(passages, as_json=as_json)
        found = request.ask(
            self.chat, lambda reply: _read(reply, last), self.asks, as_json=as_json, count=count
        )
        if not isinstance(found, Unusable):
            return found
        count("no pick")
        raise UnusableReply(
            f"{self.model} must name one of the IDs 2 to {last}, or none, got a reply that does not in "
            f"{self.asks} requests (the last: {found.reason}); use another model, or say what to do about "
            "it with --on-failure keep or local",
            reason=found.reason,
        )

    def notices(self) -> Sequence[str]:
        """See `chunkers.base.CountedPicker`."""
        return self.chat.notices()


def _read(reply: str, last: int) -> int | Unusable:
    found = read_reply(reply, last)
    return Unusable(found.reason, COMPLAINTS[found.reason]) if isinstance(found, NoPick) else found
