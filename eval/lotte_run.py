"""One topic, from its passages to rankings in files."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from core.protocols import Embedder
from eval.datasets.lotte import QueryType, Topic, TopicFolder
from eval.datasets.lotte_files import Answers
from eval.lotte_index import PassageIndex, Report
from eval.lotte_ranking import ranking_file, write_ranking
from service.retrieval import Fusion
from service.values import RetrieverName


@dataclass(frozen=True, slots=True)
class LotteMethod:
    """How passages are ranked.

    Attributes:
        embedder: None with ``lexical`` alone.
        places: passages ranked for a query.
        limit: the first so many passages of a topic only, for a try.
    """

    retriever: RetrieverName
    embedder: Embedder | None
    places: int
    limit: int | None = None

    @property
    def name(self) -> str:
        """As tables name it: ``hybrid, minilm``."""
        parts = [self.retriever, *([] if self.embedder is None else [self.embedder.name])]
        return ", ".join(parts + ([] if self.limit is None else [f"first {self.limit:,} passages"]))

    def as_json(self) -> dict[str, object]:
        """What decides a ranking, beside the embedder, as plain values."""
        return {
            "retriever": self.retriever,
            "fusion": repr(Fusion()) if self.retriever == "hybrid" else None,
            "places": self.places,
            "limit": self.limit,
        }


def rank_topic(
    topic: Topic, query_types: Sequence[QueryType], method: LotteMethod, folder: Path, *, report: Report
) -> None:
    """Index the topic's passages for as long as it takes and write a ranking for each type.

    Queries and judgements are read before the passages, so that a bad line is found at once.

    Args:
        folder: of the split, for the ranking files.

    Raises:
        NotFound: a file is missing.
        DataError: a malformed line.
        InvalidValue: a ranking cannot be written.
        StoreError: the disk is full.
    """
    asked = {query_type: topic.queries(query_type) for query_type in query_types}
    judged = {query_type: topic.answers(query_type) for query_type in query_types}
    if isinstance(topic, TopicFolder) and topic.metadata.exists():
        posts = [thread.posts for thread in topic.threads()]
        report(f"{topic.name}: metadata of {len(posts):,} threads with {sum(posts):,} posts")
    with tempfile.TemporaryDirectory(prefix="sawyer-lotte-") as directory:
        index = PassageIndex.build(
            topic, Path(directory), method.retriever, method.embedder, limit=method.limit, report=report
        )
        report(f"{topic.name}: {len(index.pids):,} passages indexed")
        for query_type, queries in asked.items():
            _tell_unreachable(f"{topic.name}.{query_type}", judged[query_type], index, report)
            path = ranking_file(folder, topic.name, query_type)
            rankings = index.rank([query.text for query in queries], method.places)
            write_ranking(path, zip((query.qid for query in queries), rankings, strict=True))
            report(f"{topic.name}: {len(queries):,} {query_type} queries ranked")


def _tell_unreachable(name: str, judged: Sequence[Answers], index: PassageIndex, report: Report) -> None:
    """Say for how many queries there is nothing to be found: they bound the figure from above."""
    wanted = np.array(sorted({pid for answers in judged for pid in answers.pids}), np.int64)
    known = set(wanted[np.isin(wanted, index.pids)].tolist())
    unreachable = sum(known.isdisjoint(answers.pids) for answers in judged)
    if unreachable:
        report(f"{name}: {unreachable:,} of {len(judged):,} queries have no answer among the passages")
