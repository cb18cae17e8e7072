"""Sentences are embedded once, up to a number of them, and forgotten with what is deleted or replaced."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from answering import Selector
from answering.sentences import read_sentence
from answering.trigger import Trigger
from core.errors import Unavailable
from core.protocols import Vectors
from service.embedding.sentences import SENTENCES_KEPT, SentenceEmbedder
from service.pipeline import Pipeline
from tests.support.fakes import HashEmbedder
from tests.support.pipelines import HARBOUR, pipeline, tell

QUESTION = "Who lit the lamp at dusk?"


def test_each_sentence_is_embedded_once_and_again_when_forgotten() -> None:
    inner = HashEmbedder()
    embedder = SentenceEmbedder(inner)
    texts = ["a tide", "a rope", "a tide"]
    rows = [embedder.embed_passages(texts) for _ in range(2)]
    assert np.array_equal(rows[0], HashEmbedder().embed_passages(texts))
    assert np.array_equal(*rows)
    assert inner.calls == 2
    assert embedder.embed_passages([]).shape == (0, inner.dim)
    embedder.forget()
    embedder.embed_passages(texts)
    assert inner.calls == 4


def test_what_is_done_to_rows_that_were_given_out_stays_there() -> None:
    embedder = SentenceEmbedder(HashEmbedder())
    embedder.embed_passages(["a tide"])[:] = 0
    assert np.array_equal(embedder.embed_passages(["a tide"]), HashEmbedder().embed_passages(["a tide"]))


def test_no_more_than_a_number_of_sentences_stay_and_the_oldest_go_first() -> None:
    inner = HashEmbedder(4)
    embedder = SentenceEmbedder(inner)
    texts = [f"sentence {at}" for at in range(SENTENCES_KEPT + 10)]
    assert len(embedder.embed_passages(texts)) == len(texts)
    inner.calls = 0
    embedder.embed_passages(texts[10:])
    assert inner.calls == 0
    embedder.embed_passages(texts[:10])
    assert inner.calls == 10


class _Deleting(HashEmbedder):
    """Deletes the only document while its sentences are embedded for a question."""

    sawyer: Pipeline | None = None

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        sawyer, self.sawyer = self.sawyer, None
        if sawyer is not None:
            (record,) = sawyer.documents()
            sawyer.delete(record.id)
        return super().embed_passages(texts)


def _remembered(embedder: HashEmbedder, sawyer: Pipeline) -> tuple[int, int]:
    """Sentences taken apart that are kept, and how many the question must embed anew."""
    kept = read_sentence.cache_info().currsize
    before = embedder.calls
    sawyer.ask(QUESTION)
    return kept, embedder.calls - before


@pytest.mark.parametrize("change", ["delete", "replace"])
def test_a_deleted_or_replaced_texts_sentences_are_forgotten(change: str, tmp_path: Path) -> None:
    embedder = HashEmbedder()
    with pipeline(tmp_path, embedder=embedder) as sawyer:
        record = tell(sawyer, HARBOUR).document
        tell(sawyer, HARBOUR, "b.md")
        sawyer.ask(QUESTION)
        kept, anew = _remembered(embedder, sawyer)
        assert kept > 0
        assert anew == 0
        sawyer.delete(record.id) if change == "delete" else tell(sawyer, HARBOUR.replace("Maren", "Ada"))
        kept, anew = _remembered(embedder, sawyer)
        assert kept == 0
        assert anew > 0


def test_a_text_that_is_deleted_while_it_is_asked_is_forgotten_too(tmp_path: Path) -> None:
    embedder = _Deleting()
    with pipeline(tmp_path, embedder=embedder) as sawyer:
        tell(sawyer, HARBOUR)
        embedder.sawyer = sawyer
        assert sawyer.ask(QUESTION).hits
        assert sawyer.documents() == []
        assert read_sentence.cache_info().currsize == 0
        tell(sawyer, HARBOUR)
        assert _remembered(embedder, sawyer)[1] > 0


class _ReadingThenFailing:
    """A Scorer that reads sentences of what another thread deletes meanwhile, and then fails."""

    sawyer: Pipeline

    def score(self, question: str, texts: Sequence[str]) -> NDArray[np.float64]:  # noqa: ARG002 - a Scorer
        (record,) = self.sawyer.documents()
        self.sawyer.delete(record.id)
        for text in texts:
            read_sentence(text)
        raise Unavailable("the embedder is away")


def test_a_text_that_is_deleted_while_a_question_fails_is_forgotten_too(tmp_path: Path) -> None:
    failing = _ReadingThenFailing()
    selector = Selector("failing", lambda *_: failing, Trigger(1.0, 0.0, 0.5))
    with pipeline(tmp_path, selector=selector) as sawyer:
        tell(sawyer, HARBOUR)
        failing.sawyer = sawyer
        with pytest.raises(Unavailable):
            sawyer.ask(QUESTION)
        assert read_sentence.cache_info().currsize == 0
