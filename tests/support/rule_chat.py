"""A chat model in this process that picks boundaries by the digest of what it is sent."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.identity import digest

_LAST = re.compile(r"Paragraphs ID 1 to ID (\d+)")


class RuleChat:
    """See `core.protocols.ChatModel`; ``asked`` counts what was sent."""

    name = "rule"

    def __init__(self) -> None:
        self.asked = 0

    def keeps_schema(self, *_: object) -> bool:
        return False

    def notices(self) -> Sequence[str]:
        return ()

    def complete(self, _system: str, user: str, **_: object) -> str:
        self.asked += 1
        last = _LAST.search(user)
        assert last, user
        picked = int(digest(user), 16) % int(last[1]) + 2
        return f"Answer: ID {picked}" if picked <= int(last[1]) else "Answer: none"
