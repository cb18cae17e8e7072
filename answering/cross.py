"""Question and sentence read together: the shipped MiniLM with its upper layers trained to judge pairs.

The lower layers and the word table are those of ``models/minilm``; an artefact holds the upper layers alone,
in the same int8 form under the same names, and takes their place when the model is loaded.

Source: Nogueira and Cho 2019, "Passage Re-ranking with BERT", for reading the two as one text; Garg, Vu and
Moschitti 2020, "TANDA", for learning first from other sets and then from the one at hand. Deviations: the
mean over all tokens, not [CLS], since that is what the shipped model gives out; one segment, since it has no
other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from core.artifacts import Artifact, file_digest, load, models_directory
from core.errors import ArtifactError
from core.machine import cores
from core.surrogates import encodable

if TYPE_CHECKING:
    from tokenizers import Tokenizer

# Tokens that are read of a question and of a sentence; the model has places for 256.
QUESTION_TOKENS, SENTENCE_TOKENS = 64, 160
# The layers that are trained, of six; below them, the embedder's own.
TRAINED = (3, 4, 5)
# A unit vector times this has about the length of a mean of states, so that the head's weights stay small.
HEAD_SCALE = 20.0
_CLS, _SEP = 101, 102
_WIDTH, _WIDE = 384, 1536
# (in, out) of a layer's products.
_PRODUCTS = {
    "attention.self": (_WIDTH, 3 * _WIDTH),
    "attention.output.dense": (_WIDTH, _WIDTH),
    "intermediate.dense": (_WIDTH, _WIDE),
    "output.dense": (_WIDE, _WIDTH),
}
_NORMS = ("attention.output.LayerNorm", "output.LayerNorm")
_HEAD = {"head.weight": ("float32", (_WIDTH,)), "head.bias": ("float32", (1,))}


def _layout() -> dict[str, tuple[str, tuple[int, ...]]]:
    """Type and shape of each array of a reader by name."""
    found: dict[str, tuple[str, tuple[int, ...]]] = dict(_HEAD)
    for layer in TRAINED:
        prefix = f"encoder.layer.{layer}."
        for name, shape in _PRODUCTS.items():
            found[f"{prefix}{name}.weight"] = ("int8", shape)
            found |= {f"{prefix}{name}.{part}": ("float32", shape[1:]) for part in ("scale", "bias")}
        for name in _NORMS:
            found |= {f"{prefix}{name}.{part}": ("float32", (_WIDTH,)) for part in ("weight", "bias")}
    return found


def _check(arrays: Mapping[str, NDArray[Any]]) -> None:
    """Refuse what the runtime would pass over, reading the embedder's own layer in its place, or fail at."""
    layout = _layout()
    missing = sorted(layout.keys() - arrays.keys())
    stray = sorted(arrays.keys() - layout.keys())
    if missing or stray:
        raise ArtifactError(
            f"a reader holds layers {', '.join(map(str, TRAINED))} and a head; "
            f"missing: {', '.join(missing) or 'none'}, unknown: {', '.join(stray) or 'none'}; retrain it"
        )
    for name, (kind, shape) in layout.items():
        array = arrays[name]
        if (array.dtype.name, array.shape) != (kind, shape):
            raise ArtifactError(
                f"{name} of a reader must be {kind} of shape {shape}, "
                f"got {array.dtype.name} of shape {array.shape}; retrain it"
            )
        if not np.isfinite(array).all():
            raise ArtifactError(f"{name} of a reader must hold finite numbers, got others; retrain it")


@dataclass(frozen=True)
class PairEncoder:
    """Texts as the token numbers that the model reads: ``[CLS] question [SEP] sentence [SEP]``."""

    path: Path

    def encode(self, questions: Sequence[str], sentences: Sequence[str]) -> list[list[int]]:
        """Token numbers of each pair; what exceeds the limits is not read."""
        asked = self._tokens(questions, QUESTION_TOKENS)
        told = self._tokens(sentences, SENTENCE_TOKENS)
        return [[_CLS, *one, _SEP, *other, _SEP] for one, other in zip(asked, told, strict=True)]

    def _tokens(self, texts: Sequence[str], most: int) -> list[list[int]]:
        distinct = list(dict.fromkeys(texts))
        encoded = self._tokenizer.encode_batch(
            [encodable(text) for text in distinct], add_special_tokens=False
        )
        known = {text: one.ids[:most] for text, one in zip(distinct, encoded, strict=True)}
        return [known[text] for text in texts]

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(self.path))
        tokenizer.no_padding()
        tokenizer.no_truncation()
        tokenizer.encode_special_tokens = True  # "[SEP]" in a text is five characters, no end of it
        return tokenizer


