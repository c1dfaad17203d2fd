#!/usr/bin/python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Random networks of quantized TFLite operators: network(seed) gives the bytes of a file, its inputs and a summary.

Convolutions of all kinds with fused activations, sums, products, concatenations, pools, resizes, activations, LSTMs; i8
with scales a channel or a tensor, and u8 with zero points of weights. Grids differ from tensor to tensor.
"""
import numpy as np

import case_model
import make_cases
from random_choices import Choices

I8, U8, I32, F = np.int8, np.uint8, np.int32, np.float32
MOST_CHANNELS = 96
MOST_FEATURES = 4000
ACTIVATIONS = ("NONE", "NONE", "RELU", "RELU6")


class Value:
    def __init__(self, index, shape, grid):
        self.index, self.shape, self.grid = index, list(shape), grid


class Network(Choices):
    """A chain of steps; sums and concatenations reach back to earlier values."""

    def __init__(self, seed):
        super().__init__(seed)
        self.type = self.pick((I8, I8, U8))
        self.limits = np.iinfo(self.type)
        self.model = case_model.ModelJson()
        self.graph = self.model.graph()
        shape = (1, self.between(6, 20), self.between(6, 20), self.pick((1, 3, 8, 16)))
        grid = self.grid(-2, 2)
        self.input = self.integers(*shape)
        self.x = Value(self.graph.input(self.input, grid), shape, grid)
        self.earlier = [self.x]
        self.summary = [self.type.__name__]

    # --- numbers
    def integers(self, *shape):
        return self.rng.integers(self.limits.min, self.limits.max + 1, shape).astype(self.type)

    def grid(self, low=None, high=None):
        low = -self.rng.uniform(0.5, 3) if low is None else low
        high = self.rng.uniform(0.5, 3) if high is None else high
        scale = F((high - low) / 255)
        return scale, int(np.clip(round(self.limits.min - low / scale), self.limits.min, self.limits.max))

    def unit_grid(self):
        return F(1 / 256), self.limits.min

    # --- tensors and operators
    def result(self, name, sources, shape, grid, options=None, version=2):
        index = self.graph.tensor(shape, self.type, grid)
        self.graph.op(name, sources, [index], options, version)
        self.x = Value(index, shape, grid)

    def ints(self, *values):
        return self.graph.const(np.array(values, I32))

    def weights(self, shape, axis, per_channel, fan_in):
        """(tensor, scales) of sums with a variance near that of the source."""
        scale = 1 / (40 * np.sqrt(fan_in))
        if self.type == U8:
            zero = self.between(110, 140)
            values = np.clip(np.rint(self.rng.normal(zero, 40, shape)), 0, 255).astype(U8)
            return self.graph.const(values, (F(scale), zero)), np.array([scale], F)
        count = shape[axis] if per_channel else 1
        scales = (scale * self.rng.uniform(0.5, 1.5, count)).astype(F)
        values = np.clip(np.rint(self.rng.normal(0, 40, shape)), -127, 127).astype(I8)
        return self.graph.const(values, (scales, 0, axis)), scales

    def bias(self, count, scales):
        return self.graph.const(self.rng.integers(-2000, 2000, count).astype(I32), (F(self.x.grid[0]) * scales, 0, 0))

    def activation(self):
        """(name, a grid that fits it)"""
        name = self.pick(ACTIVATIONS)
        top = 6 if name == "RELU6" and self.maybe() else None
        return name, self.grid(None if name == "NONE" else 0, top)

    # --- steps: None where the value at hand does not allow one
    def convolution(self, depthwise=False):
        _, height, width, channels = self.x.shape
        size, stride, padding = self.pick((1, 3, 3, 5)), self.pick((1, 1, 2)), self.pick(("SAME", "VALID"))
        count = channels * self.pick((1, 1, 2)) if depthwise else self.pick((4, 8, 16, 24, 32))
        if min(height, width) < size or count > MOST_CHANNELS:
            return None
        shape = (1, size, size, count) if depthwise else (count, size, size, channels)
        weights, scales = self.weights(shape, 3 if depthwise else 0, self.maybe(0.7),
                                       size * size * (1 if depthwise else channels))
        bias = self.bias(count, scales)
        name, grid = self.activation()
        options = {"padding": padding, "stride_h": stride, "stride_w": stride, "fused_activation_function": name}
        sizes = [-(-n // stride) if padding == "SAME" else (n - size) // stride + 1 for n in (height, width)]
        if depthwise:
            options["depth_multiplier"] = count // channels
        self.result("DEPTHWISE_CONV_2D" if depthwise else "CONV_2D", [self.x.index, weights, bias],
                    [1, *sizes, count], grid,
                    ("DepthwiseConv2DOptions" if depthwise else "Conv2DOptions", options), 3)
        return "depthwise" if depthwise else "convolution"

    def depthwise(self):
        return self.convolution(True)

    def deconvolution(self):
        _, height, width, channels = self.x.shape
        if height * width > 200:
            return None
        count = self.pick((4, 8))
        weights, _ = self.weights((count, 2, 2, channels), 0, self.maybe(), 4 * channels)
        shape = [1, 2 * height, 2 * width, count]
        self.result("TRANSPOSE_CONV", [self.ints(*shape), weights, self.x.index], shape, self.grid(),
                    ("TransposeConvOptions", {"padding": "VALID", "stride_h": 2, "stride_w": 2}))
        return "deconvolution"

    def pair(self, name):
        same = [v for v in self.earlier if v.shape == self.x.shape]
        if same and self.maybe(0.8):
            other = self.pick(same).index
        else:
            other = self.graph.const(self.integers(1, 1, 1, self.x.shape[3]), self.grid())
        sources = [self.x.index, other]
        if name != "SUB" and self.maybe():
            sources.reverse()
        function, grid = self.activation()
        self.result(name, sources, self.x.shape, grid,
                    (name.capitalize() + "Options", {"fused_activation_function": function}))
        return name.lower()

    def add(self):
        return self.pair("ADD")

    def subtract(self):
        return self.pair("SUB")

    def multiply(self):
        return self.pair("MUL")

    def extreme(self):
        """Of one grid, as converters write it."""
        other = self.graph.const(self.integers(1, 1, 1, self.x.shape[3]), self.x.grid)
        name = self.pick(("MAXIMUM", "MINIMUM"))
        self.result(name, [self.x.index, other], self.x.shape, self.x.grid, ("MaximumMinimumOptions", {}))
        return name.lower()

    def concatenation(self):
        """Of i8 all sources have one grid, as TFLite demands."""
        fitting = [v for v in self.earlier if v.shape[1:3] == self.x.shape[1:3]
                   and v.shape[3] + self.x.shape[3] <= MOST_CHANNELS and (self.type == U8 or v.grid == self.x.grid)]
        if not fitting:
            return None
        other = self.pick(fitting)
        grid = self.grid() if self.type == U8 else self.x.grid
        self.result("CONCATENATION", [self.x.index, other.index],
                    [*self.x.shape[:3], self.x.shape[3] + other.shape[3]], grid,
                    ("ConcatenationOptions", {"axis": 3}))
        return "concatenation"

    def pool(self):
        _, height, width, channels = self.x.shape
        if min(height, width) < 3:
            return None
        size, stride, padding = self.pick((2, 3)), self.pick((1, 2)), self.pick(("SAME", "VALID"))
        sizes = [-(-n // stride) if padding == "SAME" else (n - size) // stride + 1 for n in (height, width)]
        name = self.pick(("AVERAGE_POOL_2D", "MAX_POOL_2D"))
        self.result(name, [self.x.index], [1, *sizes, channels], self.x.grid,
                    ("Pool2DOptions", {"padding": padding, "stride_h": stride, "stride_w": stride,
                                       "filter_height": size, "filter_width": size,
                                       "fused_activation_function": self.pick(("NONE", "RELU"))}))
        return name.lower()

    def mean(self):
        if len(self.earlier) < 3:
            return None
        self.result("MEAN", [self.x.index, self.ints(1, 2)], [1, 1, 1, self.x.shape[3]],
                    self.grid() if self.maybe() else self.x.grid, ("ReducerOptions", {"keep_dims": True}))
        return "mean"

    def pad(self):
        _, height, width, channels = self.x.shape
        pads = self.graph.const(np.array([[0, 0], [1, 1], [0, 1], [0, 0]], I32))
        self.result("PAD", [self.x.index, pads], [1, height + 2, width + 1, channels], self.x.grid, ("PadOptions", {}))
        return "pad"

    def resize(self):
        _, height, width, channels = self.x.shape
        if height * width > 150:
            return None
        kind = self.pick(("Bilinear", "NearestNeighbor"))
        corners = self.maybe(0.3)
        shape = [1, self.between(height, 2 * height + 1), self.between(width, 2 * width + 1), channels]
        self.result("RESIZE_BILINEAR" if kind == "Bilinear" else "RESIZE_NEAREST_NEIGHBOR",
                    [self.x.index, self.ints(*shape[1:3])], shape, self.x.grid,
                    ("Resize%sOptions" % kind, {"align_corners": corners,
                                                "half_pixel_centers": not corners and self.maybe()}), 3)
        return "resize"

    def element_wise(self):
        kind = self.pick(("HARD_SWISH", "LEAKY_RELU", "LOGISTIC", "TANH", "RELU", "RELU6", "QUANTIZE"))
        grid = {"HARD_SWISH": self.grid(-0.4), "LOGISTIC": self.unit_grid(),
                "TANH": (F(1 / 128), self.limits.min + 128)}.get(kind, self.grid())
        options = {"LEAKY_RELU": ("LeakyReluOptions", {"alpha": 0.2}), "QUANTIZE": ("QuantizeOptions", {})}.get(kind)
        self.result(kind, [self.x.index], self.x.shape, grid, options, 1 if kind == "HARD_SWISH" else 2)
        return kind.lower()

    def slope(self):
        slopes = self.graph.const(self.integers(1, 1, self.x.shape[3]),
                                  (F(0.004), self.between(-20, 20) + (0 if self.type == I8 else 120)))
        self.result("PRELU", [self.x.index, slopes], self.x.shape, self.grid(), version=1)
        return "prelu"

    STEPS = (convolution, convolution, convolution, depthwise, depthwise, deconvolution, add, add, subtract, multiply,
             extreme, concatenation, pool, pool, mean, pad, resize, resize, element_wise, element_wise, slope)

    def fully_connected(self):
        features = int(np.prod(self.x.shape))
        if features > MOST_FEATURES:
            return
        count = self.pick((5, 10, 32))
        weights, scales = self.weights((count, features), 0, False, features)
        name, grid = self.activation()
        self.result("FULLY_CONNECTED", [self.x.index, weights, self.bias(count, scales)], [1, count], grid,
                    ("FullyConnectedOptions", {"fused_activation_function": name}), 4)
        if self.maybe():
            self.result("SOFTMAX", [self.x.index], [1, count], self.unit_grid(), ("SoftmaxOptions", {"beta": 1.0}))
        self.summary.append("fully connected")


    def sequence(self):
        """An LSTM over the rows, in one of the sixteen forms of coupled gates, peepholes, normalization, projection."""
        _, steps, width, channels = self.x.shape
        if self.type != I8 or width * channels > MOST_FEATURES // 4:
            return False
        coupled, peepholes, norms, projection = (self.maybe() for _ in range(4))
        graph, cells = self.graph, self.between(2, 40)
        inputs, outputs = width * channels, self.between(1, cells + 1) if projection else cells
        state, scale = self.grid(-1, 1), F(self.rng.uniform(0.3, 2) / (127 * np.sqrt(inputs)))
        hidden = self.grid(-1, 1) if projection else state

        def constant(low, high, shape, dtype, of):
            return graph.const(self.rng.integers(low, high, shape).astype(dtype), (F(of), 0))

        def gates(make, count=4, when=True):
            return [make() if when and not (coupled and gate == 0) else -1 for gate in range(count)]
        rows = graph.tensor((1, steps, inputs), I8, self.x.grid)
        graph.op("RESHAPE", [self.x.index, self.ints(1, steps, inputs)], [rows], ("ReshapeOptions", {}))
        bias = (2000000, 3e-8) if norms else (3000, scale * self.x.grid[0])
        operands = [rows] + gates(lambda: constant(-127, 128, (cells, inputs), I8, scale))
        operands += gates(lambda: constant(-127, 128, (cells, outputs), I8, scale))
        operands += gates(lambda: constant(-32767, 32768, cells, np.int16, 3e-5), 3, peepholes)
        operands += gates(lambda: constant(-bias[0], bias[0], cells, I32, bias[1]))
        operands += [constant(-127, 128, (outputs, cells), I8, 0.01), -1] if projection else [-1, -1]
        operands += [graph.tensor((1, outputs), I8, state, variable=True),
                     graph.tensor((1, cells), np.int16, (F(2.0 ** -self.between(9, 16)), 0), variable=True)]
        operands += gates(lambda: constant(-32767, 32768, cells, np.int16, 3e-5), 4, norms)
        between = [graph.tensor((0,), np.int16, (F(3e-4), 0)) for _ in range(4)] + [graph.tensor((0,), I8, hidden)]
        self.x = Value(graph.tensor((1, steps, outputs), I8, state), (1, steps, outputs), state)
        graph.op("UNIDIRECTIONAL_SEQUENCE_LSTM", operands, [self.x.index],
                 ("UnidirectionalSequenceLSTMOptions", {"fused_activation_function": "TANH"}), 3, intermediates=between)
        self.summary.append("lstm")
        return True


def network(seed):
    net = Network(seed)
    while len(net.graph.ops) == 0 or net.maybe(0.85):
        name = net.pick(net.STEPS)(net)
        if name:
            net.summary.append(name)
            net.earlier.append(net.x)
    if not (net.maybe(0.15) and net.sequence()) and net.maybe(0.4):
        net.fully_connected()
    net.graph.outputs = [net.x.index]
    return make_cases.binary(net.model.json()), [net.input], net.summary
