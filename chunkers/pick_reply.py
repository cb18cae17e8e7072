"""What a chat model's reply says of a window. Total: every string is a pick or a named reason why not."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Literal

import regex

Reason = Literal[
    "empty", "no ID", "several IDs", "not a whole number", "not after ID 1", "beyond the last ID"
]
# As the model is told, in a clause.
COMPLAINTS: dict[Reason, str] = {
    "empty": "it was empty",
    "no ID": "it named no ID",
    "several IDs": "it named more than one ID",
    "not a whole number": "its ID was not a whole number",
    "not after ID 1": "the shift must come after ID 1",
    "beyond the last ID": "its ID was not among those shown",
}


@dataclass(frozen=True, slots=True)
class NoPick:
    """A reply that names no boundary."""

    reason: Reason


_DIGITS = 18  # Python reads a number of thousands of digits slowly, or not at all
# Quotes, brackets, stars, fences: a reply means the same without them.
_MARKUP = regex.compile(r"[^\w\s.,:=/+−–—-]|_")
_NUMBER = r"(?P<number>[-−–+]?\d+(?P<part>[.,]\d)?)"
_MORE = r"(?P<more> ?(?:-|–|—|/|,|\bor\b|\band\b|\bto\b) ?(?:ID ?)?\d)?"
_NONE = r"(?P<none>none|null|no (?:clear )?shift)\b"
_ANSWER = regex.compile(
    rf"\banswer ?(?:[:=]|is\b) ?(?:(?:paragraph )?(?:ID ?[:=]? ?)?{_NUMBER}{_MORE}|{_NONE})?", regex.I
)
# Behind a Chinese character or a kana, which are letters too, a word begins without a space.
_MENTION = regex.compile(rf"(?<![\p{{Latin}}\p{{Nd}}])(?:IDs?|paragraph) ?[:=]? ?{_NUMBER}{_MORE}", regex.I)
_WHOLE = regex.compile(rf"[ .,:=]*(?:{_NUMBER}|{_NONE})[ .,:=]*", regex.I)


def read_reply(reply: str, last: int) -> int | NoPick:
    """The pick that a reply names: 1..n like `chunkers.base.BoundaryPicker.pick`, where n = ``last``.

    The first of these that occurs counts: an answer by that name (``Answer: ID 7``, ``{"answer": "ID 7"}``,
    in whatever prose or fence); an ID in prose; a number or "none" that is the whole reply. The same ID
    named again is one ID. Takes time linear in the reply.

    Args:
        last: the last ID shown, at least 2.
    """
    text = " ".join(_MARKUP.sub(" ", unicodedata.normalize("NFKC", reply)).split())
    if not text:
        return NoPick("empty")
    answers = list(_ANSWER.finditer(text))
    # An answer that names nothing is one all the same: an ID in the prose around it does not stand in.
    found = [answer for answer in answers if answer["number"] or answer["none"]] or answers
    found = found or list(_MENTION.finditer(text)) or _whole(text)
    read = {_read(match, last) for match in found}
    if len(read) > 1:
        return NoPick("several IDs")
    return read.pop() if read else NoPick("no ID")


def _whole(text: str) -> list[regex.Match[str]]:
    match = _WHOLE.fullmatch(text)
    return [match] if match else []


def _read(match: regex.Match[str], last: int) -> int | NoPick:
    named = match.groupdict()
    if named.get("none"):
        return last
    if not named["number"]:
        return NoPick("no ID")
    if named.get("more"):
        return NoPick("several IDs")
    if named["part"]:
        return NoPick("not a whole number")
    digits = named["number"].lstrip("+-−–")
    if len(digits) > _DIGITS:
        return NoPick("beyond the last ID")
    number = int(digits)
    if number < 2 or named["number"][0] in "-−–":
        return NoPick("not after ID 1")
    return number - 1 if number <= last else NoPick("beyond the last ID")
