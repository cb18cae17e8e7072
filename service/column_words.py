"""The columns that a selector of ours reads, in words for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from answering.base import Contribution
from answering.company import WAYS

_SENTENCE: Mapping[str, str] = {
    "overlap": "how many of the question's words it shares",
    "idf overlap": "how much it shares of the question's words, rare ones counting more",
    "bm25": "how well its words match the question, for its length (BM25)",
    "fuzzy overlap": "how much it shares with the question, similar words included",
    "pairs": "how many neighbouring words it shares with the question as neighbours",
    "longest run": "how many of the question's words it holds in a row",
    "rarest term": "whether it holds the question's rarest word",
    "little words": "how many of the question's little words it shares",
    "density": "how close together the shared words stand",
    "share of sentence": "how much of it the shared words are",
    "early terms": "whether the shared words come early in it",
    "phrase": "how long a phrase it shares with the question",
    "wanted cue and overlap": "whether it shows a sign of the kind of answer wanted, and shares words",
    "new terms and overlap": "how much it says beyond the question, and shares words",
    "place of first and overlap": "how early the shared words begin",
    "words": "its length in words",
    "first term": "where in it the first shared word stands",
    "head": "whether it names what the question is about",
    "missing idf": "how rare a word of the question it lacks",
    "last term": "whether it holds the question's last word",
    "new terms": "how much it says beyond the question",
    "wanted cue": "whether it shows a sign of the kind of answer wanted",
    "numbers": "how many numbers it holds",
    "years": "how many years it names",
    "days": "how many days, months and times of day it names",
    "money": "how many sums of money it names",
    "units": "how many units of measure it names",
    "is a": "whether it says what something is",
    "called": "whether it says what something is called or means",
    "in a place": "whether it says where",
    "by a name": "whether it says by whom",
    "because": "whether it gives a reason",
    "quoted": "how much of it is quoted",
    "brackets": "how many brackets it holds",
    "manner": "whether it says how",
    "list": "whether it holds a list",
    "names": "how many names it holds",
    "starts with a pronoun": "whether it begins with a pronoun",
    "longest name": "how long a name it holds",
    "alignment": "how near its words are to the question's in meaning",
    "similarity": "how near the whole sentence is to the question in meaning",
    "idf overlap, below coverage": "how much of what all the sentences share with the question it lacks",
}
_AROUND: Mapping[str, str] = {
    "reading": "how well a reader of question and sentence together thinks of it",
    "idf overlap with neighbours": "how much it and its neighbours share of the question's words",
    "gained by neighbours": "how much its neighbours share that it does not",
    "idf overlap of the sentence before": "how much the sentence before it shares with the question",
    "idf overlap of the sentence after": "how much the sentence after it shares with the question",
    "coverage of the passage": "how much its passage shares with the question",
    "coverage of the passage less that of all": "how much its passage lacks of what all passages share",
    "rank of the passage": "how early the search found its passage",
    "reading of the sentence before": "how well that reader thinks of the sentence before it",
    "reading of the sentence after": "how well that reader thinks of the sentence after it",
    "best reading in the passage": "how well that reader thinks of the best sentence of its passage",
    "mean reading in the passage": "how well that reader thinks of its passage",
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
_WORDS = {**_SENTENCE, **_AROUND, **_QUESTION}
_ASKS = "asks "


def in_words(column: str) -> str:
    """What a column of `answering.learnt.Columns.names` tells of a sentence, as a phrase.

    By itself or beside the other sentences is the same to a person. An unknown column goes by its own name.
    """
    name, _, way = column.rpartition(", ")
    known = name if way in WAYS else column
    if known.startswith(_ASKS):
        return f"whether the question asks “{known.removeprefix(_ASKS)}”"
    return _WORDS.get(known, column)


def together(mattered: Sequence[Contribution]) -> list[tuple[str, float]]:
    """The phrases with the log-odds of all their columns, the strongest first."""
    moved: dict[str, float] = {}
    for one in mattered:
        words = in_words(one.column)
        moved[words] = moved.get(words, 0.0) + one.log_odds
    return sorted(moved.items(), key=lambda pair: -abs(pair[1]))
