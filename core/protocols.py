"""The seams between floors: what a thing must do, never how. No base classes, no registration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
Similarity = Literal["cosine", "dot"]


@runtime_checkable
class Embedder(Protocol):
    """Text to vectors. A text's vector never depends on its batch mates (to 1e-5)."""

    @property
    def name(self) -> str:
        """What a person calls it: ``minilm``, ``st:NAME``, ``openai:MODEL``."""

    @property
    def dim(self) -> int:
        """Length of a vector."""

    @property
    def fingerprint(self) -> str:
        """Digest of all that decides the vectors (weights, pooling, limits); keys the space."""

    @property
    def similarity(self) -> Similarity:
        """``cosine``: rows are unit vectors; ``dot``: raw dot products."""

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """(n, dim) float32, in the order of ``texts``; no texts give (0, dim)."""

    def embed_query(self, text: str) -> Vectors:
        """(dim,) float32."""


@runtime_checkable
class ChatModel(Protocol):
    """A chat model behind one call."""

    def complete(self, system: str, user: str, *, max_tokens: int) -> str:
        """The reply's text.

        Raises:
            ProviderError: when the model gave no usable reply.
        """


@runtime_checkable
class Scorer(Protocol):
    """How well each text answers a question: a reranker and an answer selector are the same thing."""

    def score(self, question: str, texts: Sequence[str]) -> NDArray[np.float64]:
        """(n,) float64, higher is better; no texts give (0,)."""
