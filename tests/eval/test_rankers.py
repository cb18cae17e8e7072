"""Each retriever ranks every chunk; the service's are the service's; plain BM25 is its formula."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

import chunkers
from core.errors import InvalidValue
from eval.bm25 import K1, B, PlainBm25, plain_words
from eval.chunked import cut_book, given_chunks
from eval.datasets.sample import BOOK, Sample
from eval.rankers import RETRIEVERS, BookRankers, EvalRetriever, needs_vectors
from tests.support.fakes import HashEmbedder

WORDS = st.sampled_from("tide tides Tide quay rope lamp the of 11.4 don’t".split())
TEXTS = st.lists(st.lists(WORDS, max_size=12).map(" ".join), min_size=1, max_size=8)


def naive(chunks: list[str], question: str) -> list[float]:
    counted = [Counter(plain_words(chunk)) for chunk in chunks]
    lengths = [sum(counts.values()) for counts in counted]
    mean = sum(lengths) / len(lengths)
    scores = [0.0] * len(chunks)
    for word in plain_words(question):
        holding = sum(word in counts for counts in counted)
        idf = math.log(1 + (len(chunks) - holding + 0.5) / (holding + 0.5))
        for at, counts in enumerate(counted):
            if counts[word]:
                scores[at] += idf * counts[word] / (counts[word] + K1 * (1 - B + B * lengths[at] / mean))
    return scores


@given(TEXTS, st.lists(WORDS, max_size=5).map(" ".join))
def test_plain_bm25_ranks_as_its_formula_with_ties_in_text_order(chunks: list[str], question: str) -> None:
    order = PlainBm25(chunks).rank(question)
    assert sorted(order) == list(range(len(chunks)))
    scores = naive(chunks, question)
    for better, worse in itertools.pairwise(order):
        assert scores[better] > scores[worse] - 1e-5
        if scores[better] == scores[worse]:
            assert better < worse


def test_plain_bm25_neither_stems_nor_drops_stop_words() -> None:
    chunks = ["the tide and the town", "tides", "of rope"]
    assert PlainBm25(chunks).rank("tides")[0] == 1
    assert PlainBm25(chunks).rank("of")[0] == 2
    assert PlainBm25(chunks).rank("nowhere to be found") == [0, 1, 2]


@pytest.mark.parametrize("retriever", RETRIEVERS)
def test_every_retriever_ranks_every_chunk_of_the_sample(retriever: EvalRetriever) -> None:
    book = cut_book(BOOK, Sample().text(BOOK), chunkers.build("sentence"))
    ranker = BookRankers(book, HashEmbedder(256)).ranker(retriever)
    order = ranker.rank("How many volumes did the Tide Book run to in 1911?")
    assert sorted(order) == list(range(len(book.texts)))
    assert any("forty-one volumes" in book.texts[at] for at in order[:10])


def test_what_shares_no_word_follows_in_text_order() -> None:
    book = given_chunks(["A rope.", "A lamp.", "The tides turn.", "A quay."])
    ranker = BookRankers(book, HashEmbedder()).ranker("lexical")
    assert ranker.rank("Which tide?") == [2, 0, 1, 3]


def test_equal_lexical_scores_keep_text_order() -> None:
    book = given_chunks(["The tide turns."] * 12)
    ranker = BookRankers(book, HashEmbedder()).ranker("lexical")
    assert ranker.rank("tide") == list(range(12))


def test_a_dense_score_is_that_of_the_best_window() -> None:
    embedder = HashEmbedder(512)
    padding = " ".join(f"Nothing of number {n} is told here at all." for n in range(80))
    book = given_chunks([padding, f"{padding} The copper float sank.", padding])
    ranker = BookRankers(book, embedder).ranker("dense")
    assert ranker.rank("Where did the copper float sink?")[0] == 1


def test_lexical_embeds_nothing() -> None:
    embedder = HashEmbedder()
    book = given_chunks(["The tide turns.", "A rope."])
    BookRankers(book, embedder).ranker("lexical").rank("tide")
    assert embedder.calls == 0
    assert [retriever for retriever in RETRIEVERS if needs_vectors(retriever)] == ["dense", "hybrid"]


def test_only_bm25_does_without_an_embedder() -> None:
    rankers = BookRankers(given_chunks(["The tide turns."]), None)
    assert rankers.ranker("bm25").rank("tide") == [0]
    with pytest.raises(InvalidValue, match="other than bm25 needs an embedder"):
        rankers.ranker("hybrid")
