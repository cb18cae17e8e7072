"""The default embedder: our int8 all-MiniLM-L6-v2 on ONNX Runtime, shipped in ``models/minilm``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from core.artifacts import file_digest, models_directory
from core.errors import ArtifactError, InvalidValue
from core.identity import digest
from core.machine import cores
from core.protocols import Similarity, Vectors
from core.surrogates import encodable

if TYPE_CHECKING:
    from tokenizers import Tokenizer

FORMAT = 1
MAX_TOKENS = 256  # what the model was trained to read; [CLS] and [SEP] count
_FILES = ("model.onnx", "tokenizer.json")
# Texts handed to the threads at once: bounds memory, and the wait after an interrupt.
_SHARE = 256


class MiniLM:
    """Sentences and short passages to 384 numbers; unit rows. Safe to use from several threads.

    The mean over a text's tokens; a text is read up to its 256th token, the rest is not seen (windows
    hold at most 128). One text is one run: the int8 activations take their scale from the text alone,
    so a vector is the same whatever stands beside it, and as many texts run at once as
    there are cores. Files are read, and their digests checked, at first use.

    Args:
        directory: a folder with ``model.onnx``, ``tokenizer.json`` and ``digests.json``; default: ours.
        threads: texts embedded at once; default: the cores that this process may use.

    Raises:
        InvalidValue: fewer than one thread.
        ArtifactError: at first use, a file is missing or not the one that ``digests.json`` names.
    """

    name = "minilm"
    dim = 384
    similarity: Similarity = "cosine"

    def __init__(self, directory: Path | None = None, *, threads: int | None = None) -> None:
        if threads is not None and threads < 1:
            raise InvalidValue(f"threads must be at least 1, got {threads}")
        self._directory = directory or models_directory() / "minilm"
        self._threads = threads or cores()
        self._lock = Lock()

    @cached_property
    def fingerprint(self) -> str:
        """Digest of the two files, the pooling and the limit."""
        found = [file_digest(self._directory / name) for name in _FILES]
        expected = _declared(self._directory / "digests.json")
        for name, value in zip(_FILES, found, strict=True):
            if expected.get(name) != value:
                raise ArtifactError(
                    f"{self._directory / name} must have the SHA-256 that digests.json names, "
                    f"{expected.get(name)}, got {value}; reinstall sawyer-rag"
                )
        return digest("minilm", *found, "mean", str(MAX_TOKENS), "unit")

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """(n, 384) float32, unit rows in the order of ``texts``."""
        vectors = np.empty((len(texts), self.dim), dtype=np.float32)
        model = self._model
        with ThreadPoolExecutor(max(1, min(self._threads, len(texts)))) as pool:
            for start in range(0, len(texts), _SHARE):
                share = texts[start : start + _SHARE]
                for row, vector in enumerate(pool.map(model.vector, share), start):
                    vectors[row] = vector
        return vectors

    def embed_query(self, text: str) -> Vectors:
        """(384,) float32, the same vector as the text has as a passage."""
        return self._model.vector(text)

    @property
    def _model(self) -> _Model:
        with self._lock:  # one load, however many threads ask first
            return self._loaded

    @cached_property
    def _loaded(self) -> _Model:
        _ = self.fingerprint  # checks the files before anything reads them
        return _Model(*(self._directory / name for name in _FILES))


class _Model:
    """The two files, loaded."""

    def __init__(self, model: Path, tokenizer: Path) -> None:
        import onnxruntime

        onnxruntime.set_default_logger_severity(3)  # errors only: warnings about absent GPUs say nothing
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        options.intra_op_num_threads = 1  # the threads are spent on texts, not inside one
        options.inter_op_num_threads = 1
        self._session: Any = onnxruntime.InferenceSession(
            str(model), options, providers=["CPUExecutionProvider"]
        )
        self._tokenizer = _tokenizer(tokenizer)

    def vector(self, text: str) -> Vectors:
        """(384,) float32."""
        ids = np.array([self._tokenizer.encode(encodable(text)).ids], dtype=np.int64)  # (1, tokens)
        (rows,) = self._session.run(["vectors"], {"ids": ids})
        vector: Vectors = rows[0]
        return vector


def _tokenizer(path: Path) -> Tokenizer:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(path))
    # The file itself asks for 128 tokens, padded to 128.
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS)
    return tokenizer


def _declared(path: Path) -> dict[str, str]:
    try:
        head = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ArtifactError(f"model file {path} cannot be read ({error}); reinstall sawyer-rag") from error
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        found = head.get("format") if isinstance(head, dict) else None
        raise ArtifactError(f"{path} must have format {FORMAT}, got {found}; reinstall sawyer-rag")
    files = head.get("files")
    if not isinstance(files, dict):
        raise ArtifactError(f"{path} must name its files, got {files!r}; reinstall sawyer-rag")
    return files
