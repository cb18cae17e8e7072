"""Signs in a sentence that it holds an answer of some kind: a number, a year, a name, "is a"."""

from __future__ import annotations

from dataclasses import dataclass

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
NEWS = ("numbers", "years", "names")

# Looking for every pattern in every sentence would take longer than all else. These are looked for only where
# a word (in small letters) or a sign stands that each of its matches holds.
_WORD = regex.compile(r"\w+")
_OPENING: dict[str, tuple[frozenset[str], regex.Pattern[str] | None]] = {
    cue: (frozenset(opening.split()), regex.compile(sign) if sign else None)
    for cue, opening, sign in (
        (
            "numbers",
            """two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty sixty
            seventy eighty ninety hundred thousand million billion dozen half once twice""",
            r"\d",
        ),
        (
            "days",
            """january february march april may june july august september october november december monday
            tuesday wednesday thursday friday saturday sunday century decade midnight noon morning evening
            winter summer spring autumn""",
            "",
        ),
        (
            "money",
            """dollar dollars cent cents euro euros pound pounds shilling shillings pence guinea guineas
            percent""",
            "[$£€¥%]",
        ),
        (
            "units",
            """mile miles feet foot inch inches metre metres meter meters kilometer kilometers kilometre
            kilometres km cm mm kg gram grams ton tons year years month months week weeks day days hour hours
            minute minutes second seconds degree degrees acre acres mph""",
            "",
        ),
        ("is a", "is are was were", ""),
        (
            "called",
            "called named known stand stands refer refers mean means defined term",
            "(?i:abbreviat)",
        ),
        (
            "because",
            "because since due so order cause caused causes therefore reason reasons fear led",
            "(?i:result)",
        ),
        ("manner", "by using through with", ""),
    )
}
# Capitals after the first word, which "names" finds.
_OPENED_BY_NAMES = frozenset({"in a place", "by a name"})

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


Told = tuple[tuple[frozenset[str], ...], ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """What a sentence shows to one who has not read the question.

    Attributes:
        counts: (len(CUES),) how often each is seen, and the words of the longest name.
        told: the words of every number, year and name, by cue in the order of `NEWS`.
    """

    counts: tuple[float, ...]
    told: Told

    def beside(self, asked: frozenset[str]) -> list[float]:
        """(len(CUES),): the counts, less what is no news to one who asked with these words."""
        found = list(self.counts)
        for cue, many in zip(NEWS, unasked(self.told, asked), strict=True):
            found[CUES.index(cue)] = many
        return found


def cues(text: str, asked: frozenset[str]) -> list[float]:
    """(len(CUES),): how often each is seen, and the words of the longest name.

    Args:
        asked: the question's words, as `core.text.words` gives them.
    """
    return shown(text).beside(asked)


def unasked(told: Told, asked: frozenset[str]) -> list[float]:
    """(len(NEWS),): how many of each are news to one who asked with these words."""
    return [float(sum([not asked.issuperset(one) for one in many])) for many in told]


def shown(text: str) -> Shown:
    """The cues of a sentence, before it is known what is asked."""
    found = _found(text)
    # What holds no word, as a lone digit of another script may, is told by every question.
    told = tuple(tuple(held for one in found[cue] if (held := frozenset(words(one)))) for cue in NEWS)
    many = {cue: len(found[cue]) for cue in _PATTERNS} | dict(zip(NEWS, map(len, told), strict=True))
    last = (float(bool(_PRONOUN.match(text))), float(_longest_name(text)))
    return Shown((*map(float, many.values()), *last), told)


def _found(text: str) -> dict[str, list[str]]:
    # (?i:) takes these for s and i, which lower() does not.
    small = set(_WORD.findall(text.replace("İ", "i").lower().replace("ſ", "s")))
    first = _FIRST.match(text)
    names = _PATTERNS["names"].findall(text, first.end() if first else 0)
    found = {}
    for cue, pattern in _PATTERNS.items():
        if cue == "names":
            found[cue] = names
        elif _is_open(cue, text, small, capitals=bool(names)):
            found[cue] = pattern.findall(text)
        else:
            found[cue] = []
    return found


def _is_open(cue: str, text: str, small: set[str], *, capitals: bool) -> bool:
    if cue in _OPENED_BY_NAMES:
        return capitals
    if cue not in _OPENING:
        return True
    opening, sign = _OPENING[cue]
    return not opening.isdisjoint(small) or (sign is not None and sign.search(text) is not None)


def _longest_name(text: str) -> int:
    return max((len(name.split()) for name in _NAME.findall(text)), default=0)
