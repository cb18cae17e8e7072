import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InvalidValue
from service.catalog.generations import ChunkTable
from service.lexical import TantivyIndex
from service.retrieval import Fusion, Searcher
from tests.support.fakes import HashEmbedder

TEXTS = [
    "The harbour master counted the boats at dawn.",
    "A dog slept under the table.",
    "Boats and harbours need paint every spring.",
    "The table was set for six guests at dinner.",
]


def searcher(texts=TEXTS, *, exact=True, fusion=None, windows_per_chunk=1):
    embedder = HashEmbedder(dim=256)
    ids = [f"c{row}" for row in range(len(texts))]
    # Several windows a chunk: the first ones are about something else, the last one is the text.
    window_texts = [text for text in texts for text in ["zzz"] * (windows_per_chunk - 1) + [text]]
    vectors = embedder.embed_passages(window_texts)
    window_ids = [f"w{row}" for row in range(len(window_texts))]
    pairs = np.array([(row, row // windows_per_chunk) for row in range(len(window_texts))], dtype=np.int32)
    lexical = TantivyIndex()
    lexical.add(zip(ids, texts, strict=True))

    def nearest(query, n):
        order = np.argsort(-(vectors @ query), kind="stable")[:n]
        return [(window_ids[row], float(vectors[row] @ query)) for row in order]

    table = ChunkTable(1, ids, window_ids, pairs, vectors if exact else None, embedder.fingerprint)
    return Searcher(table, lexical, embedder, nearest=nearest, fusion=fusion)


@pytest.mark.parametrize("retriever", ["dense", "lexical", "hybrid"])
def test_the_chunk_that_speaks_of_it_comes_first(retriever):
    found = searcher().search("who counted the boats in the harbour?", 2, retriever)
    assert found[0][0] == "c0"
    assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)


def test_lexical_returns_only_what_shares_a_word():
    assert [chunk for chunk, _ in searcher().search("dog", 10, "lexical")] == ["c1"]
    assert searcher().search("xylophone", 10, "lexical") == []


def test_a_chunk_is_as_good_as_its_best_window():
    one = dict(searcher(windows_per_chunk=1).search("the dog", 4, "dense"))
    many = dict(searcher(windows_per_chunk=5).search("the dog", 4, "dense"))
    assert many["c1"] == pytest.approx(one["c1"])


def test_equals_keep_reading_order_even_at_the_cut():
    twins = ["same words here"] * 5
    found = searcher(twins).search("same words", 3, "hybrid")
    assert [chunk for chunk, _ in found] == ["c0", "c1", "c2"]


def test_words_that_no_chunk_holds_leave_the_ranking_to_meaning():
    dense = [chunk for chunk, _ in searcher().search("qqq", 4, "dense")]
    assert [chunk for chunk, _ in searcher().search("qqq", 4, "hybrid")] == dense


def test_the_weight_decides_between_words_and_meaning():
    only_words = searcher(fusion=Fusion(lexical_weight=1.0)).search("boats", 4, "hybrid")
    lexical = searcher().search("boats", 4, "lexical")
    assert [chunk for chunk, _ in only_words][: len(lexical)] == [chunk for chunk, _ in lexical]


@given(st.text(max_size=40))
def test_without_vectors_in_memory_the_nearest_windows_give_the_same_scores(question):
    exact, approximate = searcher(), searcher(exact=False)
    for retriever in ("dense", "hybrid"):
        expected = exact.scores(question, retriever)
        np.testing.assert_allclose(approximate.scores(question, retriever), expected, atol=1e-5)


def test_an_empty_collection_finds_nothing():
    empty = ChunkTable(0, [], [], np.empty((0, 2), dtype=np.int32), None, None)
    assert Searcher(empty, TantivyIndex(), HashEmbedder()).search("anything", 5, "hybrid") == []


def test_an_unknown_retriever_is_named():
    with pytest.raises(InvalidValue, match="must be one of dense, lexical, hybrid, got 'psychic'"):
        searcher().search("x", 1, "psychic")
