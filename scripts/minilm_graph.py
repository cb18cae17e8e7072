"""all-MiniLM-L6-v2 as an ONNX graph, written operator by operator from its weights.

Needs onnx and numpy alone. The forms differ in how a linear layer is stored and computed:

    float     float32 weights, float32 products
    weights   int8 weights, one scale an output; float32 products
    blocks    int8 weights, one scale per 128 inputs; int8 products, one activation scale per row and block
    static    int8 weights, one scale an output; int8 products, activation scales measured beforehand
    dynamic   int8 weights, one scale an output; int8 products, one activation scale per run

Every form but ``float`` stores the word table as int8 with one scale a row.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

Form = Literal["float", "weights", "blocks", "static", "dynamic"]
FORMS: tuple[Form, ...] = get_args(Form)
Floats = NDArray[np.float32]

LAYERS, HEADS, WIDTH, POSITIONS = 6, 12, 384, 256
_BLOCK = 128  # divides both inner widths, 384 and 1536
_EPSILON = 1e-12
_MICROSOFT = "com.microsoft"


def minilm_graph(
    weights: Mapping[str, Floats],
    form: Form,
    *,
    padded: bool = False,
    ranges: Mapping[str, float] | None = None,
    tapped: bool = False,
) -> onnx.ModelProto:
    """Token ids to unit vectors: BERT encoder, mean over tokens, division by the length.

    Input ``ids`` (batch, tokens) int64, output ``vectors`` (batch, 384) float32.

    Args:
        weights: arrays by their names in ``model.safetensors``.
        padded: adds the input ``mask`` (batch, tokens) int64, 0 where a token is padding; without it
            every token counts, so a run holds texts of one length.
        ranges: for ``static``, the largest magnitude at the input of each linear layer, by its name.
        tapped: every linear layer's input becomes an output too, under the layer's name.
    """
    graph = _Graph(form, ranges or {})
    hidden = _embeddings(graph, weights)
    mask = graph.op("Cast", "mask", to=TensorProto.FLOAT) if padded else None
    for layer in range(LAYERS):
        hidden = _encoder_layer(graph, weights, f"encoder.layer.{layer}.", hidden, mask)
    graph.add("LpNormalization", [_mean(graph, hidden, mask)], ["vectors"], axis=-1, p=2)

    inputs = ["ids", "mask"] if padded else ["ids"]
    outputs = [helper.make_tensor_value_info("vectors", TensorProto.FLOAT, ["batch", WIDTH])]
    if tapped:
        outputs += [
            helper.make_tensor_value_info(name, TensorProto.FLOAT, [None] * 3) for name in graph.taps()
        ]
    model = helper.make_model(
        helper.make_graph(
            graph.nodes,
            "all-MiniLM-L6-v2",
            [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"]) for name in inputs],
            outputs,
            list(graph.constants.values()),
        ),
        opset_imports=[helper.make_opsetid("", 20), helper.make_opsetid(_MICROSOFT, 1)],
        ir_version=10,
    )
    onnx.checker.check_model(model)
    return model


class _Graph:
    """Nodes and constants in the order in which they were added."""

    def __init__(self, form: Form, ranges: Mapping[str, float]) -> None:
        self.form = form
        self.ranges = ranges
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, onnx.TensorProto] = {}
        self._layer_inputs: dict[str, str] = {}

    def add(
        self, kind: str, inputs: list[str], outputs: list[str], domain: str = "", **attributes: object
    ) -> None:
        self.nodes.append(helper.make_node(kind, inputs, outputs, domain=domain, **attributes))

    def op(self, kind: str, *inputs: str, domain: str = "", **attributes: object) -> str:
        """Add a node with one output; the output's name."""
        output = f"{kind}_{len(self.nodes)}"
        self.add(kind, list(inputs), [output], domain, **attributes)
        return output

    def constant(self, name: str, value: object, dtype: type[np.generic] = np.float32) -> str:
        """Add a constant once; its name."""
        if name not in self.constants:
            array = np.ascontiguousarray(np.asarray(value, dtype))
            self.constants[name] = numpy_helper.from_array(array, name)
        return name

    def taps(self) -> list[str]:
        """Name every linear layer's input after the layer."""
        for name, source in self._layer_inputs.items():
            self.add("Identity", [source], [name])
        return list(self._layer_inputs)

    def linear(self, x: str, name: str, weight: Floats, bias: Floats) -> str:
        """``x @ weight.T + bias`` in the graph's form; ``weight`` is (out, in)."""
        self._layer_inputs[name] = x
        if self.form == "float":
            y = self.op("MatMul", x, self.constant(f"{name}.weight", weight.T))
        elif self.form == "weights":
            y = self.op("MatMul", x, self._dequantized(name, weight))
        elif self.form == "blocks":
            y = self._block_product(x, name, weight)
        else:
            y = self._integer_product(x, name, weight)
        return self.op("Add", y, self.constant(f"{name}.bias", bias))

    def _dequantized(self, name: str, weight: Floats) -> str:
        values, scales = _int8(weight)
        return self.op(
            "DequantizeLinear",
            self.constant(f"{name}.weight", values.T, np.int8),
            self.constant(f"{name}.scale", scales),
            axis=1,
        )

    def _block_product(self, x: str, name: str, weight: Floats) -> str:
        outputs, width = weight.shape
        values, scales = _int8(weight.reshape(outputs, width // _BLOCK, _BLOCK))
        return self.op(
            "MatMulNBits",
            x,
            self.constant(f"{name}.weight", values.astype(np.int16) + 128, np.uint8),
            self.constant(f"{name}.scale", scales),
            domain=_MICROSOFT,
            K=width,
            N=outputs,
            bits=8,
            block_size=_BLOCK,
            accuracy_level=4,  # int8 products
        )

    def _integer_product(self, x: str, name: str, weight: Floats) -> str:
        values, scales = _int8(weight)
        if self.form == "dynamic":
            levels, step, zero = (f"{name}.{part}" for part in ("levels", "step", "zero"))
            self.add("DynamicQuantizeLinear", [x], [levels, step, zero])
        else:
            step = self.constant(f"{name}.step", self.ranges[name] / 127)
            zero = self.constant("middle", 128, np.uint8)
            levels = self.op("QuantizeLinear", x, step, zero)
        product = self.op("MatMulInteger", levels, self.constant(f"{name}.weight", values.T, np.int8), zero)
        scale = self.op("Mul", step, self.constant(f"{name}.scale", scales))
        return self.op("Mul", self.op("Cast", product, to=TensorProto.FLOAT), scale)


def _int8(weight: Floats) -> tuple[NDArray[np.int8], Floats]:
    """Levels in -127..127 and their scales, one scale per last axis, rounded half to even."""
    largest = np.abs(weight).max(axis=-1, keepdims=True)
    scales = (np.where(largest > 0, largest, 1) / 127).astype(np.float32)
    return np.rint(weight / scales).astype(np.int8), scales[..., 0]


def _embeddings(graph: _Graph, weights: Mapping[str, Floats]) -> str:
    words = weights["embeddings.word_embeddings.weight"]
    # The second segment is never used, so the first one's vector joins the positions.
    places = weights["embeddings.position_embeddings.weight"][:POSITIONS]
    places = places + weights["embeddings.token_type_embeddings.weight"][0]
    if graph.form == "float":
        word = graph.op("Gather", graph.constant("words", words), "ids")
    else:
        values, scales = _int8(words)
        levels = graph.op("Gather", graph.constant("words", values, np.int8), "ids")
        scale = graph.op("Gather", graph.constant("words.scale", scales[:, None]), "ids")
        word = graph.op("Mul", graph.op("Cast", levels, to=TensorProto.FLOAT), scale)
    length = graph.op("Shape", "ids", start=1)
    start, axis = graph.constant("start", [0], np.int64), graph.constant("axis_0", [0], np.int64)
    place = graph.op("Slice", graph.constant("places", places), start, length, axis)
    return _layer_norm(graph, weights, "embeddings.LayerNorm", graph.op("Add", word, place))


def _encoder_layer(
    graph: _Graph, weights: Mapping[str, Floats], prefix: str, hidden: str, mask: str | None
) -> str:
    def dense(name: str, x: str) -> str:
        return graph.linear(
            x, prefix + name, weights[f"{prefix}{name}.weight"], weights[f"{prefix}{name}.bias"]
        )

    mixed = dense("attention.output.dense", _attention(graph, weights, prefix, hidden, mask))
    hidden = _layer_norm(
        graph, weights, prefix + "attention.output.LayerNorm", graph.op("Add", mixed, hidden)
    )
    wide = graph.op("Gelu", dense("intermediate.dense", hidden))
    return _layer_norm(
        graph, weights, prefix + "output.LayerNorm", graph.op("Add", dense("output.dense", wide), hidden)
    )


def _attention(
    graph: _Graph, weights: Mapping[str, Floats], prefix: str, hidden: str, mask: str | None
) -> str:
    parts = [f"{prefix}attention.self.{part}" for part in ("query", "key", "value")]
    joined = graph.linear(
        hidden,
        f"{prefix}attention.self",
        np.concatenate([weights[f"{part}.weight"] for part in parts]),
        np.concatenate([weights[f"{part}.bias"] for part in parts]),
    )
    graph.add("Split", [joined], parts, axis=-1, num_outputs=3)
    by_head = graph.constant("by_head", [0, 0, HEADS, WIDTH // HEADS], np.int64)
    query, key, value = (
        graph.op("Transpose", graph.op("Reshape", part, by_head), perm=order)
        for part, order in zip(parts, ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]), strict=True)
    )
    scale = graph.constant("attention_scale", (WIDTH // HEADS) ** -0.5)
    scores = graph.op("Mul", graph.op("MatMul", query, key), scale)
    if mask is not None:
        hole = graph.op("Sub", mask, graph.constant("one", 1))
        far = graph.op("Mul", hole, graph.constant("far", 1e9))  # -1e9 where a token is padding
        scores = graph.op(
            "Add", scores, graph.op("Unsqueeze", far, graph.constant("axes_12", [1, 2], np.int64))
        )
    mixed = graph.op("MatMul", graph.op("Softmax", scores, axis=-1), value)
    flat = graph.constant("flat", [0, 0, WIDTH], np.int64)
    return graph.op("Reshape", graph.op("Transpose", mixed, perm=[0, 2, 1, 3]), flat)


def _layer_norm(graph: _Graph, weights: Mapping[str, Floats], name: str, x: str) -> str:
    gain = graph.constant(f"{name}.weight", weights[f"{name}.weight"])
    bias = graph.constant(f"{name}.bias", weights[f"{name}.bias"])
    return graph.op("LayerNormalization", x, gain, bias, axis=-1, epsilon=_EPSILON)


def _mean(graph: _Graph, hidden: str, mask: str | None) -> str:
    axis = graph.constant("axis_1", [1], np.int64)
    if mask is None:
        return graph.op("ReduceMean", hidden, axis, keepdims=0)
    column = graph.op("Unsqueeze", mask, graph.constant("axis_last", [-1], np.int64))
    total = graph.op("ReduceSum", graph.op("Mul", hidden, column), axis, keepdims=0)
    return graph.op("Div", total, graph.op("ReduceSum", mask, axis, keepdims=1))
