"""Any model that sentence-transformers can load (the extra ``st``)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from hashlib import sha256
from threading import Lock
from typing import Any

import numpy as np

from core.errors import ArtifactError, InvalidValue, MissingExtra
from core.identity import digest
from core.protocols import Similarity, Vectors
from core.surrogates import encodable
from service.embedding.base import unit_rows

_BATCH = 32  # texts; the library sorts by length before it cuts batches


class SentenceTransformersEmbedder:
    """Unit rows of a sentence-transformers model, given by folder or by name.

    Passages and questions go through the model's own prompts where it has them. What the model reads
    of a long text is the model's own limit. Loaded at first use.

    Raises:
        InvalidValue: no name or path.
        MissingExtra: at first use, sentence-transformers is not installed.
        ArtifactError: at first use, there is no such model here.
    """

    similarity: Similarity = "cosine"

    def __init__(self, model: str) -> None:
        if not model.strip():
            raise InvalidValue("st: needs a model, got none; say st:NAME_OR_PATH")
        self._name = model
        self._lock = Lock()

    @property
    def name(self) -> str:
        """``st:NAME_OR_PATH``."""
        return f"st:{self._name}"

    @cached_property
    def dim(self) -> int:
        """Length of a vector, found by embedding one."""
        return len(self.embed_query("dimension"))

    @cached_property
    def fingerprint(self) -> str:
        """Digest of the weights, the vocabulary, the modules' settings and the prompts."""
        model = self._model
        weights = sha256()
        for name, tensor in sorted(model.state_dict().items()):
            values = tensor.detach().cpu().float().numpy()
            weights.update(f"{name} {values.shape}\0".encode())
            weights.update(values.tobytes())
        modules = [(type(module).__name__, _settings(module)) for module in model]
        vocabulary: object = getattr(model.tokenizer, "get_vocab", dict)()
        rest = [modules, model.prompts, model.max_seq_length, vocabulary]
        return digest(
            "sentence-transformers",
            weights.hexdigest(),
            json.dumps(rest, sort_keys=True, default=str),
            "unit",
        )

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """(n, dim) float32, unit rows in the order of ``texts``."""
        if not texts:
            return np.empty((0, self.dim), dtype=np.float32)
        return self._rows(self._model.encode_document, texts)

    def embed_query(self, text: str) -> Vectors:
        """(dim,) float32."""
        vector: Vectors = self._rows(self._model.encode_query, [text])[0]
        return vector

    def _rows(self, encode: Any, texts: Sequence[str]) -> Vectors:
        readable = [encodable(text) for text in texts]
        return unit_rows(encode(readable, batch_size=_BATCH, convert_to_numpy=True, show_progress_bar=False))

    @property
    def _model(self) -> Any:
        with self._lock:  # one load, however many threads ask first
            return self._loaded

    @cached_property
    def _loaded(self) -> Any:
        try:
            from sentence_transformers import SentenceTransformer
        except ModuleNotFoundError as error:
            raise MissingExtra(
                f"{self.name} needs sentence-transformers, which is not installed; "
                "pip install 'sawyer-rag[st]'"
            ) from error
        try:
            return SentenceTransformer(self._name)
        except (OSError, ValueError) as error:
            raise ArtifactError(
                f"st: needs a model folder or the name of a model on this machine, got {self._name!r} "
                f"({str(error).splitlines()[0]}); give the path of a sentence-transformers folder"
            ) from error


def _settings(module: Any) -> object:
    describe = getattr(module, "get_config_dict", None)
    return describe() if describe is not None else None
