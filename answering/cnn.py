"""The bigram CNN: two texts read by one layer of convolution, their means matched.

Source: Yu, Hermann, Blunsom and Pulman 2014, "Deep Learning for Answer Sentence Selection", sections 3.2
and 4, as Yang, Yih and Meek 2015 use it. Trained by `python -m eval.train published`; numpy reads it here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from answering.word_vectors import WordVectors
from core.errors import InvalidValue
from core.text import words

# Words of a text that are read, as in the paper; the rest of a longer one is not.
MOST_WORDS = 40


@dataclass(frozen=True)
class BigramCnn:
    """``reading = mean over i of tanh(x[i] left + x[i + 1] right + bias)``; ``score = q match a + offset``.

    Attributes:
        left: (dim, maps) float32.
        right: (dim, maps) float32.
        bias: (maps,) float32.
        match: (maps, maps) float32.
        offset: of the score, which is a log-odds.
    """

    left: NDArray[np.float32]
    right: NDArray[np.float32]
    bias: NDArray[np.float32]
    match: NDArray[np.float32]
    offset: float

    def __post_init__(self) -> None:
        maps = self.bias.shape[0]
        if (
            self.left.shape != self.right.shape
            or self.left.shape[1:] != (maps,)
            or self.match.shape != (maps, maps)
        ):
            raise InvalidValue(
                f"weights must be (dim, {maps}), (dim, {maps}) and ({maps}, {maps}), "
                f"got {self.left.shape}, {self.right.shape} and {self.match.shape}"
            )

    def read(self, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        """(maps,): the reading of a text's word vectors (n, dim); fewer than two are filled up with zeros."""
        if len(rows) < 2:
            rows = np.concatenate([rows, np.zeros((2 - len(rows), self.left.shape[0]), dtype=rows.dtype)])
        bigrams = np.tanh(rows[:-1] @ self.left + rows[1:] @ self.right + self.bias)  # (n - 1, maps)
        return np.asarray(bigrams.mean(axis=0))

    def log_odds(
        self, question: NDArray[np.float32], texts: Sequence[NDArray[np.float32]]
    ) -> NDArray[np.float64]:
        """(n,): how surely each text, given as word vectors, answers the question."""
        if not texts:
            return np.empty(0)
        readings = np.stack([self.read(rows) for rows in texts])  # (n, maps)
        return np.asarray(readings @ (self.read(question) @ self.match) + self.offset, dtype=np.float64)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """What `from_arrays` reads."""
        return {
            "left": self.left,
            "right": self.right,
            "bias": self.bias,
            "match": self.match,
            "offset": np.array([self.offset], dtype=np.float32),
        }

    @staticmethod
    def from_arrays(arrays: dict[str, NDArray[Any]]) -> BigramCnn:
        """The network of `arrays`."""
        return BigramCnn(
            arrays["left"], arrays["right"], arrays["bias"], arrays["match"], float(arrays["offset"][0])
        )


@dataclass(frozen=True)
class CnnScorer:
    """A Scorer: the network's log-odds, over frozen word vectors."""

    network: BigramCnn
    vectors: WordVectors

    def score(self, question: str, texts: Sequence[str]) -> NDArray[np.float64]:
        """(n,) log-odds."""
        return self.network.log_odds(
            self.vectors.of(read_words(question)), [self.vectors.of(read_words(text)) for text in texts]
        )


def read_words(text: str) -> list[str]:
    """The words that the network reads."""
    return words(text)[:MOST_WORDS]
