"""What an embedder that stands around another one takes over from it unchanged."""

from __future__ import annotations

from core.protocols import Embedder, Similarity


class AroundEmbedder:
    """Name, length, fingerprint and similarity of ``inner``, whose vectors these are.

    Each is asked for when it is needed, and not before: some are known only once a model is loaded.
    """

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner

    @property
    def name(self) -> str:
        """See `core.protocols.Embedder`, as for the rest."""
        return self._inner.name

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return self._inner.dim

    @property
    def fingerprint(self) -> str:
        """That of ``inner``: the vectors are the same."""
        return self._inner.fingerprint

    @property
    def similarity(self) -> Similarity:
        """That of ``inner``."""
        return self._inner.similarity
