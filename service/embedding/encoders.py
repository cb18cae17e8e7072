"""Encoders of transformers as Contriever and DPR use them: pooled rows, raw dot products (extra ``st``)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from hashlib import sha256
from threading import Lock
from typing import Any

import numpy as np

from core.errors import ArtifactError, MissingExtra
from core.identity import digest
from core.protocols import Vectors
from core.surrogates import encodable

_BATCH = 32  # texts

# (the model's output, (n, tokens) attention mask) -> (n, dim), all torch tensors.
Pooling = Callable[[Any, Any], Any]


class Encoder:
    """One model and its tokenizer from a folder, loaded at first use. Safe to use from several threads.

    A text is read up to as many tokens as the model has positions; the rest is not seen. Rows have the
    lengths that the model gives them.

    Args:
        kind: the class in ``transformers``: ``AutoModel``, ``DPRContextEncoder``.
        folder: a folder that ``from_pretrained`` reads, or the name of a model on this machine.
        pooling: from what the model says of every token to one row a text.
        pooling_name: tells the pooling in the fingerprint.

    Raises:
        MissingExtra: at first use, transformers or torch is not installed.
        ArtifactError: at first use, there is no such model here.
    """

    def __init__(self, kind: str, folder: str, pooling: Pooling, pooling_name: str) -> None:
        self._kind = kind
        self._folder = folder
        self._pooling = pooling
        self._pooling_name = pooling_name
        self._lock = Lock()

    @cached_property
    def fingerprint(self) -> str:
        """Digest of the weights, the vocabulary, the limit and the pooling."""
        tokenizer, model = self._parts
        weights = sha256()
        for name, tensor in sorted(model.state_dict().items()):
            values = tensor.detach().cpu().float().numpy()
            weights.update(f"{name} {values.shape}\0".encode())
            weights.update(values.tobytes())
        vocabulary = json.dumps(tokenizer.get_vocab(), sort_keys=True)
        return digest(
            self._kind, weights.hexdigest(), vocabulary, str(self._limit), self._pooling_name, "raw"
        )

    @property
    def dim(self) -> int:
        """Length of a row."""
        return int(self._parts[1].config.hidden_size)

    def rows(self, texts: Sequence[str]) -> Vectors:
        """(n, dim) float32, in the order of ``texts``; no texts give (0, dim)."""
        tokenizer, model = self._parts
        import torch

        rows = np.empty((len(texts), self.dim), dtype=np.float32)
        readable = [encodable(text) for text in texts]
        ids = tokenizer(readable, truncation=True, max_length=self._limit)["input_ids"] if texts else []
        for batch in _batches([len(one) for one in ids]):
            # Of one length, so that nothing is padded: padding would move the last digits.
            tokens = tokenizer(
                [readable[at] for at in batch], truncation=True, max_length=self._limit, return_tensors="pt"
            )
            with torch.inference_mode():
                pooled = self._pooling(model(**tokens), tokens["attention_mask"])
            rows[batch] = pooled.numpy()
        return rows

    @property
    def _limit(self) -> int:
        # A tokenizer that was saved without a limit says 10^30.
        tokenizer, model = self._parts
        return min(int(tokenizer.model_max_length), int(model.config.max_position_embeddings))

    @property
    def _parts(self) -> tuple[Any, Any]:
        with self._lock:  # one load, however many threads ask first
            return self._loaded

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        try:
            import torch  # noqa: F401 - without it transformers says so only when a model is asked for
            import transformers
        except ModuleNotFoundError as error:
            raise MissingExtra(
                f"{self._folder} needs transformers and torch, which are not installed; "
                "pip install 'sawyer-rag[st]'"
            ) from error
        transformers.utils.logging.disable_progress_bar()
        try:
            tokenizer = transformers.AutoTokenizer.from_pretrained(self._folder)
            model = getattr(transformers, self._kind).from_pretrained(self._folder)
        except (OSError, ValueError) as error:
            raise ArtifactError(
                f"an encoder must be a model folder or the name of a model on this machine, got "
                f"{self._folder!r} ({str(error).splitlines()[0]}); give the path of a folder that "
                "transformers has saved"
            ) from error
        return tokenizer, model.eval()


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Places of equal lengths, as many at once as a batch holds."""
    by_length: dict[int, list[int]] = {}
    for at, length in enumerate(lengths):
        by_length.setdefault(length, []).append(at)
    for places in by_length.values():
        for start in range(0, len(places), _BATCH):
            yield places[start : start + _BATCH]
