#!/usr/bin/env python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""LSTMs of f32 in all their forms: two runs each, the second goes on where the first ended."""
import numpy as np

from case_model import case

F = np.float32
CLOSE = 3e-6
# Of weights of 8 bits: TFLite quantizes values at run time, Fuseq does not.
ROUGH = 0.02
BATCH, STEPS, INPUTS, CELLS = 2, 4, 3, 5


def real(seed, *shape):
    return (np.random.default_rng(seed).normal(size=shape) * 0.6).astype(F)


class Direction:
    """The weights of one direction, as groups of inputs; None: left out."""

    def __init__(self, seed, coupled=False, peepholes=False, projection=0, bias=False, norms=False, hybrid=False):
        numbers = iter(range(seed, seed + 100))

        def group(count, *shape, first=False, bytes=False):
            made = []
            for i in range(count):
                value = None if coupled and first and i == 0 else real(next(numbers), *shape)
                if value is not None and bytes:
                    scale = F(np.abs(value).max() / 127)
                    made.append(("const", np.rint(value / scale).astype(np.int8), (scale, 0)))
                else:
                    made.append(None if value is None else ("const", value))
            return made
        self.size = projection or CELLS
        self.weights = group(4, CELLS, INPUTS, first=True, bytes=hybrid)
        self.recurrent = group(4, CELLS, self.size, first=True, bytes=hybrid)
        self.peepholes = group(3, CELLS, first=True, bytes=hybrid) if peepholes else [None] * 3
        self.bias = group(4, CELLS, first=True)
        self.projection = group(1, projection, CELLS, bytes=hybrid) if projection else [None]
        self.projection += group(1, projection) if bias else [None]
        self.norms = group(4, CELLS, first=True) if norms else [None] * 4
        self.states = [("state", (BATCH, self.size), F), ("state", (BATCH, CELLS), F)]
        self.inputs = self.weights + self.recurrent + self.peepholes + self.bias + self.projection


def values(major):
    shape = (STEPS, BATCH, INPUTS) if major else (BATCH, STEPS, INPUTS)
    return [real(1, *shape), real(2, *shape)]


def one_direction(name, options=None, major=False, **forms):
    way, runs = Direction(10, **forms), values(major)
    # An older version has 20 inputs, without those of the normalization.
    norms = way.norms if forms.get("norms") else [None] * 4
    options = {"fused_activation_function": "TANH", "time_major": major, **(options or {})}
    return case("lstm_" + name, "UNIDIRECTIONAL_SEQUENCE_LSTM", [runs[0]] + way.inputs + way.states + norms,
                [((*runs[0].shape[:2], way.size), F)], ("UnidirectionalSequenceLSTMOptions", options),
                runs=[[r] for r in runs], tolerance=ROUGH if forms.get("hybrid") else CLOSE)


def two_directions(name, merged, options=None, major=False, auxiliary=None, **forms):
    """auxiliary: a second input with weights ("beside"), or what the backward direction reads ("apart")."""
    ways, runs = [Direction(10, **forms), Direction(200, **forms)], [[r] for r in values(major)]
    second = [None] * 9
    if auxiliary:
        for i, run in enumerate(runs):
            run.append(real(400 + i, *run[0].shape))
        second[0] = runs[0][1]
    if auxiliary == "beside":
        second[1:] = [None if forms.get("coupled") and i % 4 == 0 else ("const", real(500 + i, CELLS, INPUTS)) for i in range(8)]
    inputs = [runs[0][0]] + ways[0].inputs + ways[1].inputs + ways[0].states + ways[1].states + second
    shape = runs[0][0].shape[:2]
    outputs = [((*shape, 2 * ways[0].size), F)] if merged else [((*shape, ways[0].size), F)] * 2
    options = {"fused_activation_function": "TANH", "time_major": major, "merge_outputs": merged, **(options or {})}
    return case("lstm_both_" + name, "BIDIRECTIONAL_SEQUENCE_LSTM", inputs, outputs,
                ("BidirectionalSequenceLSTMOptions", options), runs=runs, tolerance=CLOSE)


def one_step(name, **forms):
    way, runs = Direction(10, **forms), [real(i, BATCH, INPUTS) for i in (1, 2, 3)]
    return case("lstm_step_" + name, "LSTM", [runs[0]] + way.inputs + way.states, [((BATCH, way.size), F)],
                ("LSTMOptions", {"fused_activation_function": "TANH"}), runs=[[r] for r in runs], tolerance=CLOSE)


def basic_step():
    """The kernel without variables: activations and cells are inputs and outputs."""
    runs = [[real(1, BATCH, INPUTS), real(2, BATCH, CELLS), real(3, BATCH, CELLS)]]
    inputs = runs[0][:2] + [("const", real(4, 4 * CELLS, INPUTS + CELLS)), ("const", real(5, 4 * CELLS)), runs[0][2]]
    outputs = [((BATCH, CELLS), F)] * 2 + [((BATCH, INPUTS + CELLS), F), ((BATCH, 4 * CELLS), F)]
    return case("lstm_step_basic", "LSTM", inputs, outputs,
                ("LSTMOptions", {"fused_activation_function": "TANH", "kernel_type": 1}), version=2, runs=runs,
                tolerance=CLOSE)


def cases():
    yield one_direction("coupled", coupled=True)
    yield one_direction("peepholes", peepholes=True)
    yield one_direction("projection", projection=4)
    yield one_direction("projection_bias_clips", {"cell_clip": 0.4, "proj_clip": 0.3}, projection=4, bias=True)
    yield one_direction("norms", norms=True)
    yield one_direction("relu_peepholes_time_major", {"fused_activation_function": "RELU"}, True, peepholes=True)
    yield one_direction("relu6_clip", {"fused_activation_function": "RELU6", "cell_clip": 0.7})
    yield one_direction("all", {"cell_clip": 0.8, "proj_clip": 0.9}, peepholes=True, projection=3, bias=True, norms=True)
    yield one_direction("all_coupled", {"cell_clip": 0.8}, True, coupled=True, peepholes=True, projection=6, norms=True)
    yield one_direction("hybrid", hybrid=True)
    yield one_direction("hybrid_all", hybrid=True, peepholes=True, projection=4, bias=True, norms=True)
    for merged in (False, True):
        tag = "merged" if merged else "apart"
        # Merged with the batch first, TFLite 2.9 reads memory that nobody has written.
        yield two_directions(tag, merged, None, merged)
        yield two_directions(tag + "_time_major_coupled_peepholes", merged, None, True, coupled=True, peepholes=True)
        yield two_directions(tag + "_projection_clips", merged, {"cell_clip": 0.5, "proj_clip": 0.4}, merged, projection=4,
                             bias=True)
    for kind in ("beside", "apart"):
        yield two_directions("second_input_" + kind, False, auxiliary=kind)
        yield two_directions("second_input_%s_coupled" % kind, True, {"cell_clip": 0.7}, True, kind, coupled=True)
    yield one_step("plain")
    yield one_step("peepholes_projection", peepholes=True, projection=4)
    yield basic_step()
