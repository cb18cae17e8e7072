"""Fitting the upper layers of `cross`; torch and onnx are needed here alone."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from answering.cross import HEAD_SCALE, TRAINED
from core.artifacts import models_directory
from core.errors import InvalidValue, MissingExtra

Arrays = Mapping[str, NDArray[Any]]

_HEADS, _WIDTH = 12, 384
_EPSILON = 1e-12
_DROPOUT = 0.1
_BATCH_TOKENS = 2048
_WARM_UP = 50  # steps in which the rate rises
_LEAST = 0.02  # of the rate, at the end
_SORTED = 2000  # pairs among which batches of like length are made
_LINEAR = ("attention.self", "attention.output.dense", "intermediate.dense", "output.dense")
_NORMS = ("attention.output.LayerNorm", "output.LayerNorm")


@dataclass(frozen=True)
class Course:
    """How long and how fast is learnt.

    Attributes:
        rate: of AdamW at its height; it rises over the first steps and falls to the end.
    """

    epochs: int
    rate: float


def fit(
    pairs: Sequence[Sequence[int]],
    right: Sequence[bool],
    course: Course,
    *,
    seed: int,
    start: Arrays | None = None,
    told: Callable[[str], None] = lambda _: None,
) -> dict[str, NDArray[Any]]:
    """The arrays of a `cross.CrossReader` whose log-odds fit the labels best.

    Cross-entropy over pairs, products in bfloat16. The same machine, threads and seed give the same weights.

    Args:
        pairs: token numbers, as `cross.PairEncoder` gives them.
        right: whether the sentence answers, one a pair.
        start: arrays that an earlier `fit` gave, to go on from; None starts from the shipped model.
        told: called with a line on how it goes, now and then.

    Raises:
        InvalidValue: unless there is one label a pair, and both labels.
        MissingExtra: torch or onnx is not installed.
    """
    if len(pairs) != len(right) or len(set(right)) < 2:
        raise InvalidValue(f"each of {len(pairs)} pairs must have a label, both in use, got {len(right)}")
    lib = _torch()
    lib.manual_seed(seed)
    floats = _floats(shipped_arrays())
    floats["head.weight"] = np.random.default_rng(seed).normal(0, 0.02, _WIDTH).astype(np.float32)
    floats["head.bias"] = np.zeros(1, dtype=np.float32)
    floats |= {} if start is None else _floats(start)
    network = _Network(lib, floats)
    optimizer = lib.optim.AdamW(network.trained, lr=course.rate, weight_decay=0.01)
    chance = random.Random(seed)  # noqa: S311 - the order of batches, no secret
    batches = [one for _ in range(course.epochs) for one in _batches(pairs, chance)]
    schedule = lib.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / _WARM_UP, max(_LEAST, 1 - step / len(batches)))
    )
    labels = lib.tensor(list(right), dtype=lib.float32)
    lost = 0.0
    for step, batch in enumerate(batches, start=1):
        odds = network.odds([pairs[at] for at in batch])
        loss = lib.nn.functional.binary_cross_entropy_with_logits(odds, labels[batch])
        optimizer.zero_grad()
        loss.backward()
        lib.nn.utils.clip_grad_norm_(network.trained, 1.0)
        optimizer.step()
        schedule.step()
        lost += loss.item()
        if step % 100 == 0:
            told(f"step {step} of {len(batches)}, loss {lost / 100:.4f}")
            lost = 0.0
    return _int8_arrays({name: part.detach().numpy() for name, part in network.weights.items()})


def odds(arrays: Arrays, pairs: Sequence[Sequence[int]]) -> NDArray[np.float64]:
    """(n,) log-odds as torch computes them from what `fit` gave; a `cross.CrossReader` comes near them."""
    lib = _torch()
    network = _Network(lib, _floats(shipped_arrays()) | _floats(arrays), dropout=0.0)
    with lib.no_grad():
        return np.asarray(network.odds(pairs).double().numpy())


def _torch() -> Any:
    try:
        import torch
    except ModuleNotFoundError as error:
        raise MissingExtra("a reader is trained with torch; pip install sawyer-rag[train]") from error
    return torch  # which publishes types for a part of itself, and none where it is not installed


def shipped_arrays() -> dict[str, NDArray[Any]]:
    """The constants of the shipped model by name.

    Raises:
        MissingExtra: onnx is not installed.
    """
    try:
        import onnx
    except ModuleNotFoundError as error:
        raise MissingExtra("a reader starts from the model's file; pip install sawyer-rag[train]") from error
    graph = onnx.load(str(Path(models_directory()) / "minilm" / "model.onnx")).graph
    return {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in graph.initializer}


class _Network:
    """The model as torch computes it, the layers of `TRAINED` and a head with gradients."""

    def __init__(
        self, lib: Any, floats: Mapping[str, NDArray[np.float32]], *, dropout: float = _DROPOUT
    ) -> None:
        self.lib = lib
        self._dropout = dropout
        self._all = {name: lib.tensor(array) for name, array in floats.items()}
        prefixes = ("head.", *(f"encoder.layer.{layer}." for layer in TRAINED))
        self.weights = {name: part for name, part in self._all.items() if name.startswith(prefixes)}
        self.trained = [part.requires_grad_() for part in self.weights.values()]

    def odds(self, pairs: Sequence[Sequence[int]]) -> Any:
        """(n,) float32."""
        lib, functional = self.lib, self.lib.nn.functional
        longest = max(map(len, pairs))
        ids = lib.zeros((len(pairs), longest), dtype=lib.long)
        real = lib.zeros((len(pairs), longest), dtype=lib.bool)
        for row, pair in enumerate(pairs):
            ids[row, : len(pair)] = lib.tensor(pair)
            real[row, : len(pair)] = True
        hole = lib.zeros(real.shape, dtype=lib.bfloat16).masked_fill(~real, -1e4)[:, None, None, :]
        with lib.no_grad():
            state = self._normed(
                self._all["words"][ids] + self._all["places"][:longest], "embeddings.LayerNorm"
            )
            for layer in range(TRAINED[0]):
                state = self._layer(f"encoder.layer.{layer}.", state, hole, dropped=0.0)
        for layer in TRAINED:
            state = self._layer(f"encoder.layer.{layer}.", state, hole, dropped=self._dropout)
        mean = (state.float() * real[..., None]).sum(1) / real.sum(1, keepdim=True)
        unit = functional.normalize(mean, dim=-1) * HEAD_SCALE
        return unit @ self._all["head.weight"] + self._all["head.bias"]

    def _layer(self, prefix: str, state: Any, hole: Any, *, dropped: float) -> Any:
        functional = self.lib.nn.functional
        batch, tokens, _ = state.shape
        joined = self._linear(prefix + _LINEAR[0], state).view(batch, tokens, 3, _HEADS, _WIDTH // _HEADS)
        query, key, value = joined.permute(2, 0, 3, 1, 4)
        mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=hole)
        flat = mixed.transpose(1, 2).reshape(batch, tokens, _WIDTH)
        attended = functional.dropout(self._linear(prefix + _LINEAR[1], flat), dropped)
        state = self._normed(attended + state, prefix + _NORMS[0])
        wide = functional.gelu(self._linear(prefix + _LINEAR[2], state))
        told = functional.dropout(self._linear(prefix + _LINEAR[3], wide), dropped)
        return self._normed(told + state, prefix + _NORMS[1])

    def _linear(self, name: str, state: Any) -> Any:
        weight, bias = (self._all[f"{name}.{part}"].to(state.dtype) for part in ("weight", "bias"))
        return state @ weight + bias

    def _normed(self, state: Any, name: str) -> Any:
        gain, bias = self._all[f"{name}.weight"], self._all[f"{name}.bias"]
        normed = self.lib.nn.functional.layer_norm(state.float(), (_WIDTH,), gain, bias, _EPSILON)
        return normed.to(self.lib.bfloat16)


def _batches(pairs: Sequence[Sequence[int]], chance: random.Random) -> Iterator[list[int]]:
    """Places of all pairs once, by chance, those of like length together."""
    order = list(range(len(pairs)))
    chance.shuffle(order)
    found: list[list[int]] = []
    for start in range(0, len(order), _SORTED):
        batch: list[int] = []
        for at in sorted(order[start : start + _SORTED], key=lambda one: len(pairs[one])):
            if batch and (len(batch) + 1) * len(pairs[at]) > _BATCH_TOKENS:
                found.append(batch)
                batch = []
            batch.append(at)
        found.append(batch)
    chance.shuffle(found)
    yield from found


def _floats(arrays: Arrays) -> dict[str, NDArray[np.float32]]:
    """Int8 weights times their scales, by their names; the rest as it is."""
    found = {name: array.astype(np.float32) for name, array in arrays.items() if not name.endswith(".scale")}
    for name, array in arrays.items():
        if name.endswith(".scale"):
            whole = name.removesuffix(".scale")
            found[whole if whole in arrays else f"{whole}.weight"] *= array
    return found


def _int8_arrays(floats: Mapping[str, NDArray[np.float32]]) -> dict[str, NDArray[Any]]:
    """Linear weights (in, out) as levels in -127..127, one scale an output, as the shipped model has them."""
    found: dict[str, NDArray[Any]] = {}
    for name, array in floats.items():
        if name.endswith(tuple(f"{part}.weight" for part in _LINEAR)):
            largest = np.abs(array).max(axis=0)
            scale = (np.where(largest > 0, largest, 1) / 127).astype(np.float32)
            found[name] = np.rint(array / scale).astype(np.int8)
            found[name.removesuffix("weight") + "scale"] = scale
        else:
            found[name] = array.astype(np.float32)
    return found
