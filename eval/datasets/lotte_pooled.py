"""Several topics as one, where a data set has no folder ``pooled`` of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from eval.datasets.lotte import POOLED, QueryType, Split, Topic
from eval.datasets.lotte_files import Answers, LotteQuery, Passage


@dataclass(frozen=True)
class PooledTopics:
    """The topics one after another, as in LoTTE's own pooled set.

    Numbers go on from topic to topic: a topic's pids start after the highest of the one before it, and so
    do its qids, of each type apart.
    """

    parts: tuple[Topic, ...]
    name: str = POOLED

    @property
    def split(self) -> Split:
        """That of the topics."""
        return self.parts[0].split

    def types(self) -> tuple[QueryType, ...]:
        """The types that some topic has."""
        found = [query_type for part in self.parts for query_type in part.types()]
        return tuple(dict.fromkeys(found))

    def passages(self) -> Iterator[Passage]:
        """See `Topic.passages`."""
        for part, first in zip(self.parts, self._first_pids, strict=True):
            for passage in part.passages():
                yield Passage(first + passage.pid, passage.text)

    def queries(self, query_type: QueryType) -> tuple[LotteQuery, ...]:
        """See `Topic.queries`."""
        return tuple(
            LotteQuery(first + query.qid, query.text)
            for part, first in zip(self._having(query_type), self._first_qids(query_type), strict=True)
            for query in part.queries(query_type)
        )

    def answers(self, query_type: QueryType) -> tuple[Answers, ...]:
        """See `Topic.answers`."""
        pids = dict(zip(self.parts, self._first_pids, strict=True))
        return tuple(
            Answers(first + answers.qid, frozenset(pids[part] + pid for pid in answers.pids))
            for part, first in zip(self._having(query_type), self._first_qids(query_type), strict=True)
            for answers in part.answers(query_type)
        )

    def files(self) -> tuple[Path, ...]:
        """See `Topic.files`."""
        return tuple(path for part in self.parts for path in part.files())

    def _having(self, query_type: QueryType) -> list[Topic]:
        return [part for part in self.parts if query_type in part.types()]

    @cached_property
    def _first_pids(self) -> list[int]:
        # Reads every collection once: the files do not say how many passages they hold.
        return _firsts([max((one.pid for one in part.passages()), default=-1) for part in self.parts])

    def _first_qids(self, query_type: QueryType) -> list[int]:
        having = self._having(query_type)
        return _firsts([max(_qids(part, query_type)) for part in having])


def _qids(topic: Topic, query_type: QueryType) -> Iterator[int]:
    yield from (query.qid for query in topic.queries(query_type))
    yield from (answers.qid for answers in topic.answers(query_type))


def _firsts(highest: Sequence[int]) -> list[int]:
    firsts = [0]
    for number in highest:
        firsts.append(firsts[-1] + number + 1)
    return firsts[:-1]
