"""Passages streamed to disk rank as the service's own searcher ranks them."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.errors import InvalidValue, StoreError
from core.protocols import Similarity, Vectors
from eval.chunked import given_chunks
from eval.datasets.lotte import QueryType, Split
from eval.datasets.lotte_files import Answers, LotteQuery, Passage
from eval.datasets.lotte_places import sample_place
from eval.lotte_index import PassageIndex
from eval.lotte_vectors import BATCH, BLOCK_BYTES, VectorFile
from eval.rankers import BookRankers
from service.retrieval import RETRIEVERS
from service.values import RetrieverName
from tests.support.fakes import HashEmbedder

WORDS = st.sampled_from("tide tides rope lamp the of quay 海上 ! anchor".split())
TEXTS = st.lists(st.lists(WORDS, max_size=8).map(" ".join), min_size=1, max_size=12)


@dataclass(frozen=True)
class Texts:
    """A topic of given passages, whose pids are their places times ten."""

    texts: tuple[str, ...]
    name: str = "given"
    split: Split = "dev"

    def types(self) -> tuple[QueryType, ...]:
        return ("search",)

    def passages(self) -> Iterator[Passage]:
        return (Passage(10 * place, text) for place, text in enumerate(self.texts))

    def queries(self, query_type: QueryType) -> tuple[LotteQuery, ...]:
        return (LotteQuery(0, f"a {query_type} for tides"),)

    def answers(self, query_type: QueryType) -> tuple[Answers, ...]:
        return (Answers(0, frozenset({0})),) if query_type == "search" else ()

    def files(self) -> tuple[Path, ...]:
        return ()


class CheapEmbedder:
    """One vector for every text."""

    name = "cheap"
    dim = 2048
    fingerprint = "cheap-2048"
    similarity: Similarity = "cosine"

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return np.full((len(texts), self.dim), self.dim**-0.5, np.float32)

    def embed_query(self, text: str) -> Vectors:
        return self.embed_passages([text])[0]


def silent(line: str) -> None:
    pass


def build(texts: list[str], retriever: RetrieverName, directory: Path, **more: int) -> PassageIndex:
    embedder = None if retriever == "lexical" else HashEmbedder()
    return PassageIndex.build(Texts(tuple(texts)), directory, retriever, embedder, report=silent, **more)


def expected(texts: list[str], query: str, retriever: RetrieverName, k: int) -> list[tuple[int, float]]:
    """The service's own searcher over the passages that are not empty, as chunks."""
    kept = [(10 * place, text) for place, text in enumerate(texts) if text.strip()]
    searcher = BookRankers(given_chunks([text for _, text in kept]), HashEmbedder()).searcher()
    return [(kept[int(row)][0], score) for row, score in searcher.search(query, k, retriever)]


