#!/usr/bin/python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Random networks in ONNX's QDQ form: network(seed) gives the bytes of a file, its inputs and a summary.

Each operation reads dequantized values and is quantized again, u8 or i8, with grids that differ; weights are i8 with
scales a channel or a tensor, or u8 with a zero point. The output is the integers of the last quantizer.
"""
import numpy as np
from onnx import TensorProto, helper, numpy_helper

from random_choices import Choices

I8, U8, I32, F = np.int8, np.uint8, np.int32, np.float32
MOST_CHANNELS = 64
MOST_FEATURES = 4000
OPSET = 14
IR_VERSION = 8


class Network(Choices):
    def __init__(self, seed):
        super().__init__(seed)
        self.type = self.pick((I8, U8))
        self.limits = np.iinfo(self.type)
        self.nodes, self.constants = [], []
        self.shape = [1, self.pick((1, 3, 4, 8, 16, 24)), self.between(5, 20), self.between(5, 20)]
        self.input_shape = list(self.shape)
        self.input = 1.2 * self.rng.normal(size=self.shape).astype(F)
        self.summary = [self.type.__name__]
        self.x = "x"
        self.scale = None
        self.quantize("x", -2, 2)
        self.earlier = [(self.x, list(self.shape))]

    # --- numbers
    def integers(self, low, high, shape, dtype):
        return self.rng.integers(low, high, shape).astype(dtype)

    # --- nodes
    def constant(self, value):
        name = "c%d" % len(self.constants)
        self.constants.append(numpy_helper.from_array(np.array(value, order="C"), name))
        return name

    def node(self, kind, inputs, outputs=1, **attributes):
        names = ["v%d_%d" % (len(self.nodes), i) for i in range(outputs)]
        self.nodes.append(helper.make_node(kind, inputs, names, **attributes))
        return names[0]

    def quantizer(self, value, low=None, high=None):
        """(integers, scale, zero point), the last two as names."""
        low = min(-self.rng.uniform(0.5, 3) if low is None else low, 0)
        high = self.rng.uniform(0.5, 3) if high is None else high
        self.scale = F((high - low) / 255)
        zero = self.type(np.clip(round(self.limits.min - low / self.scale), self.limits.min, self.limits.max))
        grid = [self.constant(self.scale), self.constant(zero)]
        return [self.node("QuantizeLinear", [value, *grid]), *grid]

    def quantize(self, value, low=None, high=None):
        self.x = self.node("DequantizeLinear", self.quantizer(value, low, high))

    def weights(self, shape, axis, per_channel, fan_in):
        """(name of real weights, their scales)"""
        scale = 1 / (40 * np.sqrt(fan_in))
        if self.type == U8 and not per_channel and self.maybe(0.3):
            zero = U8(self.between(110, 130))
            values = np.clip(np.rint(self.rng.normal(zero, 40, shape)), 0, 255).astype(U8)
        else:
            zero = I8(0)
            values = np.clip(np.rint(self.rng.normal(0, 40, shape)), -127, 127).astype(I8)
        if not per_channel:
            return (self.node("DequantizeLinear", [self.constant(values), self.constant(F(scale)), self.constant(zero)]),
                    F(scale))
        scales = (scale * self.rng.uniform(0.5, 1.5, shape[axis])).astype(F)
        grid = [self.constant(scales), self.constant(np.full(shape[axis], zero))]
        return self.node("DequantizeLinear", [self.constant(values), *grid], axis=axis), scales

    def bias(self, count, scales):
        grid = [self.constant(F(self.scale) * scales), self.constant(np.zeros(np.shape(scales), I32))]
        axis = {"axis": 0} if np.ndim(scales) else {}
        return self.node("DequantizeLinear",
                         [self.constant(self.integers(-8000, 8000, count, I32)), *grid], **axis)

    def row(self, shape, low, high, scale):
        return self.node("DequantizeLinear", [self.constant(self.integers(low, high, shape, self.type)),
                                              self.constant(F(scale)), self.constant(self.type(0))])

    # --- steps: None where the value at hand does not allow one
    def convolution(self):
        channels, sizes = self.shape[1], self.shape[2:]
        size, stride = self.pick((1, 1, 3, 5)), self.pick((1, 1, 2))
        if min(sizes) < size:
            return None
        count, pad = self.pick((4, 8, 16, 17, 32)), self.between(0, size // 2 + 1)
        weights, scales = self.weights((count, channels, size, size), 0, self.maybe(0.6), size * size * channels)
        inputs = [self.x, weights] + ([self.bias(count, scales)] if self.maybe(0.8) else [])
        y = self.node("Conv", inputs, kernel_shape=[size] * 2, strides=[stride] * 2, pads=[pad] * 4)
        self.shape = [1, count, *((n + 2 * pad - size) // stride + 1 for n in sizes)]
        ending = self.pick(("none", "Relu", "Clip"))
        if ending == "Relu":
            y = self.node("Relu", [y])
        elif ending == "Clip":
            y = self.node("Clip", [y, self.constant(F(0)), self.constant(F(self.pick((1, 6))))])
        self.quantize(y, None if ending == "none" else 0)
        return "conv" if ending == "none" else "conv " + ending.lower()

    def depthwise(self):
        channels = self.shape[1]
        if min(self.shape[2:]) < 3:
            return None
        weights, _ = self.weights((channels, 1, 3, 3), 0, self.maybe(0.6), 9)
        self.quantize(self.node("Conv", [self.x, weights], kernel_shape=[3, 3], pads=[1] * 4, group=channels))
        return "depthwise"

    def deconvolution(self):
        if self.shape[2] * self.shape[3] > 400:
            return None
        count = self.pick((4, 8))
        weights, _ = self.weights((self.shape[1], count, 2, 2), 1, False, 4 * self.shape[1])
        y = self.node("ConvTranspose", [self.x, weights], kernel_shape=[2, 2], strides=[2, 2])
        self.shape = [1, count, 2 * self.shape[2], 2 * self.shape[3]]
        self.quantize(y)
        return "deconvolution"

    def pair(self):
        kind = self.pick(("Add", "Add", "Mul", "Sub"))
        same = [name for name, shape in self.earlier if shape == self.shape]
        other = self.pick(same) if same and self.maybe(0.7) else self.row((1, self.shape[1], 1, 1), 0, 100, 0.02)
        self.quantize(self.node(kind, [self.x, other]))
        return kind.lower()

    def concatenation(self):
        fitting = [v for v in self.earlier if v[1][2:] == self.shape[2:] and v[1][1] + self.shape[1] <= MOST_CHANNELS]
        if not fitting:
            return None
        name, shape = self.pick(fitting)
        self.shape[1] += shape[1]
        self.quantize(self.node("Concat", [self.x, name], axis=1))
        return "concat"

    def pool(self):
        if min(self.shape[2:]) < 3:
            return None
        kind = self.pick(("MaxPool", "AveragePool", "GlobalAveragePool"))
        if kind == "GlobalAveragePool":
            y, sizes = self.node(kind, [self.x]), [1, 1]
        elif kind == "MaxPool":
            y, sizes = self.node(kind, [self.x], kernel_shape=[2, 2], strides=[2, 2]), [n // 2 for n in self.shape[2:]]
        else:
            pad = self.between(0, 2)
            y = self.node(kind, [self.x], kernel_shape=[3, 3], pads=[pad] * 4, count_include_pad=self.between(0, 2))
            sizes = [n - 2 + 2 * pad for n in self.shape[2:]]
        self.shape[2:] = sizes
        self.quantize(y)
        return kind.lower()

    def activation(self):
        kind = self.pick(("Relu", "LeakyRelu", "Sigmoid", "Tanh", "HardSwish", "Softmax"))
        low, high = {"Relu": (0, None), "Sigmoid": (0, 1), "Tanh": (-1, 1), "Softmax": (0, 1)}.get(kind, (None, None))
        attributes = {"LeakyRelu": {"alpha": 0.1}, "Softmax": {"axis": self.pick((1, 3))}}.get(kind, {})
        self.quantize(self.node(kind, [self.x], **attributes), low, high)
        return kind.lower()

    def move(self):
        kind = self.pick(("Resize", "Pad", "Slice"))
        if kind == "Resize":
            if self.shape[2] * self.shape[3] > 900:
                return None
            y = self.node(kind, [self.x, "", self.constant(np.array([1, 1, 2, 2], F))], mode="nearest",
                          coordinate_transformation_mode="asymmetric", nearest_mode="floor")
            self.shape[2:] = [2 * n for n in self.shape[2:]]
        elif kind == "Pad":
            y = self.node(kind, [self.x, self.constant(np.array([0, 0, 1, 0, 0, 0, 0, 2]))])
            self.shape[2:] = [self.shape[2] + 1, self.shape[3] + 2]
        else:
            if self.shape[2] < 3:
                return None
            limits = [self.constant(np.array([n])) for n in (1, self.shape[2], 2)]
            y = self.node(kind, [self.x, *limits])
            self.shape[2] -= 1
        self.quantize(y)
        return kind.lower()

    STEPS = (convolution, convolution, convolution, depthwise, depthwise, deconvolution, pair, pair, pair,
             concatenation, pool, pool, activation, activation, move)

    def product(self):
        features = int(np.prod(self.shape))
        if features > MOST_FEATURES:
            return
        self.quantize(self.node("Flatten", [self.x], axis=1))
        count = self.pick((5, 10, 32))
        if self.maybe():
            weights, scales = self.weights((count, features), 0, False, features)
            y = self.node("Gemm", [self.x, weights, self.bias(count, scales)], transB=1)
        else:
            weights, _ = self.weights((features, count), 1, self.maybe(), features)
            y = self.node("MatMul", [self.x, weights])
        self.quantize(y)
        self.summary.append("product")


def network(seed):
    net = Network(seed)
    while len(net.summary) == 1 or net.maybe(0.8):
        name = net.pick(net.STEPS)(net)
        if name:
            net.summary.append(name)
            net.earlier.append((net.x, list(net.shape)))
    if net.maybe(0.4):
        net.product()
    result = net.quantizer(net.x, -2, 2)[0]
    kind = TensorProto.UINT8 if net.type == U8 else TensorProto.INT8
    graph = helper.make_graph(net.nodes, "g",
                              [helper.make_tensor_value_info("x", TensorProto.FLOAT, net.input_shape)],
                              [helper.make_tensor_value_info(result, kind, None)], net.constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)])
    model.ir_version = IR_VERSION
    return model.SerializeToString(), [net.input], net.summary
