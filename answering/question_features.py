"""What of a question tells what it asks for: its words, and the noun phrase after its question word."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import regex

from core.text import terms, words

QUESTIONS_KEPT = 64  # more than are asked at a time
ASKING = frozenset("what which who whom whose when where why how name".split())
BEING = frozenset("is are was were be been do does did has have had can could will would should s".split())
_DETERMINERS = frozenset(
    "the a an his her its their your my this these those some any other most first last two three".split()
)
# Where a noun phrase ends: what goes between it and the rest of the question.
_ENDS = frozenset(
    """of in on at for to from by with that who which when where and or than as into about after before
    during between if you i he she it they is are was were do does did has have had can could will would used
    called known made named""".split()
)
# "What kind of dog" asks about dogs.
_KINDS = frozenset(
    "kind kinds type types sort name names term nickname form number part group one title".split()
)
# Verbs that follow a noun phrase without a sign of their own; regular pasts are known by their -ed.
_VERBS = frozenset(
    """won got gave wrote sang came led began ran fell went became built took held rode lost sold found left
    set said told saw grew flew drew knew blew threw wore tore swore spoke broke froze chose rose drove shot
    fought thought bought brought caught taught sent spent lent stood understood met kept slept felt dealt
    meant lay hit cost put cut shut means mean stands stand die live lives say comes come goes go gets get
    takes take makes make have plays play gives give use contains contain causes cause follow begin starts
    sits owns runs says wears lies""".split()
)
_NAME = regex.compile(r"(?<=\s)\p{Lu}")
_CAPITALS = regex.compile(r"\b\p{Lu}{2,}\b|\b(?:\p{Lu}\.){2,}")
_QUOTES = regex.compile(r"``|''|[\"“”]")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question taken apart.

    Attributes:
        words: all of them, a possessive's ``s`` parted off.
        asking: the first question word, ``none`` without one.
        being: ``be`` when a form of it follows, another auxiliary as it stands, else empty.
        determiner: ``a``, ``an`` or ``the`` before the noun phrase, ``other``, or empty.
        phrase: the noun phrase's words, its head last; empty for "why" and its like.
        ended: whether nothing follows the noun phrase: "what is a withy boat".
    """

    words: tuple[str, ...]
    asking: str
    being: str
    determiner: str
    phrase: tuple[str, ...]
    ended: bool

    @property
    def head(self) -> str:
        """The noun phrase's last word, empty without one."""
        return self.phrase[-1] if self.phrase else ""


@lru_cache(maxsize=QUESTIONS_KEPT)
def take_apart(question: str) -> Asked:
    """The question's parts, by position and short word lists: no tagger is asked.

    Its class, its columns and the kind of thing asked for are all told by them: the last are remembered.
    """
    found = _parted(question)
    at = next((place for place, word in enumerate(found) if word in ASKING), None)
    if at is None:
        return Asked(tuple(found), "none", "", "", (), ended=False)
    rest = found[at + 1 :]
    auxiliary = rest[0] if rest and rest[0] in BEING else ""
    start = 1 if auxiliary else 0
    determiner = ""
    while start < len(rest) and rest[start] in _DETERMINERS:
        determiner = determiner or rest[start]
        start += 1
    phrase, ended = _phrase(rest[start:], after_verb=bool(auxiliary))
    return Asked(
        tuple(found),
        found[at],
        "be" if auxiliary in {"is", "are", "was", "were", "s"} else auxiliary,
        determiner if determiner in {"a", "an", "the"} else "other" if determiner else "",
        tuple(phrase) if found[at] in {"what", "which", "whose", "who", "name", "how"} else (),
        ended,
    )


def features(question: str, asked: Asked) -> set[str]:
    """Names of what the question shows, for a linear model."""
    bounded = ["<", *asked.words, ">"]
    found = {f"word {word}" for word in asked.words} | {f"stem {term}" for term in terms(question)}
    found |= {f"pair {one} {two}" for one, two in pairwise(bounded)}
    for one, two, three in zip(bounded, bounded[1:], bounded[2:], strict=False):
        if one == "<" or one in ASKING or two in ASKING:
            found.add(f"triple {one} {two} {three}")
    found.add(f"asking {asked.asking}")
    found |= set(_after(asked))
    found |= set(_about(asked))
    found |= {
        name
        for name, pattern in (("name", _NAME), ("capitals", _CAPITALS), ("quotes", _QUOTES))
        if pattern.search(question)
    }
    if any(word[0].isdigit() for word in asked.words):
        found.add("number")
    return found | {f"length {min(len(asked.words), 4)}"}


def _parted(question: str) -> list[str]:
    found: list[str] = []
    for word in words(question):
        bare = word.removesuffix("'s")
        found += [word] if bare == word or not bare else [bare, "s"]
    return found


def _phrase(rest: Sequence[str], *, after_verb: bool) -> tuple[list[str], bool]:
    phrase: list[str] = []
    for place, word in enumerate(rest):
        follower = rest[place + 1] if place + 1 < len(rest) else ""
        possessor = word == "s" and phrase  # "the state's bird" asks about the bird
        kind = word == "of" and phrase and phrase[-1] in _KINDS
        if possessor or kind:
            phrase = []
        elif word in _DETERMINERS and not phrase:
            continue
        elif word in _ENDS | _DETERMINERS or (phrase and not after_verb and _is_verb(word, follower)):
            return phrase, False
        else:
            phrase.append(word)
    return phrase, True


def _is_verb(word: str, follower: str) -> bool:
    return word in _VERBS or word.endswith("ed") or follower in _DETERMINERS


def _after(asked: Asked) -> Iterator[str]:
    if asked.asking == "none":
        return
    at = asked.words.index(asked.asking)
    for distance, word in enumerate(asked.words[at + 1 : at + 4], start=1):
        yield f"after {asked.asking} {distance} {word}"


def _about(asked: Asked) -> Iterator[str]:
    if asked.phrase:
        stem = " ".join(terms(asked.head))
        yield f"head {stem}"
        yield f"head {asked.asking} {bool(asked.being)} {stem}"
        yield f"first {' '.join(terms(asked.phrase[0]))}"
        yield f"ending {asked.head[-3:]}"
        yield f"ending {asked.head[-4:]}"
    yield f"shape {asked.asking} {asked.being} {asked.determiner} {asked.ended} {min(len(asked.phrase), 3)}"
    yield f"shape {asked.asking} {asked.being} {asked.ended}"
