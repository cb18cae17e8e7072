"""Reading question and sentence together, with the shipped readers."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Barrier

import numpy as np
import pytest

from answering.cross import (
    QUESTION_TOKENS,
    SENTENCE_TOKENS,
    CrossReader,
    PairEncoder,
    forget_readers,
    load_reader,
)
from answering.learnt import load_learnt
from core.artifacts import Artifact, load, models_directory, save
from core.errors import ArtifactError
from core.protocols import Scorer
from core.text import IdfTable
from tests.support.fakes import HashEmbedder

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


def test_the_models_own_marks_in_a_text_are_text() -> None:
    encoder = PairEncoder(models_directory() / "minilm" / "tokenizer.json")
    (pair,) = encoder.encode(["who [SEP] said [CLS] it?"], ["[MASK] said [SEP] so."])
    assert [token for token in pair if token in (101, 102, 103)] == [101, 102, 102]


def test_threads_that_ask_first_together_share_one_reader() -> None:
    forget_readers()
    together = Barrier(4)

    def first(_: int) -> CrossReader:
        together.wait()
        return load_reader(models_directory() / "reader")

    with ThreadPoolExecutor(4) as pool:
        assert len({id(reader) for reader in list(pool.map(first, range(4)))}) == 1


def test_a_reader_with_missing_or_stray_arrays_is_refused() -> None:
    arrays = dict(load(models_directory() / "reader").arrays)
    for stray in ("encoder.layer.0.output.dense.bias", "encoder.layer.3.more"):
        with pytest.raises(ArtifactError, match=rf"unknown: {stray}; retrain it"):
            CrossReader({**arrays, stray: np.zeros(384, dtype=np.float32)})
    for name in ("head.bias", "encoder.layer.4.output.dense.weight"):
        with pytest.raises(ArtifactError, match=rf"missing: {name}, .*retrain it"):
            CrossReader({other: array for other, array in arrays.items() if other != name})


def test_a_reader_with_damaged_arrays_is_refused() -> None:
    arrays = dict(load(models_directory() / "reader").arrays)
    name, norm = "encoder.layer.4.output.dense.weight", "encoder.layer.5.output.LayerNorm.weight"
    for damaged in (
        {name: arrays[name][:, :10]},
        {name: arrays[name].astype(np.float32)},
        {"head.weight": arrays["head.weight"][:10]},
        {norm: arrays[norm] * np.nan},
    ):
        (which,) = damaged
        with pytest.raises(ArtifactError, match=rf"{which} of a reader must .*, got .*retrain it"):
            CrossReader({**arrays, **damaged})


@pytest.mark.parametrize("config", [{}, {"stands_on": "0" * 64}])
def test_a_reader_that_stands_on_another_model_is_refused(tmp_path: Path, config: dict[str, str]) -> None:
    save(tmp_path / "reader", Artifact(load(models_directory() / "reader").arrays, config))
    with pytest.raises(ArtifactError, match=r"stands on another model than .*retrain it"):
        load_reader(tmp_path / "reader")


def test_trees_are_not_given_another_reader_than_they_learnt_from() -> None:
    with pytest.raises(ArtifactError, match=r"must be the reader that its selector learnt from, .* got "):
        load_reader(models_directory() / "reader", digest="0" * 64)
    with pytest.raises(ArtifactError, match="train the selector again too"):
        replace(load_learnt("clean"), reader="wikiqa/reader").scorer(HashEmbedder(), IdfTable(1))
