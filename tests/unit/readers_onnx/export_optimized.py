#!/usr/bin/env python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""What ONNX Runtime's optimizer saves, and operators that few networks have."""
import numpy as np

from export_builder import F, Graph, real


def optimized():
    """What ONNX Runtime's optimizer saves of convolutions and products: their activations, a summand."""
    g = Graph(17)
    ms = "com.microsoft"
    g.domains[ms] = 1
    x = g.input("x", ["n", 3, 6, 6])
    window = {"kernel_shape": [3, 3], "pads": [1] * 4, "domain": ms}
    a = g.FusedConv(x, g.weight(4, 3, 3, 3), g.weight(4), activation="Relu", **window)
    b = g.FusedConv(a, g.weight(4, 4, 3, 3), g.weight(4), a, activation="LeakyRelu", activation_params=[0.25], **window)
    c = g.FusedConv(b, g.weight(4, 1, 3, 3), None, activation="Clip", activation_params=[-0.5, 0.75], group=4, **window)
    d = g.FusedConv(c, g.weight(2, 4, 1, 1), activation="HardSigmoid", activation_params=[0.3, 0.4], domain=ms)
    g.output(d, "image")
    flat = g.Flatten(d, axis=1)
    e = g.FusedGemm(flat, g.weight(5, 72), g.weight(5), transB=1, alpha=0.5, activation="Tanh", domain=ms)
    g.output(g.FusedGemm(e, g.weight(5, 3), g.weight(3), activation="LeakyRelu", activation_alpha=0.2, domain=ms), "row")
    return g, [{"x": real(i, n, 3, 6, 6, scale=1)} for i, n in ((1, 1), (2, 2))]


def optimized_bert():
    """The same of a text model: embeddings, attention with packed weights, sums that are normalized."""
    g = Graph(17)
    ms = "com.microsoft"
    g.domains[ms] = 1
    ids, kinds = (g.input(n, ["batch", "sequence"], np.int32) for n in ("input_ids", "token_type_ids"))
    mask = g.input("attention_mask", ["batch", "sequence"], np.int32)
    past = g.input("past", [2, "batch", 2, "before", 4])
    h, count, total = g.EmbedLayerNormalization(
        ids, kinds, g.weight(30, 8), g.weight(16, 8), g.weight(2, 8), g.weight(8), g.weight(8), mask, outputs=3,
        epsilon=1e-12, domain=ms)
    a = g.Attention(h, g.weight(8, 24), g.weight(24), mask, num_heads=2, domain=ms)
    h = g.SkipLayerNormalization(a, h, g.weight(8), g.weight(8), g.weight(8), epsilon=1e-12, domain=ms)
    a = g.Attention(h, g.weight(8, 24), g.weight(24), count, num_heads=2, scale=0.4, domain=ms)
    h = g.SkipLayerNormalization(a, h, g.weight(8), g.weight(8), g.weight(8), epsilon=1e-12, domain=ms)
    a = g.FastGelu(g.MatMul(h, g.weight(8, 16)), g.weight(16), domain=ms)
    h = g.Add(g.MatMul(a, g.weight(16, 8)), h)
    a, present = g.Attention(h, g.weight(8, 24), g.weight(24), None, past, num_heads=2, unidirectional=1, outputs=2,
                             domain=ms)
    g.output(a, "y")
    g.output(present, "present")
    g.output(total, "sum")
    g.output(count, "count", np.int32)

    def inputs(seed, batch, length, before):
        rng = np.random.default_rng(seed)
        shown = np.arange(length)[None] < rng.integers(1, length + 1, (batch, 1))
        return {ids: rng.integers(0, 30, (batch, length)).astype(np.int32), mask: shown.astype(np.int32),
                kinds: rng.integers(0, 2, (batch, length)).astype(np.int32), past: real(seed, 2, batch, 2, before, 4)}
    return g, [inputs(1, 1, 5, 2), inputs(2, 3, 4, 1)]


def moved_windows():
    """Convolution with offsets, and windows added up to an image."""
    g = Graph(19)
    x = g.input("x", ["n", 4, 5, 5])
    offsets = g.Mul(g.conv(x, 4, 36), g.const(F(0.3)))
    mask = g.Sigmoid(g.conv(x, 4, 18))
    g.output(g.DeformConv(x, g.weight(6, 2, 3, 3), offsets, g.weight(6), mask, kernel_shape=[3, 3], pads=[1] * 4, group=2,
                          offset_group=2), "moved")
    columns = g.Reshape(x, g.const([0, 4, 25]))
    g.output(g.Col2Im(columns, g.const([6, 6]), g.const([2, 2])), "image")
    g.output(g.Col2Im(g.Concat(columns, columns, axis=1), g.const([5, 5]), g.const([2, 2]), dilations=[2, 2],
                      pads=[1] * 4), "dilated")
    return g, [{"x": real(i, n, 4, 5, 5, scale=1)} for i, n in ((1, 1), (2, 2))]
