"""DPR: one encoder for questions, another for passages, the pooler's output, raw dot products."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from core.errors import ArtifactError, InvalidValue
from core.identity import digest
from core.protocols import Similarity, Vectors
from service.embedding.encoders import Encoder


class DPREmbedder:
    """What an encoder's last layer says of the first token (its ``pooler_output``), as long as it is.

    Source: the snippets published with the models (huggingface.co/facebook/dpr-ctx_encoder-single-nq-base
    and dpr-question_encoder-single-nq-base; Karpukhin et al. 2020).

    Args:
        folders: ``QPATH,CPATH``: the question encoder's folder and the passage (context) encoder's.

    Raises:
        InvalidValue: unless there are two paths.
        MissingExtra: at first use, as `Encoder`.
        ArtifactError: at first use, as `Encoder`, or the two give vectors of different lengths.
    """

    similarity: Similarity = "dot"

    def __init__(self, folders: str) -> None:
        questions, comma, passages = (part.strip() for part in folders.partition(","))
        if not (questions and comma and passages) or "," in passages:
            raise InvalidValue(
                f"dpr: needs a question encoder and a passage encoder, got {folders!r}; say dpr:QPATH,CPATH"
            )
        self.name = f"dpr:{questions},{passages}"
        self._questions = Encoder("DPRQuestionEncoder", questions, first_token, "pooler")
        self._passages = Encoder("DPRContextEncoder", passages, first_token, "pooler")

    @cached_property
    def dim(self) -> int:
        """Length of a vector."""
        if self._questions.dim != self._passages.dim:
            raise ArtifactError(
                f"{self.name} must have encoders of one dimension, got {self._questions.dim} and "
                f"{self._passages.dim}; give two that were trained together"
            )
        return self._passages.dim

    @cached_property
    def fingerprint(self) -> str:
        """Digest of both encoders."""
        return digest("dpr", self._questions.fingerprint, self._passages.fingerprint)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """(n, dim) float32, in the order of ``texts``."""
        _ = self.dim
        return self._passages.rows(texts)

    def embed_query(self, text: str) -> Vectors:
        """(dim,) float32."""
        _ = self.dim
        vector: Vectors = self._questions.rows([text])[0]
        return vector


def first_token(output: Any, _mask: Any) -> Any:
    """(n, dim): what the model gives as its pooled output."""
    return output.pooler_output
