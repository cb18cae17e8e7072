"""Questions with judged sentences: what every answer selection set comes down to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from answering.base import Candidate
from core.values import Span

# Which queries selection is measured over: all, those with an answer, or those that also have a sentence
# that is none, the only ones on which two rankings can differ.
Denominator = Literal["all", "answerable", "filtered"]


@dataclass(frozen=True, slots=True)
class JudgedSentence:
    """A sentence that may answer a query; ``right`` when its annotators say that it does.

    Attributes:
        before: the sentence before it in its passage, where the set's sentences are those of passages.
        after: the sentence after it.
        rank: from 1, of the passage among those found.
    """

    id: str
    text: str
    right: bool
    before: str = ""
    after: str = ""
    rank: int = 1


@dataclass(frozen=True, slots=True)
class SelectionQuery:
    """A query and its candidate sentences, in the order of the file.

    Attributes:
        group: what must stay together when a set is parted into folds: a document, an article.
    """

    id: str
    text: str
    sentences: tuple[JudgedSentence, ...]
    group: str

    @property
    def answerable(self) -> bool:
        """Whether some sentence is right."""
        return any(sentence.right for sentence in self.sentences)

    @property
    def mixed(self) -> bool:
        """Whether some sentence is right and some is not."""
        return self.answerable and not all(sentence.right for sentence in self.sentences)

    @property
    def texts(self) -> list[str]:
        """The sentences' texts."""
        return [sentence.text for sentence in self.sentences]

    def candidates(self) -> list[Candidate]:
        """The sentences as a selector takes them."""
        return [
            Candidate("", "", Span(0, len(one.text)), one.text, one.before, one.after, one.rank)
            for one in self.sentences
        ]

    def counts_in(self, denominator: Denominator) -> bool:
        """Whether the query is one of those that the denominator names."""
        return denominator == "all" or (self.answerable if denominator == "answerable" else self.mixed)


def grouped_by_sentences(queries: Sequence[SelectionQuery]) -> tuple[SelectionQuery, ...]:
    """The queries with groups such that any two that share a sentence are in one; sets may be mixed.

    A set that does not name documents tells them so: its sentences are whole passages of them. A group is
    named after the first query in it.
    """
    first: dict[str, int] = {}
    parent = list(range(len(queries)))

    def root(at: int) -> int:
        while parent[at] != at:
            parent[at] = parent[parent[at]]
            at = parent[at]
        return at

    for at, query in enumerate(queries):
        for text in _plain(query.texts):
            low, high = sorted((root(first.setdefault(text, at)), root(at)))
            parent[high] = low
    return tuple(replace(query, group=queries[root(at)].id) for at, query in enumerate(queries))


def _plain(texts: Iterable[str]) -> set[str]:
    """Sentences as they are the same for a grouping: white space and case do not matter."""
    return {" ".join(text.casefold().split()) for text in texts}
