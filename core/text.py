"""Text as matching sees it: words, terms (stemmed words), stop words and their weights.

One analysis serves the lexical index, the question and the answer sentence, so that what matches in
one place matches in all.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

import regex
import Stemmer

# Scripts written without spaces between words: matched as overlapping pairs of characters.
_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}ー"
_TOKEN = regex.compile(
    rf"""
      (?P<unspaced> [{_UNSPACED}]+ )
    | (?P<number>   \d+ (?: [.,:]\d+ )* )
    | (?P<word>     [\w--[{_UNSPACED}_\d]] [\w--[{_UNSPACED}_]]* (?: ['’] [\w--[{_UNSPACED}_]]+ )* )
    """,
    regex.VERBOSE | regex.VERSION1,
)
# What `_TOKEN` finds in small ASCII letters, several times faster, and what stands in such a text besides:
# a typeset apostrophe, which is one, and marks that belong to no word.
_PLAIN_TOKEN = re.compile(r"\d+(?:[.,:]\d+)*|[a-z][a-z0-9]*(?:'[a-z0-9]+)*", re.ASCII)
_PLAIN = str.maketrans("’“”‘—–…", "'      ")
_LATIN = regex.compile(r"\p{Latin}")
_VISIBLE = regex.compile(r"\S")

STOP_WORDS = frozenset(
    """a about above after again against all am an and any are as at be because been before being
    below between both but by can could did do does doing down during each few for from further had
    has have having he her here hers herself him himself his how i if in into is it its itself just
    me more most my myself no nor not now of off on once only or other our ours ourselves out over
    own same shall she should so some such than that the their theirs them themselves then there
    these they this those through to too under until up upon very was we were what when where which
    while who whom whose why will with would you your yours yourself yourselves""".split()
)


def words(text: str) -> list[str]:
    """Words in reading order: case folded, compatibility forms unified, Latin accents removed.

    A run of a script that is written without spaces gives its overlapping pairs of characters
    (``海上生`` gives ``海上``, ``上生``), a single such character itself. Numbers stay whole
    (``1,897``). Underscores, punctuation and symbols belong to no word.
    """
    plain = text if text.isascii() else text.translate(_PLAIN)
    if plain.isascii():
        return _PLAIN_TOKEN.findall(plain.lower())
    found: list[str] = []
    for match in _TOKEN.finditer(text):
        token = match.group()
        if match.lastgroup == "unspaced":
            token = unicodedata.normalize("NFKC", token)
            found.extend(token[i : i + 2] for i in range(max(1, len(token) - 1)))
        else:
            found.append(_folded(token))
    return found


def terms(text: str) -> list[str]:
    """Words reduced to their English stems (Porter 2), stop words kept.

    Words of other languages pass through the same rules; both sides of a match do, so they still meet.
    """
    return stems(words(text))


def stems(found: Iterable[str]) -> list[str]:
    """The terms of words, one each."""
    return list(map(_stem, found))


def content_terms(text: str) -> list[str]:
    """Terms of the words that carry content: stop words are left out."""
    return [_stem(word) for word in words(text) if word not in STOP_WORDS]


def question_terms(text: str) -> list[str]:
    """What a question is matched by: its content terms, or all its terms when it has no other.

    Dropping stop words from the question alone is worth two points of DCG@20 on FairytaleQA val
    (docs/decisions/0002-fusion.md); "To be, or not to be" still finds its line.
    """
    return content_terms(text) or terms(text)


def visible_length(text: str) -> int:
    """Number of characters that are not white space."""
    return sum(1 for _ in _VISIBLE.finditer(text))


@lru_cache(maxsize=200_000)
def _folded(token: str) -> str:
    folded = unicodedata.normalize("NFKC", token).casefold().replace("’", "'")
    if not folded.isascii() and _LATIN.search(folded):
        decomposed = unicodedata.normalize("NFD", folded)
        folded = "".join(c for c in decomposed if unicodedata.category(c) != "Mn")
    return folded


@lru_cache(maxsize=200_000)
def _stem(word: str) -> str:
    # A Stemmer object is not safe to share between threads; the cache makes a new one cheap enough.
    return str(Stemmer.Stemmer("english").stemWord(word))


@dataclass(frozen=True, slots=True)
class IdfTable:
    """How rare each term is among ``total`` texts.

    ``idf(t) = ln(1 + (total - df + 0.5) / (df + 0.5))``, the BM25 form: never negative; a term
    that no text holds weighs most.
    """

    total: float
    frequency: Mapping[str, float] = field(default_factory=dict)

    def idf(self, term: str) -> float:
        """Weight of one term."""
        df = min(self.frequency.get(term, 0), self.total)
        return math.log(1 + (self.total - df + 0.5) / (df + 0.5))

    @staticmethod
    def of(texts: Iterable[Iterable[str]]) -> IdfTable:
        """The table of a corpus given as terms per text."""
        frequency: dict[str, float] = {}
        total = 0
        for text_terms in texts:
            total += 1
            for term in set(text_terms):
                frequency[term] = frequency.get(term, 0) + 1
        return IdfTable(total, frequency)
