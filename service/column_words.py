"""The columns that a selector of ours reads, in words for people."""

from __future__ import annotations

from collections.abc import Mapping

from answering.company import WAYS

_WAYS: Mapping[str, str] = {
    "below best": "how far it is from the best sentence in: {}",
    "above best five": "how it stands beside the five best in: {}",
    "how many better": "how many sentences are better in: {}",
}
_SENTENCE: Mapping[str, str] = {
    "overlap": "how many of the question's words it shares",
    "idf overlap": "how much it shares of the question's words, rare ones counting more",
    "bm25": "how well its words match the question, for its length (BM25)",
    "fuzzy overlap": "shared words, similar ones included",
    "pairs": "pairs of neighbouring words that it shares with the question",
    "longest run": "the longest run of the question's words in it",
    "rarest term": "whether it holds the question's rarest word",
    "little words": "how many of the question's little words it shares",
    "density": "how close together the shared words stand",
    "share of sentence": "how much of it is shared words",
    "early terms": "whether the shared words come early in it",
    "phrase": "the longest phrase that it shares with the question",
    "wanted cue and overlap": "signs of the kind of answer wanted, together with shared words",
    "new terms and overlap": "how much it says beyond the question, together with shared words",
    "place of first and overlap": "how early the shared words begin",
    "words": "its length in words",
    "first term": "where in it the first shared word stands",
    "head": "whether it names what the question is about",
    "missing idf": "the weightiest word of the question that it lacks",
    "last term": "whether it holds the question's last word",
    "new terms": "how much it says beyond the question",
    "wanted cue": "whether it shows a sign of the kind of answer wanted",
    "numbers": "numbers in it",
    "years": "years in it",
    "days": "days, months and times of day in it",
    "money": "sums of money in it",
    "units": "units of measure in it",
    "is a": "whether it says what something is",
    "called": "whether it says what something is called or means",
    "in a place": "places in it",
    "by a name": "whether it says by whom",
    "because": "whether it gives a reason",
    "quoted": "quoted words in it",
    "brackets": "brackets in it",
    "manner": "whether it says how",
    "list": "a list in it",
    "names": "names in it",
    "starts with a pronoun": "whether it begins with a pronoun",
    "longest name": "the length of the longest name in it",
    "alignment": "how near its words are to the question's in meaning",
    "similarity": "how near the whole sentence is to the question in meaning",
    "idf overlap, below coverage": "how much of what all the sentences share with the question it lacks",
}
_QUESTION: Mapping[str, str] = {
    "question words": "the question's length",
    "question terms": "how many words of weight the question has",
    "coverage": "how much of the question all the sentences hold together",
    "class ABBR": "whether the question asks about an abbreviation",
    "class DESC": "whether the question asks for an explanation",
    "class ENTY": "whether the question asks for a thing",
    "class HUM": "whether the question asks for a person",
    "class LOC": "whether the question asks for a place",
    "class NUM": "whether the question asks for a number or a time",
}
_ASKS = "asks "


def in_words(column: str) -> str:
    """What a column of `answering.learnt.Columns.names` is, as a phrase; an unknown one by its own name."""
    if column in _SENTENCE or column in _QUESTION:
        return {**_SENTENCE, **_QUESTION}[column]
    if column.startswith(_ASKS):
        return f"whether the question asks “{column.removeprefix(_ASKS)}”"
    name, _, way = column.rpartition(", ")
    return _WAYS[way].format(in_words(name)) if way in WAYS else column
