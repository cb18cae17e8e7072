"""Word vectors: zeros for what is unknown, nearly the same after the disk, and likeness that makes sense."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from answering.word_vectors import load_word_vectors, save_word_vectors, word_vectors
from core.errors import InvalidValue


def test_unknown_words_are_zeros_and_do_not_weigh_in_a_mean() -> None:
    vectors = word_vectors(["sea", "boat"], np.array([[2.0, 0.0], [0.0, 4.0]], dtype=np.float32))
    assert vectors.dim == 2
    assert vectors.of(["boat", "zeppelin"]).tolist() == [[0, 4], [0, 0]]
    assert vectors.mean(["sea", "zeppelin", "boat"]).tolist() == [1, 2]
    assert vectors.mean(["zeppelin"]).tolist() == [0, 0]
    assert vectors.of([]).shape == (0, 2)
    assert vectors.units(["boat", "sea", "zeppelin"]).tolist() == [[0, 1], [1, 0], [0, 0]]


def test_each_word_has_one_vector() -> None:
    with pytest.raises(InvalidValue, match="each of 1 words must have one vector"):
        word_vectors(["sea", "sea"], np.ones((2, 3), dtype=np.float32))
    with pytest.raises(InvalidValue, match=r"got \(1, 3\)"):
        word_vectors(["sea", "boat"], np.ones((1, 3), dtype=np.float32))


def test_vectors_survive_the_disk_to_a_step_of_their_largest_component(tmp_path: Path) -> None:
    matrix = np.random.default_rng(3).normal(size=(5, 8)).astype(np.float32)
    words = ["a", "b", "c", "été", "海"]
    save_word_vectors(words, matrix, tmp_path / "v", made_of="noise")
    kept = load_word_vectors(tmp_path / "v")
    assert list(kept.rows) == words
    error = np.abs(kept.of(words) - matrix).max(axis=1)
    assert (error <= np.abs(matrix).max(axis=1) / 127).all()


def test_the_shipped_vectors_know_60000_words_and_that_a_creek_is_a_river() -> None:
    vectors = load_word_vectors()
    assert (len(vectors.rows), vectors.dim) == (60_000, 50)
    river, creek, captain = (row / np.linalg.norm(row) for row in vectors.of(["river", "creek", "captain"]))
    assert river @ creek > 0.7 > river @ captain
