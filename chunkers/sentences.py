"""Whether a sentence ends at a full stop.

nupunkt decides from the word before the stop and the word after it. It is asked about one stop at a
time, on just these words, so that the answer at a place depends on nothing further off: a boundary can
be looked up anywhere in a text without reading the rest, CR LF and giant paragraphs make no
difference, and equal surroundings are decided once. On *Emma* and *War and Peace* this gives
nupunkt's own boundaries, save those that it puts between a closing quote and a dash
(``"It is"--said she``), which stay inside the sentence here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache

import regex

CLOSERS = r"""["')\]}”’»›*_」』】〗）》〉］]"""
# A full stop with its closing marks, before white space: perhaps the end of a sentence.
PERHAPS = rf"(?P<perhaps>[.!?…]{CLOSERS}{{0,8}}(?=\s))"
# East Asian full stops need no white space, and always end a sentence, unless a comma goes on with it.
CERTAIN = (
    rf"(?P<certain>[。！？｡]{CLOSERS}{{0,8}}"
    rf"(?=.)(?!{CLOSERS}|[。！？｡，、；：,;:…\p{{GCB=Extend}}\p{{GCB=SpacingMark}}\p{{GCB=ZWJ}}]))"
)

_REACH = 64  # characters of either word that are looked at
_WORD = regex.compile(rf"\S{{1,{_REACH}}}")
# A spaced ellipsis (". . .") is one word.
_LAST_WORD = regex.compile(rf"(?r)(?:\.\s+)+\.{CLOSERS}{{0,8}}|\S{{1,{_REACH}}}")
_FILLER = "so "  # keeps a number inside its line from being read as a list's enumerator


def ends_sentence(text: str, end: int, start: int) -> bool:
    """Whether the full stop that ends at ``end`` ends a sentence; the next word starts at ``start``."""
    before = _LAST_WORD.match(text, max(0, end - _REACH), end)
    after = _WORD.match(text, start)
    if before is None or after is None:
        return False
    first, word = before.start(), before.group()
    starts_line = first == 0 or text[first - 1] == "\n"
    if word[0] == ".":
        word = " ".join(word.split())  # a spaced ellipsis, over a line's end too
    return _parts(word, after.group(), starts_line)


@lru_cache(maxsize=1 << 16)
def _parts(before: str, after: str, starts_line: bool) -> bool:
    # Underscores are Markdown emphasis, as asterisks are; nupunkt knows the latter alone.
    context = ("" if starts_line else _FILLER) + before.replace("_", "*") + " "
    return any(start == len(context) for start, _ in _sentence_spans()(context + after))


@lru_cache(maxsize=1)
def _sentence_spans() -> Callable[[str], Iterable[tuple[int, int]]]:
    import nupunkt

    tokenize: Callable[[str], Iterable[tuple[int, int]]] = nupunkt.load("default").span_tokenize
    return tokenize
