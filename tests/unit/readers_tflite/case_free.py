#!/usr/bin/env python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Models whose batch is free: 1 in the file, another one when they run."""
import numpy as np

from case_model import ModelJson

F, S8, I32 = np.float32, np.int8, np.int32
CLOSE = 3e-6


def real(seed, *shape):
    return (np.random.default_rng(seed).normal(size=shape) * 0.6).astype(F)


class Net:
    """A chain of operators; sizes are those of the file, with a batch of 1."""

    def __init__(self, name, shape, dtype=F, grid=None):
        self.name, self.model = name, ModelJson()
        self.graph = self.model.graph()
        self.shape, self.dtype = shape, dtype
        self.last = self.free(shape, dtype, grid)
        self.graph.inputs = [self.last]

    def free(self, shape, dtype, grid=None):
        made = self.graph.tensor(shape, dtype, grid)
        self.graph.tensors[made]["shape_signature"] = [-1] + [int(s) for s in shape[1:]]
        return made

    def op(self, name, inputs, shape, options=None, dtype=None, grid=None, version=1):
        """`inputs`: None stands for the last result."""
        result = self.free(shape, dtype or self.dtype, grid)
        self.graph.op(name, [self.last if i is None else i for i in inputs], [result], options, version)
        self.last = result
        return self

    def const(self, value, grid=None):
        return self.graph.const(np.asarray(value), grid)

    def shape_of_batch(self):
        """SHAPE and STRIDED_SLICE: the batch as a number."""
        shape, batch = self.graph.tensor((len(self.shape),), I32), self.graph.tensor((), I32)
        self.graph.op("SHAPE", [self.graph.inputs[0]], [shape], ("ShapeOptions", {"out_type": "INT32"}))
        one = self.const(np.array([1], I32))
        self.graph.op("STRIDED_SLICE", [shape, self.const(np.array([0], I32)), one, one], [batch],
                      ("StridedSliceOptions", {"shrink_axis_mask": 1}))
        return batch

    def pack(self, *sizes):
        batch = self.shape_of_batch()
        packed = self.graph.tensor((1 + len(sizes),), I32)
        self.graph.op("PACK", [batch] + [self.const(np.array(s, I32)) for s in sizes], [packed],
                      ("PackOptions", {"values_count": 1 + len(sizes), "axis": 0}))
        return packed

    def case(self, batch, **more):
        self.graph.outputs = [self.last]
        runs = []
        for seed in (1, 2):
            shape = (batch, *self.shape[1:])
            whole = np.random.default_rng(seed).integers(-128, 128, shape).astype(S8)
            runs.append([whole if self.dtype == S8 else real(seed, *shape)])
        return dict(name="free_" + self.name, model=self.model.json(), runs=runs, resize=True, **more)


CONV = ("Conv2DOptions", {"padding": "SAME", "stride_w": 1, "stride_h": 1, "fused_activation_function": "RELU"})
POOL = ("Pool2DOptions", {"padding": "VALID", "stride_w": 2, "stride_h": 2, "filter_width": 2, "filter_height": 2})
DENSE = ("FullyConnectedOptions", {})


def network(reshape):
    net = Net("cnn_" + reshape, (1, 6, 6, 3))
    net.op("CONV_2D", [None, net.const(real(3, 4, 3, 3, 3)), net.const(real(4, 4))], (1, 6, 6, 4), CONV)
    net.op("MAX_POOL_2D", [None], (1, 3, 3, 4), POOL)
    wanted = net.pack(36) if reshape == "by_shape" else net.const(np.array([-1, 36], I32))
    net.op("RESHAPE", [None, wanted], (1, 36), ("ReshapeOptions", {}))
    net.op("FULLY_CONNECTED", [None, net.const(real(5, 5, 36)), net.const(real(6, 5))], (1, 5), DENSE)
    return net.op("SOFTMAX", [None], (1, 5), ("SoftmaxOptions", {"beta": 1.0})).case(3, tolerance=CLOSE)


def network_s8():
    rng = np.random.default_rng(7)
    grids = [(F(0.05), 3), (F(0.04), -128), (F(0.1), 5)]
    net = Net("cnn_s8", (1, 6, 6, 3), S8, grids[0])
    scales = rng.uniform(0.005, 0.01, 4).astype(F)
    weights = net.const(rng.integers(-127, 128, (4, 3, 3, 3)).astype(S8), (scales, 0, 0))
    bias = net.const(rng.integers(-500, 500, 4).astype(I32), (scales * grids[0][0], 0, 0))
    net.op("CONV_2D", [None, weights, bias], (1, 6, 6, 4), CONV, grid=grids[1], version=3)
    net.op("AVERAGE_POOL_2D", [None], (1, 3, 3, 4), POOL, grid=grids[1], version=2)
    net.op("RESHAPE", [None, net.const(np.array([-1, 36], I32))], (1, 36), ("ReshapeOptions", {}), grid=grids[1])
    scale = F(0.007)
    weights = net.const(rng.integers(-127, 128, (5, 36)).astype(S8), (scale, 0))
    bias = net.const(rng.integers(-900, 900, 5).astype(I32), (F(scale * grids[1][0]), 0))
    return net.op("FULLY_CONNECTED", [None, weights, bias], (1, 5), DENSE, grid=grids[2], version=4).case(4)


def upscaling():
    net = Net("transpose_conv", (1, 3, 3, 2))
    shape = net.pack(6, 6, 4)
    options = ("TransposeConvOptions", {"padding": "SAME", "stride_w": 2, "stride_h": 2})
    net.op("TRANSPOSE_CONV", [shape, net.const(real(3, 4, 2, 2, 2)), None], (1, 6, 6, 4), options)
    net.op("RESIZE_BILINEAR", [None, net.const(np.array([9, 9], I32))], (1, 9, 9, 4),
           ("ResizeBilinearOptions", {"half_pixel_centers": True}), version=3)
    return net.op("MEAN", [None, net.const(np.array([1, 2], I32))], (1, 4), ("ReducerOptions", {})).case(
        2, tolerance=CLOSE)


def rows():
    net = Net("rows", (1, 3, 4))
    net.op("FULLY_CONNECTED", [None, net.const(real(3, 5, 4)), net.const(real(4, 5))], (1, 3, 5),
           ("FullyConnectedOptions", {"keep_num_dims": True}), version=5)
    net.op("TRANSPOSE", [None, net.const(np.array([0, 2, 1], I32))], (1, 5, 3), ("TransposeOptions", {}))
    net.op("ADD", [None, net.const(real(5, 3))], (1, 5, 3), ("AddOptions", {}))
    net.op("CONCATENATION", [None, None], (1, 5, 6), ("ConcatenationOptions", {"axis": 2}))
    net.op("EXPAND_DIMS", [None, net.const(np.array(1, I32))], (1, 1, 5, 6), ("ExpandDimsOptions", {}))
    return net.op("SQUEEZE", [None], (1, 5, 6), ("SqueezeOptions", {"squeeze_dims": [1]})).case(5, tolerance=CLOSE)


def cases():
    yield network("by_shape")
    yield network("by_constant")
    yield network_s8()
    yield upscaling()
    yield rows()
