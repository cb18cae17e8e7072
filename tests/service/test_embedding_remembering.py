"""A text is embedded once, and the embedder around it says what the one inside says."""

from __future__ import annotations

import numpy as np
import pytest

from service.embedding.remembering import RememberingEmbedder
from tests.support.fakes import HashEmbedder


def test_a_text_is_embedded_once_whoever_asks() -> None:
    embedder = HashEmbedder()
    remembering = RememberingEmbedder(embedder)
    rows = remembering.embed_passages(["a tide", "a rope", "a tide"])
    assert embedder.calls == 2
    assert np.array_equal(rows, HashEmbedder().embed_passages(["a tide", "a rope", "a tide"]))
    assert remembering.embed_passages(["a rope"]).shape == (1, embedder.dim)
    assert remembering.embed_passages([]).shape == (0, embedder.dim)
    assert embedder.calls == 2
    assert remembering.embed_query("a tide?") is remembering.embed_query("a tide?")


def test_what_was_embedded_at_another_time_is_not_embedded_again() -> None:
    embedder = HashEmbedder()
    remembering = RememberingEmbedder(embedder)
    kept = HashEmbedder().embed_passages(["a tide", "a rope"])
    remembering.remember(["a tide", "a rope"], kept)
    assert np.array_equal(remembering.embed_passages(["a rope", "a tide"]), kept[::-1])
    assert embedder.calls == 0
    with pytest.raises(ValueError, match="shorter"):
        remembering.remember(["a lamp", "a quay"], kept[:1])


def test_it_says_of_itself_what_the_embedder_inside_says() -> None:
    embedder = HashEmbedder(12)
    remembering = RememberingEmbedder(embedder)
    assert (remembering.name, remembering.dim) == (embedder.name, 12)
    assert (remembering.fingerprint, remembering.similarity) == (embedder.fingerprint, embedder.similarity)
