"""Which golds no chunk of a method can hold, and why: what caps every figure of the method.

The reasons, in the order in which they are tried on the lower-cased gold: another way of writing the same
words inside one chunk (white space, quotes and dashes, other punctuation), then the same words across
the chunks joined, which a boundary parts, then the book's own text, which the chunks may say in other
words; what is in none of them is not in the book.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from eval.relevance import Rule, gold_of, judge
from eval.values import ChunkedBook, Query

_QUOTES = re.compile("[\"'`´‘’‚‛“”„‟«»‹›′″]+")
_DASHES = re.compile(r"\s*(?:[‐‑‒–—―−]|--+)\s*")
_PUNCTUATION = re.compile(r"[\W_]+")
_SHOWN = 60  # characters of a gold in a table


@dataclass(frozen=True, slots=True)
class Unheld:
    """A gold that no chunk holds.

    Attributes:
        why: in words, the most exact reason.
    """

    method: str
    book: str
    query: str
    gold: str
    why: str

    def as_json(self) -> dict[str, Any]:
        """The finding as plain values."""
        return {
            "chunker": self.method,
            "book": self.book,
            "query": self.query,
            "why": self.why,
            "gold": self.gold,
        }


@dataclass(frozen=True, slots=True)
class Audit:
    """One book under one method and rule: how many golds can be held, and those that can't."""

    method: str
    book: str
    rule: Rule
    questions: int
    unheld: tuple[Unheld, ...]

    @property
    def held(self) -> int:
        """Golds that some chunk holds."""
        return self.questions - len(self.unheld)

    def as_json(self) -> dict[str, Any]:
        """The audit as plain values."""
        return {
            "chunker": self.method,
            "book": self.book,
            "rule": self.rule,
            "n": self.questions,
            "held": self.held,
            "unheld": [one.as_json() for one in self.unheld],
        }


def audit(
    method: str, book: str, rule: Rule, queries: Sequence[Query], chunked: ChunkedBook, text: str | None
) -> Audit:
    """Search every chunk for every gold, as the rule has it.

    Args:
        text: the book's, where it is to be had: what tells a rewritten chunk from a gold that no book holds.
    """
    qrels = judge(rule, queries, chunked)
    missing = [query for query in queries if not qrels[query.id]]
    search = _Search(chunked, text) if missing else None
    return Audit(
        method=method,
        book=book,
        rule=rule,
        questions=len(queries),
        unheld=tuple(
            Unheld(method, book, query.id, gold_of(rule, query), _why(rule, query, chunked, search))
            for query in missing
            if search is not None
        ),
    )


def audit_lines(audits: Sequence[Audit]) -> Iterator[str]:
    """What was found, as Markdown: a line a method and book, then a table of the golds that none holds."""
    for found in audits:
        yield f"- {found.method}, {found.book}: {found.held} of {found.questions} golds held ({found.rule})"
    unheld = [one for found in audits for one in found.unheld]
    if unheld:
        yield ""
        yield "| chunker | question | why no chunk holds the gold | gold |"
        yield "| --- | --- | --- | --- |"
    for one in unheld:
        shown = " ".join(one.gold.split())
        gold = shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"
        yield f"| {one.method} | {one.query} | {one.why} | {gold.replace('|', chr(92) + '|')} |"


@dataclass(frozen=True, slots=True)
class _Writing:
    """One way of reading a text that forgets a difference in writing."""

    forgets: str
    read: Callable[[str], str]


def _white_space(text: str) -> str:
    return " ".join(text.lower().split())


def _quotes_and_dashes(text: str) -> str:
    return _white_space(_DASHES.sub("-", _QUOTES.sub("'", text)))


def _words_alone(text: str) -> str:
    return _PUNCTUATION.sub(" ", text.lower()).strip()


_WRITINGS = (
    _Writing("", str.lower),
    _Writing("white space differs", _white_space),
    _Writing("quotes or dashes differ", _quotes_and_dashes),
    _Writing("punctuation differs", _words_alone),
)


class _Search:
    """The chunks of one book, read in every way."""

    def __init__(self, chunked: ChunkedBook, text: str | None) -> None:
        self._chunks = [[writing.read(chunk) for chunk in chunked.texts] for writing in _WRITINGS]
        # Slices may part words, so that only the text itself joins them; others need not be slices.
        joined = "\n".join(chunked.texts) if text is None or chunked.spans is None else text
        self._joined = [writing.read(joined) for writing in _WRITINGS]
        self._text = [writing.read(joined if text is None else text) for writing in _WRITINGS]

    def within_a_chunk(self, gold: str) -> str | None:
        """The way of writing in which one chunk holds the gold, if any."""
        for writing, chunks in zip(_WRITINGS, self._chunks, strict=True):
            wanted = writing.read(gold)
            at = next((at for at, chunk in enumerate(chunks) if wanted in chunk), None)
            if at is not None:
                return f"{writing.forgets} (chunk {at})"
        return None

    def why(self, gold: str) -> str:
        within = self.within_a_chunk(gold)
        if within is not None:
            return within
        for writing, joined in zip(_WRITINGS, self._joined, strict=True):
            if writing.read(gold) in joined:
                also = f"; {writing.forgets}" if writing.forgets not in ("", "white space differs") else ""
                return f"straddles a boundary{also}"
        if any(writing.read(gold) in text for writing, text in zip(_WRITINGS, self._text, strict=True)):
            return "in the book, and in no chunk's words"
        return f"not in the book{self._parting(gold)}"

    def _parting(self, gold: str) -> str:
        """Where the gold leaves what the book says: how many of its words stand there, and the next ones."""
        words = _words_alone(gold).split()
        low, high = 0, len(words)  # the first low words are found
        while low < high:
            middle = (low + high + 1) // 2
            if " ".join(words[:middle]) in self._text[-1]:
                low = middle
            else:
                high = middle - 1
        rest = " ".join(words[low : low + 4])
        return f": its first {low} of {len(words)} words are, then it says “{rest}”"


def _why(rule: Rule, query: Query, chunked: ChunkedBook, search: _Search) -> str:
    if rule == "substring":
        return search.why(query.gold)
    if rule == "proposition":
        return search.within_a_chunk(gold_of(rule, query)) or "no proposition says it in these words"
    if query.span is None or chunked.spans is None:
        return "has no span"
    touched = [at for at, span in enumerate(chunked.spans) if span.overlap(query.span)]
    return f"straddles a boundary (chunks {touched[0]} to {touched[-1]})" if touched else "lies in no chunk"
