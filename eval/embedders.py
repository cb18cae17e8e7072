"""The embedder that a command names, with what it has embedded before."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from core.protocols import Embedder
from eval.costs import Cost
from eval.keeping import Say, Shelf
from eval.kept_vectors import KeptVectors
from service.embedding.remembering import RememberingEmbedder


@dataclass(frozen=True, slots=True)
class Embedders:
    """What embeds windows and questions, and what embeds the chunks that a Scorer reads.

    Both stand around one embedder that remembers. The vectors of windows are kept on disk too; what a Scorer
    reads is another list of chunks for every question, and is not.
    """

    windows: KeptVectors
    reading: KeptVectors

    @staticmethod
    def around(inner: Embedder, cache: Path | None, say: Say) -> Embedders:
        """Both around a new memory of ``inner``.

        Args:
            cache: the folder of what is kept; None keeps nothing.
        """
        remembering = RememberingEmbedder(inner)
        shelf = None if cache is None else vector_shelf(cache, say)
        return Embedders(KeptVectors(remembering, shelf), KeptVectors(remembering, None))

    @property
    def cost(self) -> Cost:
        """What both have cost so far."""
        return self.windows.cost + self.reading.cost


def vector_shelf(cache: Path, say: Say) -> Shelf:
    """Where a cache keeps vectors, for every command the same."""
    return Shelf(cache / "vectors", say)


def embedder_named(name: str) -> Embedder:
    """The embedder that a command line names; an endpoint's address and key come from the settings."""
    from service.embedding import build_embedder
    from service.settings import Settings

    if not name.startswith("openai:"):
        return build_embedder(name)
    endpoint = Settings.load()
    return build_embedder(name, base_url=endpoint.embedder_base_url, api_key=endpoint.embedder_api_key)
