"""What of a sentence does not depend on what is asked, read once and remembered.

The sentences of a book are asked about again and again, and taking one apart costs several times what
comparing it with a question does.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from answering.cues import CUES, Told, shown
from core.text import STOP_WORDS, stems, words

# About 6 kB each: several books' chapters, 25 MB at most.
SENTENCES_KEPT = 4096
PREFIX = 3  # the letters that words must share to be told apart no further by `ReadSentence.prefixes`

_PACKED = struct.Struct(f"{len(CUES)}d")


@dataclass(frozen=True, slots=True)
class ReadSentence:
    """A sentence taken apart.

    Attributes:
        terms: all, in order.
        where: each term's places, in the order of their first ones.
        held: the terms.
        prefixes: the terms that begin with the same `PREFIX` letters, by these.
        content: how many of the held terms are no stop words.
        solid: (terms + 1,) how many terms before each place are no stop words.
        words: the words that carry content, each once; all where none does.
        cues: (len(CUES),) float64, as bytes: what is shown to one who has asked nothing.
        told: see `answering.cues.Shown`.
        news: all words of ``told``.
    """

    terms: tuple[str, ...]
    where: Mapping[str, tuple[int, ...]]
    held: frozenset[str]
    prefixes: Mapping[str, tuple[str, ...]]
    content: int
    solid: tuple[int, ...]
    words: tuple[str, ...]
    cues: bytes
    told: Told
    news: frozenset[str]


@lru_cache(maxsize=SENTENCES_KEPT)
def read_sentence(text: str) -> ReadSentence:
    """The sentence taken apart; the last `SENTENCES_KEPT` stay in memory until `forget_sentences`."""
    spoken = words(text)
    found = tuple(stems(spoken))
    where: dict[str, list[int]] = {}
    prefixes: dict[str, list[str]] = {}
    solid = [0]
    for at, term in enumerate(found):
        if term in where:
            where[term].append(at)
        else:
            where[term] = [at]
            prefixes.setdefault(term[:PREFIX], []).append(term)
        solid.append(solid[-1] + (term not in STOP_WORDS))
    seen = shown(text)
    return ReadSentence(
        found,
        {term: tuple(places) for term, places in where.items()},
        frozenset(where),
        {prefix: tuple(alike) for prefix, alike in prefixes.items()},
        len(where.keys() - STOP_WORDS),
        tuple(solid),
        content_words(spoken),
        _PACKED.pack(*seen.counts),
        seen.told,
        frozenset(word for many in seen.told for one in many for word in one),
    )


def content_words(found: Iterable[str]) -> tuple[str, ...]:
    """The words that are no stop words, each once, in their order; all of them where there are no others."""
    each = tuple(dict.fromkeys(found))
    return tuple([word for word in each if word not in STOP_WORDS]) or each


def forget_sentences() -> None:
    """Let go of every sentence that was read, for one may have been deleted."""
    read_sentence.cache_clear()
