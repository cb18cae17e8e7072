"""LoTTE: questions from search engines and forums on topics of StackExchange, and data laid out like it.

Layout of one topic and split, of which metadata and either type of question may be absent:

    TOPIC/SPLIT/collection.tsv          pid, passage; a passage may be empty
    TOPIC/SPLIT/questions.TYPE.tsv      qid, query
    TOPIC/SPLIT/qas.TYPE.jsonl          {"qid", "query", "answer_pids"}: what counts as success
    TOPIC/SPLIT/metadata.jsonl          a line a thread: {"dataset", "question_id", "post_ids", ...}

Source: Santhanam et al. 2022, ColBERTv2, section 4.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol, get_args

from eval.datasets.base import Declaration
from eval.datasets.lotte_files import (
    Answers,
    LotteQuery,
    Passage,
    Thread,
    read_answers,
    read_passages,
    read_queries,
    read_threads,
)

Split = Literal["dev", "test"]
QueryType = Literal["search", "forum"]
SPLITS: tuple[Split, ...] = get_args(Split)
QUERY_TYPES: tuple[QueryType, ...] = get_args(QueryType)

POOLED = "pooled"
# In the order of the official evaluator.
TOPICS = ("writing", "recreation", "science", "technology", "lifestyle", POOLED)

LOTTE = Declaration(
    name="LoTTE",
    folder="lotte",
    marks=("writing/dev/collection.tsv", "writing/test/collection.tsv"),
    home="https://github.com/stanford-futuredata/ColBERT/blob/main/LoTTE.md",
    licence="questions Apache-2.0; passages CC BY-SA, by StackExchange's authors",
)


class Topic(Protocol):
    """Passages and the queries that are put to them."""

    @property
    def name(self) -> str:
        """What the official evaluator calls the data set: ``writing``, ``pooled``."""

    @property
    def split(self) -> Split:
        """``dev`` or ``test``."""

    def types(self) -> tuple[QueryType, ...]:
        """The types of query that it has judgements for."""

    def passages(self) -> Iterator[Passage]:
        """Every passage, in file order, as a stream."""

    def queries(self, query_type: QueryType) -> tuple[LotteQuery, ...]:
        """In file order."""

    def answers(self, query_type: QueryType) -> tuple[Answers, ...]:
        """In file order; each line is counted, a query named twice twice."""

    def files(self) -> tuple[Path, ...]:
        """The files that decide its figures."""


@dataclass(frozen=True, slots=True)
class TopicFolder:
    """A topic in a folder of its own. What its methods read is checked as it is read.

    Raises (all methods):
        NotFound: no such file.
        DataError: a malformed line.
    """

    name: str
    split: Split
    folder: Path

    @property
    def collection(self) -> Path:
        """The passages' file."""
        return self.folder / "collection.tsv"

    @property
    def metadata(self) -> Path:
        """The file about threads; it may be absent."""
        return self.folder / "metadata.jsonl"

    def questions_file(self, query_type: QueryType) -> Path:
        """The queries' file."""
        return self.folder / f"questions.{query_type}.tsv"

    def qas_file(self, query_type: QueryType) -> Path:
        """The judgements' file."""
        return self.folder / f"qas.{query_type}.jsonl"

    def types(self) -> tuple[QueryType, ...]:
        """See `Topic.types`."""
        return tuple(kind for kind in QUERY_TYPES if self.qas_file(kind).exists())

    def passages(self) -> Iterator[Passage]:
        """See `Topic.passages`."""
        return read_passages(self.collection)

    def queries(self, query_type: QueryType) -> tuple[LotteQuery, ...]:
        """See `Topic.queries`."""
        return read_queries(self.questions_file(query_type))

    def answers(self, query_type: QueryType) -> tuple[Answers, ...]:
        """See `Topic.answers`."""
        return read_answers(self.qas_file(query_type))

    def threads(self) -> Iterator[Thread]:
        """The lines of the metadata, as a stream; none where the file is absent."""
        return read_threads(self.metadata) if self.metadata.exists() else iter(())

    def files(self) -> tuple[Path, ...]:
        """See `Topic.files`."""
        named = [self.collection]
        for query_type in self.types():
            named += [self.questions_file(query_type), self.qas_file(query_type)]
        return tuple(path for path in named if path.exists())
