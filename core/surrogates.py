"""Text that an encoder or tokenizer can read: U+FFFD for every lone surrogate, which is no character."""

from __future__ import annotations

import regex

_SURROGATE = regex.compile(r"[\ud800-\udfff]")


def encodable(text: str) -> str:
    """With U+FFFD for every lone surrogate; the halves of a pair join, so that offsets may move."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def encodable_in_place(text: str) -> str:
    """With U+FFFD for every surrogate, one for one, halves of a pair too, so that offsets stay."""
    return text if text.isascii() else str(_SURROGATE.sub("\ufffd", text))
