#!/usr/bin/env python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""A graph of ONNX nodes, written as an expression: g.Add(x, y)."""
import numpy as np
from onnx import TensorProto, helper, numpy_helper

F, I64 = np.float32, np.int64
KINDS = {np.dtype("f4"): TensorProto.FLOAT, np.dtype("i8"): TensorProto.INT64, np.dtype("i4"): TensorProto.INT32,
         np.dtype("b1"): TensorProto.BOOL}


def real(seed, *shape, scale=0.5):
    return (np.random.default_rng(seed).normal(size=shape) * scale).astype(F)


class Graph:
    def __init__(self, opset=17, prefix="", parent=None):
        self.opset, self.prefix, self.parent = opset, prefix, parent
        self.nodes, self.initializers, self.inputs, self.outputs, self.functions = [], [], [], [], []
        self.domains, self.count, self.seed = {"": opset}, 0, 100

    def name(self, stem):
        self.count += 1
        return "%s%s_%d" % (self.prefix, stem, self.count)

    def input(self, name, dims, dtype=F):
        """Texts in `dims` are open dimensions."""
        self.inputs.append(helper.make_tensor_value_info(name, KINDS[np.dtype(dtype)], dims))
        return name

    def output(self, value, name, dtype=F):
        self.node("Identity", [value], [name])
        self.outputs.append(helper.make_tensor_value_info(name, KINDS[np.dtype(dtype)], None))

    def const(self, value, dtype=None):
        """As a node, like the exporters' Constant."""
        value = np.asarray(value, dtype or (I64 if np.asarray(value).dtype.kind in "iu" else None))
        if value.dtype == np.float64:
            value = value.astype(F)
        name = self.name("Constant")
        tensor = numpy_helper.from_array(value, name)
        self.nodes.append(helper.make_node("Constant", [], [name], name="/" + name, value=tensor))
        return name

    def weight(self, *shape, scale=0.3):
        self.seed += 1
        name = self.name("weight")
        self.initializers.append(numpy_helper.from_array(real(self.seed, *shape, scale=scale), name))
        return name

    def node(self, kind, inputs, outputs, domain="", **attributes):
        self.nodes.append(helper.make_node(kind, inputs, outputs, name="/" + outputs[0], domain=domain, **attributes))
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def __getattr__(self, kind):
        if not kind[0].isupper():
            raise AttributeError(kind)

        def make(*inputs, outputs=1, domain="", **attributes):
            names = [self.name(kind) for _ in range(outputs)]
            return self.node(kind, [i or "" for i in inputs], names, domain, **attributes)
        return make

    def body(self, tag):
        return Graph(self.opset, self.name(tag) + "/")

    def proto(self, name="main_graph"):
        return helper.make_graph(self.nodes, name, self.inputs, self.outputs, self.initializers)

    def model(self):
        opsets = [helper.make_opsetid(d, v) for d, v in self.domains.items()]
        model = helper.make_model(self.proto(), opset_imports=opsets, functions=self.functions, producer_name="test")
        model.ir_version = 8
        return model

    # --- what several networks have ---------------------------------------------------------
    def conv(self, x, inputs, outputs, kernel=3, stride=1, pads=None, **more):
        pads = kernel // 2 if pads is None else pads
        return self.Conv(x, self.weight(outputs, inputs // more.get("group", 1), kernel, kernel), self.weight(outputs),
                         kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=[pads] * 4, dilations=[1, 1],
                         group=more.get("group", 1))

    def silu(self, x):
        return self.Mul(x, self.Sigmoid(x))

    def gelu(self, x):
        erf = self.Erf(self.Div(x, self.const(F(2 ** 0.5))))
        return self.Mul(self.Mul(x, self.Add(erf, self.const(F(1)))), self.const(F(0.5)))

    def linear(self, x, inputs, outputs, bias=True):
        product = self.MatMul(x, self.weight(inputs, outputs))
        return self.Add(self.weight(outputs), product) if bias else product

    def layer_norm(self, x, size):
        """As before operator set 17."""
        centred = self.Sub(x, self.ReduceMean(x, axes=[-1]))
        variance = self.ReduceMean(self.Pow(centred, self.const(F(2))), axes=[-1])
        normal = self.Div(centred, self.Sqrt(self.Add(variance, self.const(F(1e-5)))))
        return self.Add(self.Mul(normal, self.weight(size)), self.weight(size))

    def size(self, x, axis):
        return self.Gather(self.Shape(x), self.const(axis), axis=0)

    def list_of(self, *sizes):
        """Sizes, values or numbers, as a list."""
        one = self.const([0])
        parts = [self.Unsqueeze(s, one) if isinstance(s, str) else self.const([s]) for s in sizes]
        return self.Concat(*parts, axis=0)

    def attention(self, q, k, v, heads, size, mask=None):
        """[batch, tokens, size]; scaled as PyTorch does, both operands by the root."""
        width = size // heads

        def split(x, order):
            sizes = self.list_of(self.size(x, 0), self.size(x, 1), heads, width)
            return self.Transpose(self.Reshape(x, sizes), perm=order)
        scale = self.Sqrt(self.Div(self.const(F(1)), self.Sqrt(self.Cast(self.const(F(width)), to=TensorProto.FLOAT))))
        left = self.Mul(split(q, [0, 2, 1, 3]), scale)
        scores = self.MatMul(left, self.Mul(split(k, [0, 2, 3, 1]), scale))
        scores = self.Add(scores, mask) if mask else scores
        mixed = self.Transpose(self.MatMul(self.Softmax(scores, axis=-1), split(v, [0, 2, 1, 3])), perm=[0, 2, 1, 3])
        return self.Reshape(mixed, self.list_of(self.size(q, 0), self.size(q, 1), size))
