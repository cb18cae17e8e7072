"""What a chat model's reply makes of a passage. Total: every string is propositions or a reason why not."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import regex

Reason = Literal["empty", "no propositions"]
# As the model is told, in a clause.
COMPLAINTS: dict[Reason, str] = {
    "empty": "it was empty",
    "no propositions": "it held no propositions in the form asked for",
}
_LONGEST = 1_000  # characters: what is longer is no proposition
_MOST = 20  # propositions a sentence; a model that goes on and on repeats itself


@dataclass(frozen=True, slots=True)
class NoPropositions:
    """A reply that cannot be used."""

    reason: Reason


@dataclass(frozen=True, slots=True)
class Stated:
    """One proposition.

    Attributes:
        ids: of the sentences that it comes from, ascending; none where the reply names none that exists.
    """

    ids: tuple[int, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Read:
    """What a reply states.

    Attributes:
        dropped: propositions left out: blank, repeated, endless, or too many.
    """

    stated: Sequence[Stated]
    dropped: int


_FENCE = regex.compile(r"```\w*\n(.*?)(?:```|\Z)", regex.S)
_IDS_GIVEN = r"\d{1,9}(?:[ \t]*(?:,|and|&|-|–)[ \t]*(?:ID[ \t]*)?\d{1,9})*"
_LINE = regex.compile(
    rf"[ \t]*(?:[-*•][ \t]*)?\W{{0,3}}(?:IDs?|S)?[ \t]*(?P<ids>{_IDS_GIVEN})\W{{0,3}}:[ \t]*(?P<text>\S.*)",
    regex.I,
)
_LISTED = regex.compile(r"[ \t]*(?:[-*•]|\d{1,4}[.)])[ \t]+(?P<text>\S.*)")
_NUMBER = regex.compile(r"\d{1,9}")
_LISTS = ("propositions", "facts", "statements", "results")
_IDS = ("ids", "id", "sentences", "sentence", "sentence_ids")
_TEXTS = ("text", "proposition", "statement", "fact")


def read_propositions(reply: str, last: int) -> Read | NoPropositions:
    """The propositions of a reply, in its order.

    Read as JSON where it is, whole, in a fence or with prose around it, else line by line as
    ``ID 3: text``, else as a list whose lines name no sentence. An empty list is an answer for a single
    sentence alone, which may state nothing (a heading, a row of stars). Takes time linear in the reply.

    Args:
        last: the last sentence's ID, at least 1.
    """
    if not reply.strip():
        return NoPropositions("empty")
    items = _json_items(reply)
    read = _checked(items or _line_items(reply), last)
    return read if read.stated or (items == [] and last == 1) else NoPropositions("no propositions")


def _checked(items: Sequence[tuple[Any, Any]], last: int) -> Read:
    stated: dict[str, Stated] = {}
    for ids, text in items:
        said = " ".join(text.split()) if isinstance(text, str) else ""
        known = said.casefold()
        if said and len(said) <= _LONGEST and known not in stated and len(stated) < _MOST * last:
            stated[known] = Stated(_existing(ids, last), said)
    return Read(list(stated.values()), len(items) - len(stated))


def _existing(ids: Any, last: int) -> tuple[int, ...]:
    """Those that name a sentence; a model may give one alone, or as text."""
    given = ids if isinstance(ids, list) else [ids]
    numbers = {int(match) for one in given[: 2 * last] for match in _NUMBER.findall(_plain(one))}
    return tuple(sorted(number for number in numbers if 1 <= number <= last))


def _plain(value: Any) -> str:
    whole = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**9
    return str(value) if whole or isinstance(value, str) else ""


def _json_items(reply: str) -> list[tuple[Any, Any]] | None:
    """(ids, text) of each element; None where there is no list."""
    candidates = [reply, *(match[1] for match in _FENCE.finditer(reply))]
    for candidate in candidates:
        for opening in "{[":
            start = candidate.find(opening)
            if start >= 0 and (found := _list(_decoded(candidate, start))) is not None:
                return [_item(element) for element in found]
    return None


def _decoded(text: str, start: int) -> Any:
    try:
        value, _ = json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError):  # not JSON, a number of thousands of digits, or nested for ever
        return None
    return value


def _list(value: Any) -> list[Any] | None:
    if isinstance(value, dict):
        value = next((value[key] for key in _LISTS if key in value), None)
    return value if isinstance(value, list) and all(isinstance(one, dict | str) for one in value) else None


def _item(element: Any) -> tuple[Any, Any]:
    if not isinstance(element, dict):
        return None, element
    ids, text = (next((element[key] for key in keys if key in element), None) for keys in (_IDS, _TEXTS))
    return ids, text


def _line_items(reply: str) -> list[tuple[str | None, str]]:
    lines = reply.splitlines()
    named: list[tuple[str | None, str]] = [
        (match["ids"], match["text"]) for match in map(_LINE.match, lines) if match
    ]
    return named or [(None, match["text"]) for match in map(_LISTED.match, lines) if match]
