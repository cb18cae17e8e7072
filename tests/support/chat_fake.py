"""A chat model without a network."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock

from core.protocols import Count, uncounted


@dataclass(frozen=True)
class Asked:
    """One call of `FakeChat.complete`."""

    system: str
    user: str
    max_tokens: int
    schema: Mapping[str, object] | None


class FakeChat:
    """Replies by a function of the system's and the user's message; an error that it raises is raised.

    Attributes:
        asked: the calls so far.
    """

    def __init__(
        self, reply: Callable[[str, str], str], name: str = "fake", *, keeps_schema: bool = False
    ) -> None:
        self.name = name
        self.asked: list[Asked] = []
        self._reply = reply
        self._keeps_schema = keeps_schema
        self._lock = Lock()

    def keeps_schema(self, count: Count = uncounted) -> bool:  # noqa: ARG002 - nothing to count
        return self._keeps_schema

    def notices(self) -> Sequence[str]:
        return (f"{self.name} is a fake",)

    def complete(
        self,
        system: str,
        user: str,
        *,
        max_tokens: int,
        schema: Mapping[str, object] | None = None,
        count: Count = uncounted,  # noqa: ARG002 - nothing to count
    ) -> str:
        with self._lock:
            self.asked.append(Asked(system, user, max_tokens, schema))
        return self._reply(system, user)
