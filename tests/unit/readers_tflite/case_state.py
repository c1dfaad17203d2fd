#!/usr/bin/env python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Operators with a state: two runs each, the second goes on where the first ended."""
import numpy as np

from case_model import case

F = np.float32
CLOSE = 2e-6


def real(seed, *shape):
    return (np.random.default_rng(seed).normal(size=shape) * 0.6).astype(F)


def const(seed, *shape):
    return ("const", real(seed, *shape))


def integer_lstm(name, zero, clip, major):
    """`zero`: zero point of the output, its state and of the product before them."""
    rng = np.random.default_rng(40 + zero)
    batch, steps, inputs, hidden = 2, 5, 6, 7
    shape = (steps, batch, inputs) if major else (batch, steps, inputs)

    def whole(*size):
        return rng.integers(-127, 128, size).astype(np.int8)
    grids = [F(s) for s in rng.uniform(0.003, 0.01, 8)]
    grid, cells, product = (F(0.02), 3), (F(2 ** -12), 0), (F(0.0078), zero)
    operands = [(whole(*shape), grid)] + [("const", whole(hidden, inputs), (s, 0)) for s in grids[:4]]
    operands += [("const", whole(hidden, hidden), (s, 0)) for s in grids[4:]] + [None] * 3
    operands += [("const", rng.integers(-3000, 3000, hidden).astype(np.int32), (F(s * grid[0]), 0)) for s in grids[:4]]
    operands += [None] * 2 + [("state", (batch, hidden), np.int8, product), ("state", (batch, hidden), np.int16, cells)]
    options = {"fused_activation_function": "TANH", "cell_clip": clip, "time_major": major}
    return case(name, "UNIDIRECTIONAL_SEQUENCE_LSTM", operands + [None] * 4,
                [((*shape[:2], hidden), np.int8, product)], ("UnidirectionalSequenceLSTMOptions", options), version=3,
                intermediates=[((0,), np.int16, (1.0, 0))] * 4 + [((0,), np.int8, product)],
                runs=[[operands[0][0]], [whole(*shape)]])


def integer_svdf(name, rank, memory, batch, zeros, biased, span):
    """`zeros`: zero points of input and output; `span`: how large weights over time are."""
    rng = np.random.default_rng(70 + rank + memory)
    inputs, filters = 10, 12

    def whole(*size):
        return rng.integers(-127, 128, size).astype(np.int8)
    grid, features, time, state, result = F(0.04), F(0.011), F(0.0007), F(0.0013), F(0.00012 * span * (rank * memory) ** 0.5)
    bias = ("const", rng.integers(-9000, 9000, filters // rank).astype(np.int32), (F(state * time), 0))
    return case(name, "SVDF", [(whole(batch, inputs), (grid, zeros[0])), ("const", whole(filters, inputs), (features, 0)),
                               ("const", rng.integers(-span, span, (filters, memory)).astype(np.int16), (time, 0)),
                               bias if biased else None, ("state", (batch, filters * memory), np.int16, (state, 0))],
                [((batch, filters // rank), np.int8, (result, zeros[1]))],
                ("SVDFOptions", {"rank": rank, "fused_activation_function": "RELU"}), version=3,
                runs=[[whole(batch, inputs)] for _ in range(4)])


def cases():
    for major in (False, True):
        shape, tag = ((4, 2, 3), "_time_major") if major else ((2, 4, 3), "")
        out = (*shape[:2], 5)
        inputs = [real(1, *shape)] + [const(2 + i, 5, 3) for i in range(4)] + [const(6 + i, 5, 5) for i in range(4)]
        inputs += [None] * 3 + [const(10 + i, 5) for i in range(4)] + [None] * 2
        inputs += [("state", (2, 5), F), ("state", (2, 5), F)] + [None] * 4
        yield case("lstm" + tag, "UNIDIRECTIONAL_SEQUENCE_LSTM", inputs, [(out, F)],
                   ("UnidirectionalSequenceLSTMOptions", {"fused_activation_function": "TANH", "time_major": major}),
                   runs=[[real(1, *shape)], [real(20, *shape)]], tolerance=CLOSE)
        yield case("rnn_sequence" + tag, "UNIDIRECTIONAL_SEQUENCE_RNN",
                   [real(1, *shape), const(2, 5, 3), const(3, 5, 5), const(4, 5), ("state", (2, 5), F)], [(out, F)],
                   ("SequenceRNNOptions", {"fused_activation_function": "TANH", "time_major": major}),
                   runs=[[real(1, *shape)], [real(20, *shape)]], tolerance=CLOSE)
    for zero, clip, major in ((0, 0.0, False), (5, 2.5, True), (-20, 0.0, False)):
        yield integer_lstm("lstm_s8_%d" % zero, zero, clip, major)
    yield case("rnn", "RNN", [real(1, 2, 3), const(2, 5, 3), const(3, 5, 5), const(4, 5), ("state", (2, 5), F)],
               [((2, 5), F)], ("RNNOptions", {"fused_activation_function": "RELU"}),
               runs=[[real(1, 2, 3)], [real(20, 2, 3)]], tolerance=CLOSE)
    yield case("svdf", "SVDF", [real(1, 2, 3), const(2, 8, 3), const(3, 8, 4), const(4, 4), ("state", (2, 32), F)],
               [((2, 4), F)], ("SVDFOptions", {"rank": 2, "fused_activation_function": "RELU"}),
               runs=[[real(20 + i, 2, 3)] for i in range(3)], tolerance=CLOSE)
    yield integer_svdf("svdf_s8", 1, 5, 1, (3, -128), True, 1500)
    yield integer_svdf("svdf_s8_rank2", 2, 3, 3, (-128, -20), True, 3000)
    yield integer_svdf("svdf_s8_one_step", 3, 1, 2, (0, 7), False, 9000)
    yield integer_svdf("svdf_s8_saturates", 2, 8, 1, (-7, -128), True, 32767)
