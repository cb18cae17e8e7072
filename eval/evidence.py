"""Where an answer stands word for word, and the sentences that hold it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from chunkers.boundaries import sentence_spans
from core.values import Span


def verbatim_spans(text: str, answer: str) -> list[Span]:
    """Every place where the answer stands, in reading order; none for a blank answer.

    Letter case, the white space between words and a full stop at the answer's end do not count.
    """
    words = answer.lower().strip().removesuffix(".").split()
    if not words:
        return []
    pattern = re.compile(r"\s+".join(map(re.escape, words)), re.IGNORECASE)
    return [Span(*match.span()) for match in pattern.finditer(text)]


def answer_sentences(text: str, sections: Sequence[Span], answer: str) -> tuple[Span, ...]:
    """Spans of the sentences of ``sections`` in which the answer stands, in reading order.

    An answer that runs over several sentences gives them all; one that stands nowhere gives none. It
    stands as in `verbatim_spans`.
    """
    return tuple(
        sentence.shifted(section.start)
        for section in sections
        for sentence in _holding(section.of(text), answer)
    )


def _holding(section: str, answer: str) -> Iterator[Span]:
    found = verbatim_spans(section, answer)
    if found:
        for sentence in sentence_spans(section):
            if any(sentence.overlap(place) for place in found):
                yield sentence
