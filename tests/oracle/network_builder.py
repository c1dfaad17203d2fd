# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Builds an OpenVINO IR layer by layer, and knows the value of every tensor meanwhile.

The oracle's operations compute the values in float64, for one random input. So ranges of
quantizers fit what flows through them, and the declared shapes are the oracle's.
"""
from dataclasses import dataclass, field
from types import SimpleNamespace
from xml.sax.saxutils import quoteattr

import numpy as np

PRECISIONS = {"f64": "FP64", "f32": "FP32", "f16": "FP16", "boolean": "BOOL"}
NUMPY_TYPES = {"f32": np.float32, "f16": np.float16, "i8": np.int8, "u8": np.uint8, "i32": np.int32,
               "i64": np.int64, "boolean": np.bool_}


MAX_ELEMENTS = 1 << 18
MAX_VALUE = 1e3          # of the magnitude of a value


class Rejected(Exception):
    """A layer that random networks shall not have: empty, large, or with extreme values."""


@dataclass(eq=False)
class Tensor:
    layer: "Layer"
    port: int                 # number among the outputs of its layer
    value: np.ndarray
    type: str                 # element type of the IR: "f32"
    quantized: bool = False   # its values are levels of a FakeQuantize
    uses: int = 0

    @property
    def shape(self):
        return self.value.shape

    @property
    def rank(self):
        return self.value.ndim


@dataclass(eq=False)
class Layer:
    number: int
    name: str
    type: str
    opset: int
    attributes: dict
    inputs: list
    outputs: list = field(default_factory=list)


class Dice:
    """Random choices of one seed."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)

    def chance(self, probability):
        return bool(self.random.random() < probability)

    def pick(self, values):
        return values[int(self.random.integers(len(values)))]

    def number(self, low, high):
        """A whole number, both ends included."""
        return int(self.random.integers(low, high + 1))

    def real(self, low, high):
        return float(self.random.uniform(low, high))

    def normal(self, shape, deviation=1.0):
        return self.random.normal(0, deviation, shape)


