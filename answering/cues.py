"""Signs in a sentence that it holds an answer of some kind: a number, a year, a name, "is a"."""

from __future__ import annotations

import regex

from core.text import words

# By cue, in the order of `CUES`. Tokenised text writes its brackets -LRB- and its quotes `` ''.
_PATTERNS = {
    "numbers": regex.compile(
        r"\b\d[\d,.]*|\b(?i:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty"
        r"|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|billion|dozen|half|once|twice)\b"
    ),
    "years": regex.compile(r"\b(?:1\d{3}|20\d{2})s?\b"),
    "days": regex.compile(
        r"\b(?:January|February|March|April|May|June|July|August|September|October|November|December|Monday"
        r"|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)\b|(?i:\b(?:century|decade|midnight|noon"
        r"|morning|evening|winter|summer|spring|autumn)\b)"
    ),
    "money": regex.compile(
        r"[$£€¥%]|(?i:\b(?:dollars?|cents?|euros?|pounds?|shillings?|pence|guineas?|percent)\b)"
    ),
    "units": regex.compile(
        r"(?i:\b(?:miles?|feet|foot|inch(?:es)?|metres?|meters?|kilometers?|kilometres?|km|cm|mm|kg|grams?"
        r"|tons?|years?|months?|weeks?|days?|hours?|minutes?|seconds?|degrees?|acres?|mph)\b)"
    ),
    "is a": regex.compile(r"(?i:\b(?:is|are|was|were)(?: \w+ly)? (?:an?|the|one of|any)\b)"),
    "called": regex.compile(
        r"(?i:\b(?:called|named|known as|stands? for|refers? to|means?|defined|term|abbreviat\w+)\b)"
    ),
    "in a place": regex.compile(r"\b(?:in|at|near|from|of|to|off|between)(?: the)? \p{Lu}"),
    "by a name": regex.compile(r"\bby(?: the)? \p{Lu}"),
    "because": regex.compile(
        r"(?i:\b(?:because|since|due to|so that|in order to|caused?|causes|result\w*|therefore|reasons?"
        r"|for fear|led to)\b)"
    ),
    "quoted": regex.compile(r"``|''|[\"“”]"),
    "brackets": regex.compile(r"-LRB-|\("),
    "manner": regex.compile(r"(?i:\b(?:by \w+ing|using|through|with)\b)"),
    "list": regex.compile(r"(?:,[^,]{1,200}){3}"),
    "names": regex.compile(r"\p{Lu}[\p{L}'’.-]*"),
}
_FIRST = regex.compile(r"[^\p{L}\d]*[\p{L}\d'’.-]+")  # a sentence's, which is capital in any case
_PRONOUN = regex.compile(r"\W*(?i:he|she|it|they|this|these|his|her|its|their|we|i|you|such)\b")
_NAME = regex.compile(r"(?:\p{Lu}[\p{L}'’.-]*(?: of | the | )?)+")

CUES = (*_PATTERNS, "starts with a pronoun", "longest name")
# Cues that are no news where the question holds them.
_NEWS = frozenset({"numbers", "years", "names"})

# What each kind of question looks for, any of these: by fine class, else by coarse class.
_WANTED: dict[str, frozenset[str]] = {
    "ABBR": frozenset({"called", "brackets"}),
    "DESC": frozenset({"is a", "called", "because", "manner"}),
    "DESC:def": frozenset({"is a", "called"}),
    "DESC:manner": frozenset({"manner"}),
    "DESC:reason": frozenset({"because"}),
    "ENTY": frozenset({"names", "quoted", "called", "list"}),
    "HUM": frozenset({"names", "by a name"}),
    "HUM:desc": frozenset({"is a"}),
    "LOC": frozenset({"in a place"}),
    "NUM": frozenset({"numbers", "money", "units"}),
    "NUM:count": frozenset({"numbers"}),
    "NUM:date": frozenset({"years", "days"}),
    "NUM:money": frozenset({"money"}),
    "NUM:period": frozenset({"numbers", "units", "years"}),
}


def wanted_by(label: str) -> frozenset[str]:
    """The cues that a question of this fine class looks for."""
    return _WANTED[label] if label in _WANTED else _WANTED[label.partition(":")[0]]


def cues(text: str, asked: frozenset[str]) -> list[float]:
    """(len(CUES),): how often each is seen, and the words of the longest name.

    Args:
        asked: the question's words, as `core.text.words` gives them.
    """
    return [
        float(sum(not asked.issuperset(words(one)) for one in found) if cue in _NEWS else len(found))
        for cue, found in zip(CUES, _found(text), strict=False)
    ] + [float(bool(_PRONOUN.match(text))), float(_longest_name(text))]


def _found(text: str) -> tuple[tuple[str, ...], ...]:
    first = _FIRST.match(text)
    after = first.end() if first else 0
    return tuple(
        tuple(pattern.findall(text, after if cue == "names" else 0)) for cue, pattern in _PATTERNS.items()
    )


def _longest_name(text: str) -> int:
    return max((len(name.split()) for name in _NAME.findall(text)), default=0)
