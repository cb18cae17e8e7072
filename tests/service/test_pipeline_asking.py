"""What may be asked, what comes back, and that it holds while texts are replaced."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from core.errors import InvalidQuestion, InvalidValue, NotFound
from service.pipeline import Limits, Pipeline
from service.values import RetrieverName, Source
from tests.support.pipelines import HARBOUR, cites, pipeline, scores, tell

QUESTION = "Who lit the lamp at dusk?"
RETRIEVERS: tuple[RetrieverName, ...] = ("dense", "lexical", "hybrid")


@pytest.fixture
def sawyer(tmp_path: Path) -> Iterator[Pipeline]:
    with pipeline(tmp_path) as opened:
        yield opened


# -- what comes back ------------------------------------------------------------------------------


@pytest.mark.parametrize("retriever", RETRIEVERS)
@pytest.mark.parametrize(
    "text",
    [
        HARBOUR,
        HARBOUR.replace("\n", "\r\n"),
        "\ufeff" + HARBOUR.replace(" ", "\u00a0\t"),
        "# Élodie 👩‍👩‍👧\n\nThe lamp was lit by E\u0301lodie 👩‍👩‍👧 at dusk. 海上生明月。天涯共此時！\n" * 9,
    ],
    ids=["plain", "crlf", "odd spaces", "marks and emoji"],
)
def test_hits_and_candidates_are_slices_of_the_text(
    sawyer: Pipeline, text: str, retriever: RetrieverName
) -> None:
    tell(sawyer, text)
    answer = sawyer.ask(QUESTION, retriever=retriever, k=100)
    assert answer.hits
    assert answer.decision.ranked
    cites(answer, text.removeprefix("\ufeff"))


def test_the_answer_is_one_sentence_with_its_place_and_its_neighbours(sawyer: Pipeline) -> None:
    record = tell(sawyer, HARBOUR).document
    answer = sawyer.ask(QUESTION)
    best = answer.decision.answer
    assert best is not None
    start = HARBOUR.index("The lamp was lit")
    assert best.candidate.text == "The lamp was lit by Maren at dusk."
    assert (best.candidate.span.start, best.candidate.span.end) == (start, start + len(best.candidate.text))
    assert best.candidate.after == "It burned until the fishing boats were home."
    assert best.candidate.document_id == record.id
    (cited,) = [hit for hit in answer.hits if hit.chunk.id == best.candidate.chunk_id]
    assert cited.chunk.chapter == ("The Harbour", "Night")
    assert answer.titles == {record.id: "The Harbour"}
    assert answer.decision.reason == "answered"


def test_what_the_text_does_not_say_is_no_answer_with_the_closest_passages(sawyer: Pipeline) -> None:
    tell(sawyer, HARBOUR)
    answer = sawyer.ask("Which emperor crossed the Alps on elephants?")
    assert (answer.decision.answer, answer.decision.reason) == (None, "no_evidence")
    assert answer.decision.probability < answer.decision.threshold
    assert answer.hits


@pytest.mark.parametrize("retriever", RETRIEVERS)
def test_an_empty_collection_says_so(sawyer: Pipeline, retriever: RetrieverName) -> None:
    for _ in range(2):
        answer = sawyer.ask(QUESTION, retriever=retriever)
        assert (list(answer.hits), answer.decision.reason) == ([], "empty_collection")
        assert sawyer.retrieve(QUESTION, retriever=retriever).hits == []
        # The same of one that held only what could not be read, and of one that holds nothing any more.
        sawyer.ingest(Source("void.md", b" "))
        sawyer.delete(tell(sawyer, HARBOUR).document.id)


def test_a_word_that_no_text_holds_is_no_evidence_and_not_an_empty_collection(sawyer: Pipeline) -> None:
    tell(sawyer, HARBOUR)
    answer = sawyer.ask("Xylograph?", retriever="lexical")
    assert (list(answer.hits), answer.decision.reason) == ([], "no_evidence")


@pytest.mark.parametrize("k", [1, 2, 100])
def test_k_is_how_many_at_most(sawyer: Pipeline, k: int) -> None:
    chunks = tell(sawyer, HARBOUR).document.chunks
    assert len(sawyer.retrieve(QUESTION, k=k).hits) == min(k, chunks)


@pytest.mark.parametrize("retriever", RETRIEVERS)
def test_another_collection_s_texts_change_no_score(sawyer: Pipeline, retriever: RetrieverName) -> None:
    tell(sawyer, HARBOUR, collection="a")
    before = scores(sawyer.retrieve(QUESTION, collection="a", retriever=retriever))
    answer = sawyer.ask(QUESTION, collection="a", retriever=retriever)
    for n in range(5):
        tell(sawyer, f"The lamp {n} was lit by Maren {n} at dusk. " * 9, f"{n}.md", collection="b")
    assert scores(sawyer.retrieve(QUESTION, collection="a", retriever=retriever)) == before
    assert sawyer.ask(QUESTION, collection="a", retriever=retriever) == answer


# -- what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize("question", ["", " ", "\n\t\u3000\u2003"])
def test_a_blank_question_is_refused(sawyer: Pipeline, question: str) -> None:
    with pytest.raises(InvalidQuestion, match="at least one visible character"):
        sawyer.ask(question)


def test_a_question_over_the_limit_is_refused_at_once(tmp_path: Path) -> None:
    with pipeline(tmp_path, limits=Limits(question_chars=40)) as sawyer:
        tell(sawyer, HARBOUR)
        assert sawyer.ask("Who lit the lamp at dusk?".ljust(40)).hits
        with pytest.raises(InvalidQuestion, match=r"at most 40 characters, got 41"):
            sawyer.ask("x" * 41)
        started = time.monotonic()
        with pytest.raises(InvalidQuestion, match=r"got 50,000"):
            sawyer.retrieve("x" * 50_000)
        assert time.monotonic() - started < 1


def test_a_question_of_fifty_thousand_characters_is_answered_where_the_limit_allows(tmp_path: Path) -> None:
    with pipeline(tmp_path, limits=Limits(question_chars=50_000)) as sawyer:
        tell(sawyer, HARBOUR)
        started = time.monotonic()
        long = ("Who lit the lamp at dusk? " * 2_000)[:50_000]
        for retriever in RETRIEVERS:
            assert sawyer.ask(long, retriever=retriever).hits
            sawyer.ask("".join(f"word{n} " for n in range(5_000))[:50_000], retriever=retriever)
        assert time.monotonic() - started < 10


@pytest.mark.parametrize("k", [0, -1, 101, 10**30])
def test_k_outside_its_rule_is_refused(sawyer: Pipeline, k: int) -> None:
    with pytest.raises(InvalidValue, match=rf"k must be in \[1, 100\], got {k}"):
        sawyer.retrieve(QUESTION, k=k)


def test_an_unknown_retriever_is_refused(sawyer: Pipeline) -> None:
    with pytest.raises(InvalidValue, match="must be one of dense, lexical, hybrid, got 'psychic'"):
        sawyer.ask(QUESTION, retriever="psychic")  # type: ignore[arg-type]  # an unchecked caller's


def test_an_unknown_collection_is_not_found_but_the_default_one_is_always_there(sawyer: Pipeline) -> None:
    with pytest.raises(NotFound, match="there is no collection 'nowhere'"):
        sawyer.ask(QUESTION, collection="nowhere")
    assert sawyer.documents(collection="nowhere") == []
    assert sawyer.ask(QUESTION).decision.reason == "empty_collection"


@pytest.mark.parametrize("retriever", RETRIEVERS)
@pytest.mark.parametrize(
    "question",
    [
        "\ud800",
        "Who lit the \udc80lamp\ud800 at dusk?",
        "a\x00b",
        "AND OR NOT",
        'NEAR("lamp',
        "lamp -dusk +sea ^2 ~ * ? : \\",
        "[SEP] [CLS] [MASK]",
        "</mark><img src=x onerror=alert(1)>",
        "\u202e\u200b\ufeff",
        "?",
        "🕯️",
        "a\u0301" * 900,
    ],
    ids=ascii,
)
def test_any_visible_question_is_words_and_nothing_else(
    sawyer: Pipeline, question: str, retriever: RetrieverName
) -> None:
    tell(sawyer, HARBOUR)
    cites(sawyer.ask(question, retriever=retriever), HARBOUR)


# -- while texts are replaced ---------------------------------------------------------------------


def test_readers_see_one_whole_version_and_never_an_error(sawyer: Pipeline, soak: bool) -> None:
    def version(number: int) -> str:
        return "".join(f"The lamp number {n} was lit by keeper{number} at dusk. " for n in range(40))

    def read(retriever: RetrieverName) -> int:
        asked = 0
        while not done.is_set():
            answer = sawyer.ask("Who lit the lamp number 7 at dusk?", retriever=retriever)
            seen = set(re.findall(r"keeper\d+", " ".join(hit.chunk.text for hit in answer.hits)))
            assert len(answer.hits) == 5
            assert len(seen) == 1, seen
            cites(answer, version(int(seen.pop().removeprefix("keeper"))))
            asked += 1
        return asked

    tell(sawyer, version(0))
    done = threading.Event()
    with ThreadPoolExecutor(len(RETRIEVERS)) as pool:
        reading = [pool.submit(read, retriever) for retriever in RETRIEVERS]
        try:
            for number in range(1, 400 if soak else 13):
                tell(sawyer, version(number))
        finally:
            done.set()
        assert min(reader.result() for reader in reading) >= 2