@pytest.mark.parametrize("retriever", RETRIEVERS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=10, deadline=None)
@given(texts=TEXTS, queries=st.lists(st.lists(WORDS, min_size=1, max_size=4).map(" ".join), max_size=3))
def test_passages_rank_as_the_services_searcher_ranks_chunks(
    retriever: RetrieverName, texts: list[str], queries: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    index = build(texts, retriever, tmp_path_factory.mktemp("index"))
    rankings = list(index.rank(queries, 100))
    assert len(rankings) == len(queries)
    for query, found in zip(queries, rankings, strict=True):
        # Vectors are multiplied by blocks here and one by one there: equal but for the last bits.
        assert dict(found) == pytest.approx(dict(expected(texts, query, retriever, 100)), abs=1e-5)
        assert found == sorted(found, key=lambda pair: (-pair[1], pair[0]))


@pytest.mark.parametrize("retriever", RETRIEVERS)
def test_the_sample_ranks_as_the_services_searcher_does(retriever: RetrieverName, tmp_path: Path) -> None:
    topic = sample_place().topics("dev")[1]
    index = PassageIndex.build(topic, tmp_path, retriever, HashEmbedder(), report=silent)
    queries = [query.text for kind in topic.types() for query in topic.queries(kind)]
    texts = [passage.text for passage in topic.passages()]
    for query, found in zip(queries, index.rank(queries, 100), strict=True):
        wanted = expected(texts, query, retriever, 100)
        assert [10 * pid for pid, _ in found] == [pid for pid, _ in wanted]


@pytest.mark.parametrize("retriever", RETRIEVERS)
def test_an_empty_passage_is_never_retrieved(retriever: RetrieverName, tmp_path: Path) -> None:
    index = build(["", "a tide", " \t ", "a rope", ""], retriever, tmp_path)
    (found,) = index.rank(["tide"], 100)
    assert {pid for pid, _ in found} <= {10, 30}
    assert found[0][0] == 10


@pytest.mark.parametrize("retriever", RETRIEVERS)
@pytest.mark.parametrize("texts", [[], ["", " "]])
def test_a_topic_without_any_text_ranks_nothing(
    retriever: RetrieverName, texts: list[str], tmp_path: Path
) -> None:
    assert list(build(texts, retriever, tmp_path).rank(["tide", "rope"], 5)) == [[], []]


def test_equal_passages_rank_in_the_order_of_the_collection(tmp_path: Path) -> None:
    (found,) = build(["a tide"] * 30, "lexical", tmp_path).rank(["tide"], 7)
    assert [pid for pid, _ in found] == [0, 10, 20, 30, 40, 50, 60]


def test_a_limit_takes_the_first_passages(tmp_path: Path) -> None:
    index = build(["a tide", "", "the tides", "a tide"], "lexical", tmp_path, limit=3)
    assert list(index.pids) == [0, 20]


def test_lexical_embeds_nothing_and_dense_indexes_no_words(tmp_path: Path) -> None:
    embedder = HashEmbedder()
    topic = Texts(("a tide", "a rope"))
    lexical = PassageIndex.build(topic, tmp_path / "1", "lexical", embedder, report=silent)
    assert (embedder.calls, lexical.vectors) == (0, None)
    (tmp_path / "2").mkdir()
    dense = PassageIndex.build(topic, tmp_path / "2", "dense", embedder, report=silent)
    assert (embedder.calls, dense.words) == (2, None)
    (tmp_path / "3").mkdir()
    with pytest.raises(InvalidValue, match="retriever hybrid needs an embedder, got none"):
        PassageIndex.build(topic, tmp_path / "3", "hybrid", None, report=silent)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25, deadline=None)
@given(sizes=st.lists(st.integers(1, 9), max_size=40), batch=st.integers(1, 7), block=st.integers(0, 20))
def test_a_group_scores_as_its_best_row_however_rows_are_batched_and_blocked(
    sizes: list[int], batch: int, block: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    embedder = HashEmbedder(16)
    groups = [[f"{group} tide {row}" for row in range(size)] for group, size in enumerate(sizes)]
    path = tmp_path_factory.mktemp("vectors") / "rows"
    vectors = VectorFile.write(path, groups, embedder, batch=batch)
    queries = embedder.embed_passages(["3 tide", "rope 1"])
    wanted = [
        [float(np.max(embedder.embed_passages(texts) @ query)) for texts in groups] for query in queries
    ]
    best = vectors.best(queries, block_bytes=block * 4 * 16)
    assert best.shape == (2, len(groups))
    assert best == pytest.approx(np.array(wanted).reshape(2, len(groups)), abs=1e-6)
    assert path.stat().st_size == 4 * 16 * sum(sizes)


def test_vectors_take_no_more_memory_than_a_batch_and_a_block(tmp_path: Path) -> None:
    embedder = CheapEmbedder()
    tracemalloc.start()
    try:
        vectors = VectorFile.write(tmp_path / "rows", (["a"] for _ in range(20_000)), embedder)
        best = vectors.best(embedder.embed_passages(["a"] * 8))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert best.shape == (8, 20_000)
    assert vectors.path.stat().st_size == 20_000 * 4 * embedder.dim  # 160 MB
    assert peak < 2 * (BLOCK_BYTES + BATCH * 4 * embedder.dim)


def test_a_full_disk_is_said(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"vectors cannot be written to .*; free disk space, or set TMPDIR"):
        VectorFile.write(tmp_path / "nowhere" / "rows", [["a tide"]], HashEmbedder())
