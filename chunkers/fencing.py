"""Texts as data for a chat model: numbered, one a line, and none can pose as another or as the request.

A text is data, whoever wrote it. Each line starts with a mark that occurs in none of the texts, so that
none can open a line of its own or end the list. What looks like one of our ids, or like the tags by which
chat templates part their turns, is spelt otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

import regex

from core.identity import digest
from core.surrogates import encodable_in_place

_MARK_LETTERS = "bcdfghjkmnpqrstvwxz"  # no vowel: no word
_MARK_LENGTH = 4

_INVISIBLE = regex.compile(r"[[\p{Cc}\p{Cf}]--[\u200c\u200d]]", regex.V1)
_ID = regex.compile(r"(?<![\p{Latin}\p{Nd}])id(?=s?[\W_]{0,4}\d)", regex.I)
_TAG = regex.compile(r"<(?=[|｜/!\w])|\[(?=/?[A-Z_]{4,}\])")


def on_one_line(text: str, *, most: int) -> str:
    """The text on one line, with nothing that a reader of ids or turns could take for one.

    Args:
        text: of any length and kind.
        most: characters; of a longer text both ends are shown.
    """
    line = encodable_in_place(" ".join(text.split()))
    line = _INVISIBLE.sub("", line)
    if len(line) > most:
        line = f"{line[: most // 2]} […] {line[-most // 2 :]}"
    return str(_TAG.sub(lambda found: found.group() + " ", _ID.sub("I.D.", line)))


def mark_of(lines: Sequence[str]) -> str:
    """Letters that occur in none of the lines, always the same for the same ones."""
    text = "\n".join(lines).casefold()
    for attempt in count():  # ends: sooner or later the mark is longer than the text
        number = int(digest("mark", text, str(attempt)), 16)
        letters = []
        for _ in range(_MARK_LENGTH + attempt // 8):
            number, rest = divmod(number, len(_MARK_LETTERS))
            letters.append(_MARK_LETTERS[rest])
        mark = "".join(letters)
        if mark not in text:
            return mark
    raise AssertionError  # count() has no end


def numbered(lines: Sequence[str], mark: str) -> list[str]:
    """The lines behind mark and ID, counted from 1."""
    return [f"{mark} ID {number}: {line}" for number, line in enumerate(lines, 1)]
