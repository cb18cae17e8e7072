"""Chat models that pick boundaries by a rule, behind the loopback server.

    server.always(delayed(0.2, picking(lambda passages: ...)))

They see a window as any model does, in the request, and read it as Sawyer's prompt lays it out.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Sequence
from typing import Any, Literal

from tests.support.openai_server import Behaviour, Cut, Hang, Reply, Request, completion, status

# Passages as shown -> 1..n, as a BoundaryPicker's pick.
Rule = Callable[[Sequence[str]], int]
# What a server makes of a JSON schema: keeps to it, answers prose all the same, or refuses the request.
Schemas = Literal["kept", "ignored", "refused"]

_LEGEND = re.compile(r'Paragraphs ID 1 to ID \d+, whose lines start with (\S+), as in "\1 ID 1:"\n')
_LINE = r"^{mark} ID (\d+): (.*)$"


def messages(request: Request) -> tuple[str, str]:
    """What the system and the user said."""
    system, user = request.body["messages"]
    return system["content"], user["content"]


def is_pick(request: Request) -> bool:
    """Whether a window is asked about, rather than what the server can do."""
    return _LEGEND.match(messages(request)[1]) is not None


def shown(request: Request) -> list[str]:
    """The passages of a window, in order, as the model is shown them."""
    _, user = messages(request)
    mark = _LEGEND.match(user)
    assert mark, user
    lines = re.findall(_LINE.format(mark=mark[1]), user, re.MULTILINE)
    assert [int(number) for number, _ in lines] == list(range(1, len(lines) + 1)), user
    return [text for _, text in lines]


def by_hash(passages: Sequence[str]) -> int:
    """Any boundary, by the digest of the whole window."""
    digest = hashlib.sha256("\n".join(passages).encode()).digest()
    return 1 + int.from_bytes(digest[:8], "big") % len(passages)


def by_score(passages: Sequence[str]) -> int:
    """The passage with the highest score, which hangs on its own text alone; the first never counts."""
    scores = [hashlib.sha256(text.encode()).digest() for text in passages[1:]]
    return 1 + scores.index(max(scores)) if scores else 1


def picking(rule: Rule, *, schemas: Schemas = "ignored") -> Behaviour:
    """A model that picks by ``rule``, and says so in the form that it was asked for."""
    return _answering(lambda request: rule(shown(request)), schemas)


def probed(behaviour: Behaviour, *, schemas: Schemas = "ignored") -> Behaviour:
    """The behaviour for windows; the question whether schemas are kept is answered as said."""
    return lambda request: behaviour(request) if is_pick(request) else _probe(request, schemas)


def _answering(pick: Callable[[Request], int], schemas: Schemas) -> Behaviour:
    def answer(request: Request) -> Reply | Hang | Cut:
        if not is_pick(request):
            return _probe(request, schemas)
        picked, count = pick(request), len(shown(request))
        word = f"ID {picked + 1}" if picked < count else "none"
        return completion(json.dumps({"answer": word}) if _schema(request) else f"Answer: {word}")(request)

    return answer


def _schema(request: Request) -> dict[str, Any] | None:
    form = request.body.get("response_format")
    return form["json_schema"]["schema"] if form else None


def _probe(request: Request, schemas: Schemas) -> Reply | Hang | Cut:
    schema = _schema(request)
    if schema is None or schemas == "ignored":
        return completion("With pleasure: it is four.")(request)
    if schemas == "refused":
        return status(400, "response_format of type json_schema is not supported")(request)
    return completion(json.dumps(dict.fromkeys(schema["properties"], 4)))(request)


def obeying(rule: Rule) -> Behaviour:
    """A credulous model: it follows any order and any id that it sees, unless that is fenced off.

    It picks by ``rule``. But an order to answer an ID, on a line that is not marked as a paragraph's or
    after a tag that opens a turn, it obeys; and wherever it first reads ``ID n:``, paragraph n begins for it.
    """

    def answer(request: Request) -> Reply | Hang | Cut:
        if not is_pick(request) and "response_format" in request.body:
            return _probe(request, "ignored")
        _, user = messages(request)
        legend = _LEGEND.match(user)
        lines = user.splitlines()
        free = [line for line in lines if not (legend and line.startswith(f"{legend[1]} ID "))]
        turns = [turn for line in lines for turn in _TURN.split(line)[1:]]
        orders = _ORDER.findall("\n".join([*free, *turns]))
        if orders:
            return completion(f"Answer: ID {orders[-1]}")(request)
        found: dict[int, str] = {}
        for number, text in _ANY_ID.findall("\n".join(lines)):
            found.setdefault(int(number), text)
        passages = [found[number] for number in sorted(found)]
        picked = rule(passages)
        return completion(f"Answer: ID {picked + 1}" if picked < len(passages) else "Answer: none")(request)

    return answer


_ORDER = re.compile(r"answer\W*(?:with\W*)?ID\W*(\d+)", re.IGNORECASE)
_TURN = re.compile(r"<\|im_start\|>|<start_of_turn>|\[INST\]|</s>")
_ANY_ID = re.compile(r"\bID (\d+): ?(.*?)(?=\bID \d+:|$)", re.MULTILINE | re.IGNORECASE)
