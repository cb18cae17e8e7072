"""What a question asks for, by rule: nothing here is fitted, so that no data's licence comes with it."""

from __future__ import annotations

from answering.question_features import Asked, take_apart

# A noun of "what NOUN" or "what is the NOUN of", and the class that it asks for.
_NOUNS: dict[str, frozenset[str]] = {
    label: frozenset(nouns.split())
    for label, nouns in {
        "NUM:date": "year date day month decade century birthday time hour season period era weekday",
        "NUM:count": "number population count total",
        "NUM:perc": "percentage percent proportion fraction share odds chance probability",
        "NUM:money": "price cost salary fee wage rent fare budget income tax",
        "NUM:dist": "distance height length depth width altitude elevation diameter radius",
        "NUM:speed": "speed velocity rate",
        "NUM:temp": "temperature",
        "NUM:weight": "weight mass",
        "NUM:volsize": "size area volume capacity",
        "NUM:period": "duration lifespan age",
        "NUM:code": "code zip postcode",
        "LOC:city": "city town capital village",
        "LOC:country": "country nation",
        "LOC:state": "state province",
        "LOC:mount": "mountain peak volcano range",
        "LOC:other": """place location river lake ocean sea island continent street address region county
            planet site building museum park hotel airport castle school university college""",
        "HUM:ind": """person man woman president king queen author writer actor actress singer scientist
            inventor artist painter composer poet player captain general doctor leader founder boy girl wife
            husband father mother son daughter brother sister character hero emperor prince princess director
            explorer architect astronaut coach athlete friend uncle aunt""",
        "HUM:gr": "company team band organization organisation group party tribe army club agency",
        "HUM:title": "profession occupation job title rank",
        "ENTY:animal": "animal bird fish dog cat horse insect snake breed species mammal reptile",
        "ENTY:color": "color colour",
        "ENTY:cremat": "book novel movie film song play poem album painting show opera magazine story",
        "ENTY:food": "food fruit drink dish vegetable meat beverage meal wine cheese",
        "ENTY:dismed": "disease illness drug medicine cure symptom virus disorder",
        "ENTY:lang": "language",
        "ENTY:sport": "sport game",
        "ENTY:religion": "religion faith",
        "ENTY:currency": "currency",
        "ENTY:plant": "plant flower tree",
        "ENTY:substance": "metal element substance material gas chemical",
        "ENTY:instru": "instrument",
        "ENTY:event": "war battle event disaster holiday festival",
        "ENTY:word": "word phrase",
        "ENTY:termeq": "term nickname synonym name",
        "ABBR:abb": "abbreviation acronym",
        "DESC:reason": "reason cause purpose",
        "DESC:desc": "difference origin meaning effect function role history",
    }.items()
}
# Of "how ADJECTIVE".
_HOW: dict[str, str] = {
    "many": "NUM:count",
    "much": "NUM:money",
    "long": "NUM:period",
    "old": "NUM:period",
    "often": "NUM:period",
    "far": "NUM:dist",
    "tall": "NUM:dist",
    "high": "NUM:dist",
    "deep": "NUM:dist",
    "wide": "NUM:dist",
    "fast": "NUM:speed",
    "hot": "NUM:temp",
    "cold": "NUM:temp",
    "heavy": "NUM:weight",
    "big": "NUM:volsize",
    "large": "NUM:volsize",
    "late": "NUM:date",
    "early": "NUM:date",
}
_ALONE = {
    "when": "NUM:date",
    "where": "LOC:other",
    "why": "DESC:reason",
    "whose": "HUM:ind",
    "whom": "HUM:ind",
}


def class_by_rule(question: str) -> str:
    """One of the fine classes of `answering.question_class.CLASSES`, by question word and noun."""
    asked = take_apart(question)
    if asked.asking in _ALONE:
        return _ALONE[asked.asking]
    if asked.asking == "who":
        return "HUM:desc" if asked.being == "be" and asked.ended and not asked.determiner else "HUM:ind"
    if asked.asking == "how":
        return _how(asked)
    if {"stand", "stands", "abbreviation"} & set(asked.words[-3:]) and asked.asking == "what":
        return "ABBR:exp"
    for noun in (asked.head, *asked.phrase[:1]):
        for label, nouns in _NOUNS.items():
            if noun in nouns or noun.removesuffix("s") in nouns:
                return label
    if asked.being == "be" and asked.ended and asked.determiner != "the":
        return "DESC:def"
    if asked.being in {"do", "does", "did"} and asked.words[-1:] in {("mean",), ("do",)}:
        return "DESC:def" if asked.words[-1] == "mean" else "DESC:desc"
    return "ENTY:other"


def _how(asked: Asked) -> str:
    at = asked.words.index("how")
    return _HOW.get(asked.words[at + 1], "DESC:manner") if at + 1 < len(asked.words) else "DESC:manner"
