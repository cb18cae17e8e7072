"""The kinds of thing whose absence from a sentence can be seen: a year, a time, a number, a sum, a measure.

Persons and places are not among them: in a story "the king" is a person and "over the hill" a place, and
half of the right sentences there hold no name.
"""

from __future__ import annotations

from dataclasses import dataclass

import regex

from answering.question_features import BEING, Asked, take_apart
from answering.question_rules import class_by_rule

_NUMBER = (
    r"\d|(?i:\b(?:no|none|ones?|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|twenty"
    r"|thirty|fort(?:y|night)|fifty|sixty|seventy|eighty|ninety|hundreds?|thousands?|millions?|billions?"
    r"|dozens?|scores?|half|halves|quarters?|once|twice|both|pairs?|couple|single|double|triple|many|several)\b)"
)
_YEAR = r"\d{3}|(?i:\b(?:centur\w+|decades?|years?)\b)"
_TIME = (
    r"\d|\b(?:January|February|March|April|May|June|July|August|September|October|November|December|Monday"
    r"|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|Easter|Christmas)\b"
    r"|(?i:\b(?:centur\w+|decades?|years?|months?|weeks?|days?|daily|hours?|minutes?|moments?|midnight|noon"
    r"|nights?|nightfall|to-?night|mornings?|to-?morrow|yesterday|to-?day|evenings?|afternoon|dusk|dawn"
    r"|daybreak|twilight|sunrise|sunset|winters?|summers?|spring|autumn|harvest|seasons?|times?|ages?|ago"
    r"|since|when\w*|while|whilst|after\w*|before|until|till|during|soon|at last|finally|late\w*|early"
    r"|immediately|always|never|annual\w*|born|birth|death)\b)"
)
_UNIT = (
    r"(?i:\b(?:miles?|leagues?|fathoms?|ells?|yards?|feet|foot|inch(?:es)?|paces?|spans?"
    r"|(?:kilo|centi|milli)?met(?:re|er)s?|[kcm]m|kg|grams?|ounces?|pounds?|stones?|tons?|degrees?|acres?"
    r"|mph)\b)"
)
_MONEY = (
    r"[$£€¥%]|(?i:\b(?:money|dollars?|cents?|euros?|pounds?|shillings?|pence|penn(?:y|ies)|farthings?"
    r"|guineas?|crowns?|ducats?|florins?|coins?|gold|silver|free|nothing|percent)\b)"
)


@dataclass(frozen=True)
class Kind:
    """A kind of thing that is asked for.

    Attributes:
        words: what a person calls one: ``a year``.
        sign: found in nearly every sentence that holds one, and in many that do not.
    """

    words: str
    sign: regex.Pattern[str]

    def held_by(self, text: str) -> bool:
        """Whether the text may hold one."""
        return self.sign.search(text) is not None


_NUMBERS = Kind("a number", regex.compile(_NUMBER))
_YEARS = Kind("a year", regex.compile(_YEAR))
_TIMES = Kind("a time", regex.compile(_TIME))
_SPANS = Kind("a length of time", regex.compile(f"{_NUMBER}|{_TIME}"))
# "How long" asks for either: of a war, of a rope.
_LENGTHS = Kind("a length", regex.compile(f"{_NUMBER}|{_TIME}|{_UNIT}"))
_SUMS = Kind("a sum of money", regex.compile(f"{_NUMBER}|{_MONEY}"))
_MEASURES = Kind("a measure", regex.compile(f"{_NUMBER}|{_UNIT}"))

_PAID = frozenset("cost costs pay pays paid price worth money earn earned charge charged wage salary".split())


def kind_of(question: str) -> Kind | None:
    """What the question asks for; None where that is none of these kinds or its wording leaves a doubt."""
    asked, label = take_apart(question), class_by_rule(question)
    after = _after(asked)
    if asked.asking == "when":
        return _TIMES if after in BEING else None  # "When Harry met Sally" asks for nothing
    if asked.asking in {"what", "which"} and label == "NUM:date" and not asked.being:
        return _YEARS if after == "year" else _TIMES
    if asked.asking != "how":
        return None
    if label == "NUM:money":  # also "how much of the flax"
        return _SUMS if not _PAID.isdisjoint(asked.words) else None
    if label == "NUM:period":
        return {"long": _LENGTHS, "old": _SPANS}.get(after)
    if label == "NUM:count":
        return _NUMBERS
    return _MEASURES if label in {"NUM:dist", "NUM:speed", "NUM:weight"} else None


def _after(asked: Asked) -> str:
    """The word after the question word, empty without one."""
    at = asked.words.index(asked.asking) + 1 if asked.asking in asked.words else len(asked.words)
    return asked.words[at] if at < len(asked.words) else ""
