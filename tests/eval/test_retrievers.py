"""A retriever is a value; a Scorer reorders the first chunks; HyDE asks with the stored text."""

from __future__ import annotations

import pytest

from answering import SELECTORS
from core.errors import InvalidValue, NotFound
from eval.chunked import given_chunks
from eval.retrievers import DEPTH, BookRetrieval, Retriever
from eval.values import Query
from tests.support.fakes import HashEmbedder


def query(text: str, hyde: str | None = None) -> Query:
    return Query("Book/0", text, "", "", hyde=hyde)


@pytest.mark.parametrize("text", ["dense", "bm25", "hyde", "hybrid+rerank:overlap", "hyde+rerank:overlap"])
def test_the_text_form_round_trips(text: str) -> None:
    assert str(Retriever.parse(text)) == text


@pytest.mark.parametrize(
    "text",
    ["bm42", "", "hybrid+rerank:", "hybrid+rerank:colbert", "hybrid+rerank:overlap@eager", "hybrid+overlap"],
)
def test_what_is_unknown_is_refused_with_the_names_that_there_are(text: str) -> None:
    with pytest.raises(InvalidValue, match=r"must be one of .*(bm25|overlap)"):
        Retriever.parse(text)


def test_only_bm25_and_lexical_alone_need_no_vectors() -> None:
    parsed = [Retriever.parse(text) for text in ("bm25", "lexical", "dense", "hyde", "bm25+rerank:overlap")]
    assert [retriever.needs_vectors for retriever in parsed] == [False, False, True, True, True]


def test_hyde_asks_with_the_stored_text() -> None:
    book = given_chunks(["A lamp burned.", "The copper float sank.", "A rope lay there."])
    retrieval = BookRetrieval(book, HashEmbedder(512))
    rank = retrieval.ranker(Retriever.parse("hyde"))
    assert rank(query("Who lit it?", hyde="The float of copper sank."))[0] == 1
    dense = retrieval.ranker(Retriever.parse("dense"))
    assert rank(query("Where?", hyde="A lamp burned there.")) == dense(query("A lamp burned there."))


def test_hyde_without_a_stored_text_says_which_question_lacks_it() -> None:
    rank = BookRetrieval(given_chunks(["A lamp."]), HashEmbedder()).ranker(Retriever.parse("hyde"))
    with pytest.raises(NotFound, match="stored text for every question, Book/0 has none"):
        rank(query("Who lit it?"))


def test_a_scorer_reorders_the_first_chunks_and_leaves_the_rest_where_they_were() -> None:
    chunks = [f"The tide turned at hour {n}." for n in range(DEPTH + 9)]
    chunks[DEPTH - 1] = "The lamp of the old keeper burned on the quay."
    book = given_chunks(chunks)
    retrieval = BookRetrieval(book, HashEmbedder(512))
    asked = query("Where did the keeper’s lamp burn, on the quay?")
    before = retrieval.ranker(Retriever.parse("bm25"))(asked)
    after = retrieval.ranker(Retriever.parse("bm25+rerank:overlap"))(asked)
    assert after[0] == DEPTH - 1
    assert sorted(after[:DEPTH]) == sorted(before[:DEPTH])
    assert after[DEPTH:] == before[DEPTH:]


@pytest.mark.parametrize("name", SELECTORS)
def test_every_selector_reranks(name: str) -> None:
    chunks = [f"The tide turned at hour {n}." for n in range(8)]
    chunks[5] = "The lamp of the keeper burned on the quay."
    retriever = Retriever.parse(f"bm25+rerank:{name}")
    assert str(retriever) == f"bm25+rerank:{name}"
    rank = BookRetrieval(given_chunks(chunks), HashEmbedder(512)).ranker(retriever)
    ranked = rank(query("Where did the lamp of the keeper burn?"))
    assert ranked[0] == 5
    assert sorted(ranked) == list(range(8))


def test_a_scorer_without_an_embedder_is_refused() -> None:
    retrieval = BookRetrieval(given_chunks(["A lamp."]), None)
    with pytest.raises(InvalidValue, match="needs an embedder"):
        retrieval.ranker(Retriever.parse("bm25+rerank:overlap"))