class NetworkBuilder:
    """ops: the oracle's table of operations."""

    def __init__(self, ops, seed, version):
        self.ops, self.dice, self.version = ops, Dice(seed), version
        # Whole models in f16, as version 10 had them. Their Parameters take f32 all the same.
        self.real = "f16" if version == 10 and self.dice.chance(0.15) else "f32"
        self.layers, self.inputs, self.weights = [], {}, []
        self.blob = bytearray()

    def _layer(self, type_, opset, attributes, inputs, name=""):
        number = len(self.layers)
        layer = Layer(number, f"{name or type_.lower()}_{number}", type_, opset, attributes, inputs)
        for tensor in inputs:
            tensor.uses += 1
        self.layers.append(layer)
        return layer

    def snapshot(self):
        return len(self.layers), len(self.blob)

    def go_back(self, snapshot):
        """Forgets what was added since then."""
        layers, bytes_ = snapshot
        for layer in self.layers[layers:]:
            for tensor in layer.inputs:
                tensor.uses -= 1
        del self.layers[layers:], self.blob[bytes_:]
        self.weights = [t for t in self.weights if t.layer.number < layers]
        names = {layer.name for layer in self.layers}
        self.inputs = {name: value for name, value in self.inputs.items() if name in names}

    def _output(self, layer, value, type_):
        tensor = Tensor(layer, len(layer.outputs), np.asarray(value), type_)
        if not 0 < tensor.value.size <= MAX_ELEMENTS or not np.all(np.abs(tensor.value) <= MAX_VALUE):
            raise Rejected(f"{layer.type} of {tensor.shape}")
        layer.outputs.append(tensor)
        return tensor

    def parameter(self, value, type_="f32"):
        stored = np.asarray(value).astype(NUMPY_TYPES[type_])
        type_ = self.real if type_ == "f32" else type_
        layer = self._layer("Parameter", 1, {"shape": _list(stored.shape), "element_type": type_}, [])
        self.inputs[layer.name] = stored
        return self._output(layer, stored.astype(np.float64) if type_[0] == "f" else stored, type_)

    def constant(self, value, type_="f32", name="const"):
        """The tensor has the value as it is stored."""
        type_ = self.real if type_ == "f32" else type_
        stored = np.ascontiguousarray(np.asarray(value).astype(NUMPY_TYPES[type_]))
        stored = stored.reshape(np.shape(value))    # ascontiguousarray makes a scalar a vector
        self.blob += bytes(-len(self.blob) % 16)
        layer = self._layer("Const", 1, {
            "element_type": type_, "shape": _list(stored.shape), "offset": len(self.blob),
            "size": stored.nbytes}, [], name)
        self.blob += stored.tobytes()
        return self._output(layer, stored.astype(np.float64) if type_[0] == "f" else stored, type_)

    def integers(self, values):
        return self.constant(np.array(values, np.int64), self.dice.pick(("i64", "i32")))

    def outputs_of(self, type_, inputs, opset=1, name="", result_type=None, **attributes):
        """Adds a layer; all its outputs. Attributes are written as Python's values read in an IR.
        result_type: the element type where it is no real one and no attribute names it."""
        attributes = {key.replace("exclude_pad", "exclude-pad"): _text(value)
                      for key, value in attributes.items()}
        # An IR always has both outputs of a MaxPool from opset8 on.
        positions = type_ == "MaxPool" and opset >= 8
        context = SimpleNamespace(dtype=np.float64, declared=[], read=[True, positions])
        with np.errstate(all="ignore"):
            results = self.ops[type_]([t.value for t in inputs], attributes, context)
        if attributes.get("destination_type") == "f32":
            attributes["destination_type"] = self.real
        layer = self._layer(type_, opset, attributes, inputs, name)
        out_type = result_type or attributes.get("destination_type", self.real)
        for number, value in enumerate(results if isinstance(results, list) else [results]):
            if value is not None:
                self._output(layer, value, "i64" if positions and number == 1 else out_type)
        return layer.outputs

    def add(self, type_, inputs, opset=1, name="", result_type=None, **attributes):
        """Adds a layer with one output."""
        return self.outputs_of(type_, inputs, opset, name, result_type, **attributes)[0]

    def result(self, tensor):
        self._layer("Result", 1, {}, [tensor])

    def write(self, folder):
        """folder/model.xml, model.bin, and in/<input>.npy."""
        (folder / "in").mkdir(parents=True, exist_ok=True)
        (folder / "model.xml").write_text(self._xml(is_open=False))
        (folder / "open.xml").write_text(self._xml(is_open=True))
        for name in ("model.bin", "open.bin"):
            (folder / name).write_bytes(bytes(self.blob))
        for name, value in self.inputs.items():
            np.save(folder / "in" / f"{name}.npy", value)

    def _xml(self, is_open):
        """is_open: without the sizes of dimensions."""
        lines = ['<?xml version="1.0"?>', f'<net name="random" version="{self.version}">', "<layers>"]
        edges = []
        for layer in self.layers:
            lines.append(f'<layer id="{layer.number}" name="{layer.name}" type="{layer.type}" '
                         f'version="opset{layer.opset}">')
            attributes = dict(layer.attributes)
            if is_open and layer.type == "Parameter":
                attributes["shape"] = _list(["?" if self.version == 11 else -1] * layer.outputs[0].rank)
            if attributes:
                lines.append("<data " + " ".join(f"{key}={quoteattr(str(value))}"
                                                 for key, value in attributes.items()) + "/>")
            ports = [_port(number, tensor, is_open and tensor.layer.type != "Const")
                     for number, tensor in enumerate(layer.inputs + layer.outputs)]
            count = len(layer.inputs)
            lines += ["<input>", *ports[:count], "</input>"] if count else []
            lines += ["<output>", *ports[count:], "</output>"] if layer.outputs else []
            lines.append("</layer>")
            edges += [f'<edge from-layer="{t.layer.number}" from-port="{len(t.layer.inputs) + t.port}" '
                      f'to-layer="{layer.number}" to-port="{port}"/>'
                      for port, t in enumerate(layer.inputs)]
        return "\n".join(lines + ["</layers>", "<edges>"] + edges + ["</edges>", "</net>"]) + "\n"


def _port(number, tensor, is_open):
    precision = PRECISIONS.get(tensor.type, tensor.type.upper())
    sizes = "".join(f"<dim>{-1 if is_open else n}</dim>" for n in tensor.shape)
    return f'<port id="{number}" precision="{precision}">{sizes}</port>'


def _list(values):
    return ",".join(str(v) for v in values)


def _text(value):
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return _list(value)
    return str(value)
