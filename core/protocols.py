"""The seams between floors: what a thing must do, never how. No base classes, no registration."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
Similarity = Literal["cosine", "dot"]
# Called, from any thread, once for each thing that was done, with its name in plain words: ``request made
# again``.
Count = Callable[[str], None]


def uncounted(name: str) -> None:
    """A count that nobody keeps."""


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
    """A chat model behind one call; may be called from several threads."""

    @property
    def name(self) -> str:
        """The model's name, as its endpoint calls it."""

    def keeps_schema(self, count: Count = uncounted) -> bool:
        """Whether replies can be held to a JSON schema: found out once, by a request of its own.

        Raises:
            ProviderError: as `complete` does; nothing was found out then.
        """

    def notices(self) -> Sequence[str]:
        """What was found out about the endpoint, and what is done otherwise for it, in sentences for
        people; asks nobody.
        """

    def complete(
        self,
        system: str,
        user: str,
        *,
        max_tokens: int,
        schema: Mapping[str, object] | None = None,
        count: Count = uncounted,
    ) -> str:
        """The reply's text, without what the model thought aloud before it; checking it is the caller's.

        Args:
            max_tokens: of the visible reply; a model that thinks first gets room for that besides.
            schema: a JSON schema that the reply is held to; only where `keeps_schema` says so.
            count: told of every request made again.

        Raises:
            ProviderRefused: the endpoint or model will never answer so: a wrong key, URL or name.
            UnusableReply: the model answered, but with no text to read; another try may help.
            ProviderError: the endpoint failed.
        """


@runtime_checkable
class Scorer(Protocol):
    """How well each text answers a question: a reranker and an answer selector are the same thing."""

    def score(self, question: str, texts: Sequence[str]) -> NDArray[np.float64]:
        """(n,) float64, higher is better; no texts give (0,)."""