class CrossReader:
    """A Scorer: log-odds that a sentence answers a question. Safe to use from several threads.

    One pair is one run, so a score depends on its pair alone; as many run at once as there are cores.

    Args:
        arrays: int8 layers by their names in ``model.onnx``, ``head.weight`` (384,) and ``head.bias`` (1,).
        directory: of the model whose upper layers they replace; default: the shipped embedder's.

    Raises:
        ArtifactError: an array is missing, none of the model's, or of another shape or type.
    """

    def __init__(self, arrays: Mapping[str, NDArray[Any]], directory: Path | None = None) -> None:
        _check(arrays)
        self._directory = directory or models_directory() / "minilm"
        self._layers = {name: array for name, array in arrays.items() if not name.startswith("head.")}
        self._weight = arrays["head.weight"].astype(np.float64) * HEAD_SCALE
        self._bias = float(arrays["head.bias"][0])
        self._encoder = PairEncoder(self._directory / "tokenizer.json")
        self._lock = Lock()

    def score(self, question: str, texts: Sequence[str]) -> NDArray[np.float64]:
        """(n,) log-odds."""
        if not len(texts):
            return np.empty(0)
        return self.score_pairs(self._encoder.encode([question] * len(texts), texts))

    def probabilities(self, question: str, texts: Sequence[str]) -> NDArray[np.float64]:
        """(n,) in [0, 1]."""
        return np.asarray(1 / (1 + np.exp(-self.score(question, texts))))

    def score_pairs(self, pairs: Sequence[Sequence[int]]) -> NDArray[np.float64]:
        """(n,) log-odds of pairs in the form of `PairEncoder.encode`."""
        with self._lock:  # one load, however many threads ask first
            session = self._session

        def read(pair: Sequence[int]) -> float:
            (rows,) = session.run(["vectors"], {"ids": np.array([pair], dtype=np.int64)})
            return float(rows[0] @ self._weight) + self._bias

        with ThreadPoolExecutor(max(1, min(cores(), len(pairs)))) as pool:
            return np.fromiter(pool.map(read, pairs), np.float64, len(pairs))

    @cached_property
    def _session(self) -> Any:
        import onnxruntime

        onnxruntime.set_default_logger_severity(3)
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        options.intra_op_num_threads = options.inter_op_num_threads = 1  # threads are spent on pairs
        # The runtime reads these arrays in place: they must outlive the session.
        self._kept = {
            name: onnxruntime.OrtValue.ortvalue_from_numpy(array) for name, array in self._layers.items()
        }
        for name, value in self._kept.items():
            options.add_initializer(name, value)
        return onnxruntime.InferenceSession(
            str(self._directory / "model.onnx"), options, providers=["CPUExecutionProvider"]
        )


def load_reader(base: Path, *, digest: str | None = None) -> CrossReader:
    """Read an artefact once, however many threads ask; the model is loaded when it first scores.

    Args:
        digest: SHA-256 that its arrays must have; None takes any.

    Raises:
        ArtifactError: see `core.artifacts.load`; or its layers stand on another model than the shipped one,
            or the arrays are others.
    """
    with _loading:
        reader, found = _read(base)
    if digest not in (None, found):
        raise ArtifactError(
            f"{base} must be the reader that its selector learnt from, SHA-256 {digest}, got {found}; "
            "train the selector again too"
        )
    return reader


def forget_readers() -> None:
    """Let go of those that were read, for one was written anew."""
    _read.cache_clear()


_loading = Lock()


@lru_cache(maxsize=2)
def _read(base: Path) -> tuple[CrossReader, str]:
    artifact: Artifact = load(base)
    model = models_directory() / "minilm" / "model.onnx"
    if artifact.config.get("stands_on") != file_digest(model):
        raise ArtifactError(f"{base} stands on another model than {model}; retrain it with this version")
    return CrossReader(artifact.arrays), file_digest(base.with_suffix(".npz"))
