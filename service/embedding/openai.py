"""Embeddings of any OpenAI-compatible endpoint."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.errors import InvalidValue, ProviderError
from core.identity import digest
from core.protocols import Similarity, Vectors
from core.surrogates import encodable
from service.embedding.base import unit_rows
from service.provider import Endpoint

if TYPE_CHECKING:
    from openai import OpenAI

# One request: far under every known limit (2,048 texts, 300,000 tokens), and a retry costs little.
_TEXTS, _CHARACTERS = 64, 100_000


class OpenAIEmbedder:
    """Vectors from ``POST {base_url}/embeddings``, divided by their lengths: unit rows.

    Texts are sent as strings, never as token ids; an empty text is sent as one space, because such
    endpoints refuse it. The dimension is learnt from the first reply (asking for ``dim`` before one
    makes one request) and every later reply must keep to it.

    Raises:
        InvalidValue: no model name.
        ProviderError: from every call that embeds, when the endpoint fails or its reply is not exactly
            one finite vector a text, each of the same dimension.
    """

    similarity: Similarity = "cosine"

    def __init__(self, model: str, endpoint: Endpoint) -> None:
        if not model.strip():
            raise InvalidValue("openai: needs a model name, got none; say openai:MODEL")
        self._model = model
        self._endpoint = endpoint
        self._dim: int | None = None
        self._lock = Lock()

    @property
    def name(self) -> str:
        """``openai:MODEL``."""
        return f"openai:{self._model}"

    @property
    def dim(self) -> int:
        """Length of a vector; costs one request when nothing was embedded yet."""
        if self._dim is None:
            self.embed_query("dimension")
        return self._dim or 0

    @property
    def fingerprint(self) -> str:
        """Digest of the URL and the model's name: an endpoint does not tell its weights."""
        return digest("openai", self._endpoint.base_url.rstrip("/"), self._model, "unit")

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """(n, dim) float32, unit rows in the order of ``texts``."""
        if not texts:
            return np.empty((0, self.dim), dtype=np.float32)
        return np.concatenate([self._embed(batch) for batch in _batches(texts)])

    def embed_query(self, text: str) -> Vectors:
        """(dim,) float32."""
        vector: Vectors = self._embed([text])[0]
        return vector

    @cached_property
    def _client(self) -> OpenAI:
        return self._endpoint.client()

    def _embed(self, batch: Sequence[str]) -> Vectors:
        with self._endpoint.errors():
            reply = self._client.embeddings.with_raw_response.create(
                model=self._model,
                input=[encodable(text) or " " for text in batch],
                encoding_format="float",
            )
        rows = _checked(_parsed(reply.text, self._endpoint), len(batch), self._endpoint)
        with self._lock:  # two first replies must agree as well
            self._dim = self._dim or rows.shape[1]
        if rows.shape[1] != self._dim:
            raise ProviderError(
                f"the endpoint {self._endpoint.shown} must keep to {self._dim} dimensions for "
                f"{self._model}, got {rows.shape[1]}; the model changed: run sawyer reindex"
            )
        return unit_rows(rows)


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    characters = 0
    for text in texts:
        if batch and (len(batch) == _TEXTS or characters + len(text) > _CHARACTERS):
            yield batch
            batch, characters = [], 0
        batch.append(text)
        characters += len(text)
    if batch:
        yield batch


def _parsed(text: str, endpoint: Endpoint) -> object:
    try:
        return json.loads(text)
    except ValueError as error:
        raise _unusable(endpoint, "JSON", "something else") from error


def _checked(reply: object, count: int, endpoint: Endpoint) -> NDArray[np.float64]:
    """(count, dim) float64 in the order of the texts, whatever order the reply is in."""
    data = reply.get("data") if isinstance(reply, dict) else None
    if not isinstance(data, list) or len(data) != count:
        found = f"{len(data)}" if isinstance(data, list) else "none"
        raise _unusable(endpoint, f"a list of {count} vectors", found)
    by_index = {item.get("index"): item.get("embedding") for item in data if isinstance(item, dict)}
    vectors = [by_index.get(index) for index in range(count)]
    lengths = set()
    for index, vector in enumerate(vectors):
        if not isinstance(vector, list) or not all(type(value) in (int, float) for value in vector):
            raise _unusable(endpoint, f"a list of numbers for text {index}", type(vector).__name__)
        if not any(vector) or not all(math.isfinite(value) for value in vector):
            raise _unusable(endpoint, f"finite numbers, not all zero, for text {index}", "others")
        lengths.add(len(vector))
    if len(lengths) != 1:
        raise _unusable(endpoint, "vectors of one dimension", ", ".join(map(str, sorted(lengths))))
    return np.array(vectors, dtype=np.float64)


def _unusable(endpoint: Endpoint, rule: str, found: str) -> ProviderError:
    return ProviderError(
        f"the embeddings reply of {endpoint.shown} must hold {rule}, got {found}; check the base URL and "
        "that the model is an embedding model"
    )
