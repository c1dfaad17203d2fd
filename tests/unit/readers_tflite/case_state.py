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
    yield case("rnn", "RNN", [real(1, 2, 3), const(2, 5, 3), const(3, 5, 5), const(4, 5), ("state", (2, 5), F)],
               [((2, 5), F)], ("RNNOptions", {"fused_activation_function": "RELU"}),
               runs=[[real(1, 2, 3)], [real(20, 2, 3)]], tolerance=CLOSE)
    yield case("svdf", "SVDF", [real(1, 2, 3), const(2, 8, 3), const(3, 8, 4), const(4, 4), ("state", (2, 32), F)],
               [((2, 4), F)], ("SVDFOptions", {"rank": 2, "fused_activation_function": "RELU"}),
               runs=[[real(20 + i, 2, 3)] for i in range(3)], tolerance=CLOSE)
