#!/usr/bin/env python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""LSTMs of i8 in all their forms: three runs each, every one goes on where the last ended."""
import numpy as np

from case_model import case

F = np.float32
BATCH, STEPS, INPUTS, CELLS = 2, 3, 5, 9
COUPLED, PEEPHOLES, NORMS, PROJECTION = 1, 2, 4, 8


class Tensors:
    """The operands of one LSTM, random by the seed."""

    def __init__(self, seed, forms, magnitude=0.01):
        self.rng, self.forms = np.random.default_rng(seed), forms
        self.size = 6 if forms & PROJECTION else CELLS
        self.x, self.state = (F(0.03), 11), (F(0.02), -7)
        self.hidden = (F(0.0078), 5) if forms & PROJECTION else self.state
        self.scales = [F(s) for s in self.rng.uniform(0.5, 2, 8) * magnitude]
        self.norm_scales = [F(s) for s in self.rng.uniform(2e-5, 6e-5, 4)]

    def bytes(self, *shape):
        return self.rng.integers(-127, 128, shape).astype(np.int8)

    def words(self, limit, dtype=np.int16):
        return self.rng.integers(-limit, limit, CELLS).astype(dtype)

    def of_gates(self, make, count=4, when=True):
        """make(gate) as a constant; coupled gates leave the input gate out."""
        first = 1 if self.forms & COUPLED else 0
        return [("const", *make(gate)) if when and gate >= first else None for gate in range(count)]

    def bias(self, gate):
        if self.forms & NORMS:
            return self.words(2000000, np.int32), (F(self.norm_scales[gate] / 1024), 0)
        return self.words(3000, np.int32), (F(self.scales[gate] * self.x[0]), 0)

    def projection(self, bias):
        if not self.forms & PROJECTION:
            return [None, None]
        scale = F(0.004)
        values = self.rng.integers(-900, 900, self.size).astype(np.int32)
        return [("const", self.bytes(self.size, CELLS), (scale, 0)),
                ("const", values, (F(scale * self.hidden[0]), 0)) if bias else None]

    def inputs(self, bias, cells):
        forms = self.forms
        made = self.of_gates(lambda g: (self.bytes(CELLS, INPUTS), (self.scales[g], 0)))
        made += self.of_gates(lambda g: (self.bytes(CELLS, self.size), (self.scales[4 + g], 0)))
        made += self.of_gates(lambda g: (self.words(32767), (F(3e-5), 0)), 3, forms & PEEPHOLES)
        made += self.of_gates(self.bias) + self.projection(bias)
        made += [("state", (BATCH, self.size), np.int8, self.state), ("state", (BATCH, CELLS), np.int16, (F(cells), 0))]
        return made + self.of_gates(lambda g: (self.words(32767), (self.norm_scales[g], 0)), 4, forms & NORMS)

    def intermediates(self):
        return [((0,), np.int16, (s, 0)) for s in (3e-4, 2e-4, 5e-4, 4e-4)] + [((0,), np.int8, self.hidden)]


def sequence(name, seed, forms, major=False, bias=True, cells=2 ** -11, magnitude=0.01, **clips):
    made = Tensors(seed, forms, magnitude)
    shape = (STEPS, BATCH, INPUTS) if major else (BATCH, STEPS, INPUTS)
    runs = [[made.bytes(*shape)] for _ in range(3)]
    options = {"fused_activation_function": "TANH", "time_major": major, **clips}
    return case("lstm_s8_" + name, "UNIDIRECTIONAL_SEQUENCE_LSTM", [(runs[0][0], made.x)] + made.inputs(bias, cells),
                [((*shape[:2], made.size), np.int8, made.state)], ("UnidirectionalSequenceLSTMOptions", options), version=3,
                intermediates=made.intermediates(), runs=runs)


def one_step(name, seed, forms):
    made = Tensors(seed, forms)
    runs = [[made.bytes(BATCH, INPUTS)] for _ in range(3)]
    return case("lstm_s8_step_" + name, "LSTM", [(runs[0][0], made.x)] + made.inputs(True, 2 ** -11),
                [((BATCH, made.size), np.int8, made.state)], ("LSTMOptions", {"fused_activation_function": "TANH"}),
                version=4, intermediates=made.intermediates(), runs=runs)


def cases():
    tags = {COUPLED: "coupled", PEEPHOLES: "peepholes", NORMS: "norms", PROJECTION: "projection"}
    for forms in range(1, 16):
        name = "_".join(tag for bit, tag in tags.items() if forms & bit)
        # The sequences of a batch are computed together where the steps come first: peepholes are wider there.
        yield sequence(name, forms, forms, major=forms % 3 == 0, cells=2.0 ** -(9 + forms % 7))
    yield sequence("peepholes_projection_time_major", 21, PEEPHOLES | PROJECTION, major=True)
    yield sequence("projection_clips", 22, PROJECTION, bias=False, cell_clip=0.6, proj_clip=0.35)
    yield sequence("norms_clip", 23, NORMS, cell_clip=0.3)
    # Products with the last output beyond 16 bits, which the input's may bring back.
    yield sequence("large", 24, 0, magnitude=0.08)
    yield one_step("plain", 25, 0)
    yield one_step("all", 26, 15)
