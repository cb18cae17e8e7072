"""Contriever: one encoder for passages and questions, the mean over tokens, raw dot products."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.errors import InvalidValue
from core.protocols import Similarity, Vectors
from service.embedding.encoders import Encoder


class ContrieverEmbedder:
    """The mean of the last layer over a text's tokens, not divided by its length.

    Source: the snippet published with the model (huggingface.co/facebook/contriever; Izacard et al. 2022).

    Raises:
        InvalidValue: no path.
        MissingExtra, ArtifactError: at first use, as `Encoder`.
    """

    similarity: Similarity = "dot"

    def __init__(self, folder: str) -> None:
        if not folder.strip():
            raise InvalidValue("contriever: needs a model folder, got none; say contriever:PATH")
        self.name = f"contriever:{folder}"
        self._encoder = Encoder("AutoModel", folder, token_mean, "mean")

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return self._encoder.dim

    @property
    def fingerprint(self) -> str:
        """That of the encoder."""
        return self._encoder.fingerprint

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """(n, dim) float32, in the order of ``texts``."""
        return self._encoder.rows(texts)

    def embed_query(self, text: str) -> Vectors:
        """(dim,) float32, the same vector as the text has as a passage."""
        vector: Vectors = self._encoder.rows([text])[0]
        return vector


def token_mean(output: Any, mask: Any) -> Any:
    """(n, dim): the mean over the tokens that the mask lets in, [CLS] and [SEP] among them."""
    kept = output.last_hidden_state.masked_fill(~mask[..., None].bool(), 0.0)  # (n, tokens, dim)
    return kept.sum(dim=1) / mask.sum(dim=1)[..., None]
