"""The last questions are embedded once, passages are not remembered, and the vectors are those of within."""

from __future__ import annotations

import numpy as np

from service.embedding.questions import QUESTIONS_KEPT, QuestionEmbedder
from tests.support.fakes import HashEmbedder


def test_the_last_questions_are_kept_and_no_more() -> None:
    embedder = QuestionEmbedder(HashEmbedder())
    first = embedder.embed_query("a tide?")
    assert np.array_equal(first, HashEmbedder().embed_query("a tide?"))
    assert embedder.embed_query("a tide?") is first
    for number in range(QUESTIONS_KEPT):
        embedder.embed_query(f"question {number}?")
    assert embedder.embed_query("a tide?") is not first


def test_passages_are_embedded_each_time() -> None:
    inner = HashEmbedder()
    embedder = QuestionEmbedder(inner)
    rows = [embedder.embed_passages(["a tide", "a rope"]) for _ in range(2)]
    assert np.array_equal(*rows)
    assert inner.calls == 4
