"""The bigram CNN: by hand, alike in torch, and fitted to what can be told apart."""

from __future__ import annotations

import numpy as np
import pytest

from answering.cnn import BigramCnn, CnnScorer, read_words
from answering.word_vectors import word_vectors
from core.errors import InvalidValue

VECTORS = word_vectors(["sea", "boat", "sheep"], np.eye(3, 4, dtype=np.float32))


def network(seed: int = 1, dim: int = 4, maps: int = 5) -> BigramCnn:
    drawn = np.random.default_rng(seed)
    left, right = (drawn.normal(size=(dim, maps)).astype(np.float32) for _ in range(2))
    match = drawn.normal(size=(maps, maps)).astype(np.float32)
    return BigramCnn(left, right, drawn.normal(size=maps).astype(np.float32), match, 0.25)


def test_a_reading_is_the_mean_of_the_bigrams_and_a_score_their_match() -> None:
    one = BigramCnn(
        np.array([[1.0]], np.float32), np.array([[2.0]], np.float32), np.array([0.5], np.float32),
        np.array([[3.0]], np.float32), 0.25,
    )  # fmt: skip
    asked, text = np.array([[1.0], [0.0]], np.float32), np.array([[0.0], [1.0], [1.0]], np.float32)
    reading = np.tanh(1.5), (np.tanh(2.5) + np.tanh(3.5)) / 2
    assert one.read(asked)[0] == pytest.approx(reading[0])
    assert one.log_odds(asked, [text])[0] == pytest.approx(reading[0] * 3 * reading[1] + 0.25)


@pytest.mark.parametrize("text", ["", "sea", "unheard of words", "sea boat " * 60])
def test_any_text_has_a_score_and_its_batch_does_not_matter(text: str) -> None:
    scorer = CnnScorer(network(), VECTORS)
    alone = scorer.score("sea boat?", [text])
    assert np.isfinite(alone).all()
    assert scorer.score("sea boat?", ["sheep", text])[1] == pytest.approx(alone[0])
    assert scorer.score(text, []).shape == (0,)


def test_only_the_first_40_words_are_read() -> None:
    assert len(read_words("sea " * 60)) == 40
    scorer = CnnScorer(network(), VECTORS)
    long, longer = scorer.score("boat", ["sea " * 40, "sea " * 40 + "sheep"])
    assert long == longer


def test_weights_must_fit_each_other() -> None:
    one = network()
    with pytest.raises(InvalidValue, match=r"weights must be \(dim, 5\)"):
        BigramCnn(one.left, one.right[:, :4], one.bias, one.match, 0.0)


def test_a_network_survives_its_arrays() -> None:
    one = network()
    back = BigramCnn.from_arrays(one.arrays())
    rows = VECTORS.of(["sea", "boat"])
    assert back.log_odds(rows, [rows]) == pytest.approx(one.log_odds(rows, [rows]))


@pytest.mark.slow
def test_numpy_and_torch_read_alike() -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed: make test-slow installs it")
    one = network(dim=50, maps=50)
    drawn = np.random.default_rng(2)
    texts = [drawn.normal(size=(n, 50)).astype(np.float32) for n in (2, 3, 17, 40)]

    def read(rows: np.ndarray) -> object:
        found = torch.from_numpy(rows)
        # A convolution of width 2: the kernel's two columns are left and right.
        kernel = torch.from_numpy(np.stack([one.left.T, one.right.T], axis=2))
        convolved = torch.nn.functional.conv1d(found.T[None], kernel, torch.from_numpy(one.bias))
        return torch.tanh(convolved).mean(dim=2)[0]

    asked = read(texts[1])
    bilinear = torch.from_numpy(one.match)[None]
    expected = [
        float(torch.nn.functional.bilinear(asked[None], read(rows)[None], bilinear)) + one.offset
        for rows in texts
    ]
    assert one.log_odds(texts[1], texts) == pytest.approx(expected, rel=1e-4, abs=1e-4)


@pytest.mark.slow
def test_fitting_tells_right_from_wrong_the_same_way_twice() -> None:
    pytest.importorskip("torch", reason="torch is not installed: make test-slow installs it")
    from answering.cnn_fit import fit

    pairs = [(q, text) for q in ("sea", "sheep") for text in ("sea boat sea", "sheep sheep boat")] * 20
    right = [question in text for question, text in pairs]
    one, two = (fit(pairs, right, VECTORS, seed=4) for _ in range(2))
    np.testing.assert_array_equal(one.match, two.match)
    scores = CnnScorer(one, VECTORS).score("sea", ["sea boat sea", "sheep sheep boat"])
    assert scores[0] > 0 > scores[1]
    with pytest.raises(InvalidValue, match="must have a label, both in use"):
        fit(pairs, [True] * len(pairs), VECTORS, seed=4)
