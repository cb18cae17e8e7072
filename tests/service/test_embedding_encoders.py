"""Contriever and DPR are what their published snippets say: needs torch, so slow, and skipped without."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.errors import ArtifactError
from core.protocols import Embedder
from service.embedding import build_embedder
from tests.support.tiny_encoders import save_encoder

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        importlib.util.find_spec("transformers") is None,
        reason="transformers is not installed: pip install 'sawyer-rag[st]'",
    ),
]
TEXTS = [
    "The tide turned.",
    "",
    "A rope lay on the quay, and a lamp burned.",
    "half \ud800 a pair",
    "rope " * 300,
]
KNOWN = ["the tide turned a rope lay on quay and lamp burned . ,"]


@pytest.fixture(scope="module")
def contriever(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(save_encoder(tmp_path_factory.mktemp("contriever"), "BertModel", KNOWN, seed=1))


@pytest.fixture(scope="module")
def dpr(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    kinds = ("DPRQuestionEncoder", "DPRContextEncoder")
    made = [
        save_encoder(tmp_path_factory.mktemp(kind), kind, KNOWN, seed=seed)
        for seed, kind in enumerate(kinds, start=2)
    ]
    return str(made[0]), str(made[1])


def tokens_of(folder: str, text: str) -> Any:
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    readable = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return tokenizer([readable], truncation=True, max_length=160, return_tensors="pt")


def test_a_contriever_vector_is_the_plain_mean_over_tokens(contriever: str) -> None:
    import torch
    import transformers

    embedder = build_embedder(f"contriever:{contriever}")
    model = transformers.AutoModel.from_pretrained(contriever).eval()
    rows = embedder.embed_passages(TEXTS)
    assert (rows.shape, rows.dtype) == ((5, embedder.dim), np.float32)
    with torch.inference_mode():
        for text, row in zip(TEXTS, rows, strict=True):
            expected = model(**tokens_of(contriever, text)).last_hidden_state[0].mean(dim=0).numpy()
            np.testing.assert_allclose(row, expected, atol=1e-6)
            np.testing.assert_allclose(embedder.embed_query(text), expected, atol=1e-6)
    assert np.abs(np.linalg.norm(rows, axis=1) - 1).min() > 1e-3


def test_dpr_reads_questions_with_one_encoder_and_passages_with_the_other(dpr: tuple[str, str]) -> None:
    import torch
    import transformers

    embedder = build_embedder(f"dpr:{dpr[0]},{dpr[1]}")
    questions = transformers.DPRQuestionEncoder.from_pretrained(dpr[0]).eval()
    passages = transformers.DPRContextEncoder.from_pretrained(dpr[1]).eval()
    rows = embedder.embed_passages(TEXTS)
    with torch.inference_mode():
        for text, row in zip(TEXTS, rows, strict=True):
            expected = passages(**tokens_of(dpr[1], text)).pooler_output[0].numpy()
            np.testing.assert_allclose(row, expected, atol=1e-6)
            asked = questions(**tokens_of(dpr[0], text)).pooler_output[0].numpy()
            np.testing.assert_allclose(embedder.embed_query(text), asked, atol=1e-6)


def test_both_keep_the_embedders_contract(contriever: str, dpr: tuple[str, str]) -> None:
    for spec in (f"contriever:{contriever}", f"dpr:{dpr[0]},{dpr[1]}"):
        embedder = build_embedder(spec)
        assert isinstance(embedder, Embedder)
        assert (embedder.name, embedder.similarity) == (spec, "dot")
        assert embedder.embed_passages([]).shape == (0, embedder.dim)
        together = embedder.embed_passages(TEXTS)
        np.testing.assert_allclose(embedder.embed_passages(TEXTS[::-1])[::-1], together, atol=1e-5)
        assert embedder.fingerprint == build_embedder(spec).fingerprint
    swapped = build_embedder(f"dpr:{contriever},{dpr[1]}")
    assert swapped.fingerprint != build_embedder(f"dpr:{dpr[0]},{dpr[1]}").fingerprint


def test_a_folder_without_a_model_and_encoders_of_two_sizes_are_refused(
    contriever: str, dpr: tuple[str, str], tmp_path: Path
) -> None:
    with pytest.raises(ArtifactError, match="model folder or the name of a model on this machine"):
        build_embedder(f"contriever:{tmp_path}").embed_passages(["a rope"])
    wide = save_encoder(tmp_path / "wide", "DPRQuestionEncoder", KNOWN, seed=5, dim=48)
    with pytest.raises(ArtifactError, match="encoders of one dimension, got 48 and 32"):
        build_embedder(f"dpr:{wide},{dpr[1]}").embed_query("a rope")
