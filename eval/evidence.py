"""The sentences of a text that hold an answer word for word."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from chunkers.boundaries import sentence_spans
from core.values import Span


def answer_sentences(text: str, sections: Sequence[Span], answer: str) -> tuple[Span, ...]:
    """Spans of the sentences of ``sections`` in which the answer stands, in reading order.

    Letter case, the white space between words and a full stop at the answer's end do not count. An
    answer that runs over several sentences gives them all; one that stands nowhere gives none.
    """
    pattern = _pattern(answer)
    if pattern is None:
        return ()
    return tuple(
        sentence.shifted(section.start)
        for section in sections
        for sentence in _holding(section.of(text), pattern)
    )


def _pattern(answer: str) -> re.Pattern[str] | None:
    words = answer.lower().strip().removesuffix(".").split()
    return re.compile(r"\s+".join(map(re.escape, words)), re.IGNORECASE) if words else None


def _holding(section: str, pattern: re.Pattern[str]) -> Iterator[Span]:
    found = [Span(*match.span()) for match in pattern.finditer(section)]
    if found:
        for sentence in sentence_spans(section):
            if any(sentence.overlap(place) for place in found):
                yield sentence
