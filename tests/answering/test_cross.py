"""Reading question and sentence together, with the shipped readers."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from answering.cross import QUESTION_TOKENS, SENTENCE_TOKENS, CrossReader, PairEncoder, load_reader
from core.artifacts import load, models_directory
from core.errors import ArtifactError
from core.protocols import Scorer

READERS = ("reader", "wikiqa/reader")
QUESTION = "Why did the keeper light the lamp?"
TEXTS = [
    "The harbour lay still.",
    "The keeper lit the lamp because a ship had been heard beyond the reef.",
    "Bread was dear that year.",
]


@pytest.mark.parametrize("name", READERS)
def test_the_sentence_that_answers_is_read_as_likelier(name: str) -> None:
    reader = load_reader(models_directory() / name)
    assert isinstance(reader, Scorer)
    found = reader.score(QUESTION, TEXTS)
    assert found.argmax() == 1
    assert np.allclose(reader.probabilities(QUESTION, TEXTS), 1 / (1 + np.exp(-found)))


@pytest.mark.parametrize("name", READERS)
def test_a_score_depends_on_its_pair_alone(name: str) -> None:
    reader = load_reader(models_directory() / name)
    whole = reader.score(QUESTION, TEXTS)
    with ThreadPoolExecutor(4) as pool:
        alone = list(pool.map(lambda text: reader.score(QUESTION, [text])[0], TEXTS * 4))
    assert alone == [*whole] * 4
    assert reader.score(QUESTION, []).shape == (0,)


def test_any_text_can_be_read() -> None:
    reader = load_reader(models_directory() / "reader")
    found = reader.score("\ud800 who? " * 400, ["", "\udfff", "a" * 9000, "word " * 5000, "何か", "\0"])
    assert np.isfinite(found).all()


def test_what_exceeds_the_limits_is_not_read() -> None:
    encoder = PairEncoder(models_directory() / "minilm" / "tokenizer.json")
    (pair,) = encoder.encode(["why " * 500], ["word " * 500])
    assert len(pair) == QUESTION_TOKENS + SENTENCE_TOKENS + 3
    marks = [at for at, token in enumerate(pair) if token in (101, 102)]
    assert marks == [0, QUESTION_TOKENS + 1, len(pair) - 1]


def test_a_reader_without_a_head_or_with_a_stray_layer_is_refused() -> None:
    arrays = dict(load(models_directory() / "reader").arrays)
    with pytest.raises(ArtifactError, match=r"unknown: encoder\.layer\.0\.output\.dense\.bias"):
        CrossReader({**arrays, "encoder.layer.0.output.dense.bias": np.zeros(384)})
    del arrays["head.bias"]
    with pytest.raises(ArtifactError, match=r"missing: head\.bias.*retrain it"):
        CrossReader(arrays)
