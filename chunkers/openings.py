"""How a passage opens and how the one before it ends: speech, time, place, pronouns. English words.

In another language the words are not found, and what is left are the marks of speech and the lengths.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import regex
from numpy.typing import NDArray

OPENING_FEATURES = (
    "opens in speech",
    "speech",
    "speech before",
    "ends in speech",
    "ends open",
    "ends asking",
    "opens with time",
    "times",
    "places",
    "endings",
    "opens with pronoun",
    "opens pointing",
    "opens joining",
    "opens with the",
    "something new",
)

_READ = 160  # characters of an opening, and of an ending
_DOUBLE_QUOTES = '"“”„«»'
_QUOTES = _DOUBLE_QUOTES + "'‘"
_PERIOD = r"(?:day|morning|evening|night|noon|afternoon|week|month|year|time|spring|summer|autumn|winter)"
_TIME = regex.compile(
    rf"\b(?:(?:days?|weeks?|months?|years?|hours?|nights?|minutes?) (?:later|after|passed|went|had)|"
    rf"{_PERIOD}|at (?:last|length|once|midnight|dawn|first)|once upon|meanwhile|meantime|"
    r"(?:to-?)?morrow|yesterday|"
    r"(?:sun|mon|tues|wednes|thurs|fri|satur)day|january|february|march|april|june|july|august|september|"
    r"october|november|december|when|after|before|until|as soon|while|soon|now|once|then|early|late|later|"
    r"finally)\b",
    regex.I,
)
_OPENS_WITH_TIME = regex.compile(
    r"(?:(?:and|but|so|then) )?(?:(?:on|in|at|by|early|late) )?(?:(?:the|that) )?"
    rf"(?:(?:next|following|same|second|third|another|one|that) {_PERIOD}|once|meanwhile|in the meantime|"
    r"some (?:time|days|weeks|years)|(?:\w+ ){1,3}(?:later|afterwards)|when|after|as soon as|"
    rf"at (?:last|length|night|noon|midnight|dawn)|{_PERIOD}|now|there (?:was|were|lived|once)|long ago|"
    r"it was)\b",
    regex.I,
)
_PLACE = regex.compile(
    r"\b(?:arrived|reached|returned|entered|came|went|journey|travelled|traveled|set out|set off|road|house|"
    r"castle|palace|forest|wood|town|city|village|sea|river|mountain|home|room|country|island|ship)\b",
    regex.I,
)
_ENDING = regex.compile(
    r"\b(?:asleep|slept|died|dead|home|away|good-?bye|farewell|good ?night|night|to bed|married|departed|"
    r"left|ever after|happy|happily|gone|buried|end)\b",
    regex.I,
)
_PRONOUN = regex.compile(r"(?:he|she|it|they|his|her|its|their|him|them)\b", regex.I)
_POINTING = regex.compile(r"(?:this|that|these|those|such|here|there)\b", regex.I)
_JOINING = regex.compile(r"(?:and|but|so|for|or|nor|yet|then|still|however|therefore|thus)\b", regex.I)
_THE = regex.compile(r"the\b", regex.I)
_NEW = regex.compile(r"\b(?:a|an|another|some)\b", regex.I)


def opening_features(passages: Sequence[str]) -> dict[str, NDArray[np.float64]]:
    """Name to (n,) for each of `OPENING_FEATURES`."""
    speech = [sum(map(passage.count, _DOUBLE_QUOTES)) / (1 + len(passage) / 100) for passage in passages]
    opens = [_opening(passage) for passage in passages]
    ends = [_ending(passage) for passage in passages]
    rows = [
        (opening[0], speech[at], speech[max(at - 1, 0)], *ends[max(at - 1, 0)], *opening[1:])
        for at, opening in enumerate(opens)
    ]
    order = (
        "opens in speech",
        "speech",
        "speech before",
        "ends in speech",
        "ends open",
        "ends asking",
        "endings",
        "opens with time",
        "times",
        "places",
        "opens with pronoun",
        "opens pointing",
        "opens joining",
        "opens with the",
        "something new",
    )
    table = np.array(rows, np.float64).reshape(len(passages), len(order))
    return {name: table[:, order.index(name)] for name in OPENING_FEATURES}


def _opening(passage: str) -> tuple[float, ...]:
    opening = passage[:_READ]
    bare = opening.lstrip(_QUOTES + " ")
    return (
        opening[:1] in _QUOTES,
        _OPENS_WITH_TIME.match(bare) is not None,
        len(_TIME.findall(opening)),
        len(_PLACE.findall(opening)),
        _PRONOUN.match(bare) is not None,
        _POINTING.match(bare) is not None,
        _JOINING.match(bare) is not None,
        _THE.match(bare) is not None,
        _NEW.search(opening) is not None,
    )


def _ending(passage: str) -> tuple[float, ...]:
    ending = passage[-_READ:]
    bare = ending.rstrip(_QUOTES + "’ ")
    return (
        ending[-1:] in _DOUBLE_QUOTES,
        bare[-1:] in ":,;—-",
        bare[-1:] in "?!",
        len(_ENDING.findall(ending)),
    )
