"""What a command hands to chunkers that follow the content: the embedder of its vectors, the chat model.

Both are named rather than held, so that a method can be sent to another process, which builds its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from chunkers.base import Chunker
from chunkers.recipe import Models
from core.protocols import ChatModel, Count, Embedder, Similarity, Vectors, uncounted
from eval.embedders import embedder_named, vector_shelf
from eval.keeping import Say
from eval.kept_vectors import KeptVectors


def asked_models(embedder: str, cache: Path, say: Say) -> Models:
    """The embedder of that name, and the chat model that the settings name, if any; each is loaded when used.

    Args:
        cache: where vectors are kept, for all commands; a chunker's windows are the index's own.
    """
    from service.settings import Settings

    chat = None if Settings.load().chat_model is None else SettingsChat()
    return Models(embedder=NamedEmbedder(embedder, cache, say), chat=chat)


def chunker_label(name: str, chunker: Chunker) -> str:
    """What tables call a chunker of that name: ``recursive``, ``lumber[local]``, ``lumber[chat:MODEL]``."""
    asked = asked_by(chunker)
    return name if asked is None else f"{name}[{asked}]"


def asked_by(chunker: Chunker) -> str | None:
    """Who picks a chunker's boundaries, or rewrites its chunks: ``local``, ``chat:MODEL``, else None."""
    asked = getattr(chunker, "picker", None) or getattr(chunker, "rewriter", None)
    return None if asked is None else str(asked.name)


@dataclass(frozen=True, slots=True)
class NamedEmbedder:
    """The embedder that a command line names, its vectors kept on disk."""

    spec: str
    cache: Path
    say: Callable[[str], None]

    @property
    def name(self) -> str:
        """See `core.protocols.Embedder`, as for the rest."""
        return self._named.name

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return self._named.dim

    @property
    def fingerprint(self) -> str:
        """Digest of all that decides the vectors."""
        return self._named.fingerprint

    @property
    def similarity(self) -> Similarity:
        """``cosine`` or ``dot``."""
        return self._named.similarity

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """(n, dim) float32, in the order of ``texts``."""
        return self._named.embed_passages(texts)

    def embed_query(self, text: str) -> Vectors:
        """(dim,) float32."""
        return self._named.embed_query(text)

    @property
    def _named(self) -> Embedder:
        return _kept(self.spec, self.cache, self.say)


@dataclass(frozen=True, slots=True)
class SettingsChat:
    """The chat model that the settings name; whatever is asked of it, one in a process answers."""

    @property
    def name(self) -> str:
        """See `core.protocols.ChatModel`, as for the rest."""
        return _chat().name

    def notices(self) -> Sequence[str]:
        """What people should know of how the model was set up."""
        return _chat().notices()

    def keeps_schema(self, count: Count = uncounted) -> bool:
        """Whether the endpoint keeps replies to a schema."""
        return _chat().keeps_schema(count)

    def complete(
        self,
        system: str,
        user: str,
        *,
        max_tokens: int,
        schema: Mapping[str, object] | None = None,
        count: Count = uncounted,
    ) -> str:
        """The reply's text."""
        return _chat().complete(system, user, max_tokens=max_tokens, schema=schema, count=count)


@lru_cache(maxsize=1)
def _kept(spec: str, cache: Path, say: Say) -> Embedder:
    return KeptVectors(embedder_named(spec), vector_shelf(cache, say))


@lru_cache(maxsize=1)
def _chat() -> ChatModel:
    from service.chat import build_chat
    from service.settings import Settings

    chat = build_chat(Settings.load())
    assert chat is not None  # noqa: S101 - made only where the settings name one
    return chat
