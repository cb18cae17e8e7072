"""The embedders by kind, and the one that a setting names."""

from __future__ import annotations

from collections.abc import Callable

from core.errors import InvalidValue
from core.protocols import Embedder
from service.embedding.contriever import ContrieverEmbedder
from service.embedding.dpr import DPREmbedder
from service.embedding.minilm import MiniLM
from service.embedding.openai import OpenAIEmbedder
from service.embedding.st import SentenceTransformersEmbedder
from service.provider import OPENAI_URL, Endpoint
from service.settings import Settings


def _minilm(model: str, _base_url: str | None, _api_key: str | None) -> Embedder:
    if model:
        raise InvalidValue(f"minilm is one model and takes no name, got {model!r}; say minilm")
    return MiniLM()


def _sentence_transformers(model: str, _base_url: str | None, _api_key: str | None) -> Embedder:
    return SentenceTransformersEmbedder(model)


def _contriever(model: str, _base_url: str | None, _api_key: str | None) -> Embedder:
    return ContrieverEmbedder(model)


def _dpr(model: str, _base_url: str | None, _api_key: str | None) -> Embedder:
    return DPREmbedder(model)


def _openai(model: str, base_url: str | None, api_key: str | None) -> Embedder:
    if not api_key:
        raise InvalidValue(
            "openai:MODEL needs an API key, got none; set SAWYER_EMBEDDER_API_KEY (any word does where the "
            "endpoint asks for none)"
        )
    return OpenAIEmbedder(model, Endpoint(base_url or OPENAI_URL, api_key))


# Kind -> constructor, called with what follows the colon, a base URL and an API key.
EMBEDDERS: dict[str, Callable[[str, str | None, str | None], Embedder]] = {
    "minilm": _minilm,
    "st": _sentence_transformers,
    "contriever": _contriever,
    "dpr": _dpr,
    "openai": _openai,
}


def embedder_of(settings: Settings) -> Embedder:
    """The embedder that the settings name; see `build_embedder`."""
    return build_embedder(
        settings.embedder, base_url=settings.embedder_base_url, api_key=settings.embedder_api_key
    )


def build_embedder(spec: str, *, base_url: str | None = None, api_key: str | None = None) -> Embedder:
    """The embedder that ``spec`` names: ``minilm``, ``st:NAME_OR_PATH``, ``contriever:PATH``,
    ``dpr:QPATH,CPATH`` or ``openai:MODEL``.

    Nothing is loaded or asked before the first use.

    Args:
        base_url: for ``openai``, the endpoint; default: OpenAI's own. The other kinds run here and
            leave it and the key alone.
        api_key: for ``openai``.

    Raises:
        InvalidValue: no such kind, or a missing name, URL or key.
    """
    kind, _, model = spec.partition(":")
    if kind not in EMBEDDERS:
        raise InvalidValue(
            "embedder must be minilm, st:NAME_OR_PATH, contriever:PATH, dpr:QPATH,CPATH or openai:MODEL, "
            f"got {spec!r}"
        )
    return EMBEDDERS[kind](model, base_url, api_key)
