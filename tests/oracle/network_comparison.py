# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""What Fuseq computed of a network, against the oracle.

As the oracle's check_layers.py does it: the oracle walks through the network in float64, compares
its value of each FakeQuantize with the one that Fuseq had, and goes on with Fuseq's. So differences
do not add up, and the outputs too are computed from Fuseq's own quantized tensors.

How much the order of float operations may change is not guessed but tried: the oracle walks again
with a small random error in every result. Where that moves a value, Fuseq's may be moved, too.
"""
import json

import numpy as np

# Random errors: of a result of f32 operations, and of oneDNN's polynomials, of the largest magnitude.
ROUNDING = 3e-7
POLYNOMIAL = 4e-6
POLYNOMIALS = {"Sigmoid", "Tanh", "Exp", "Elu", "Gelu", "Swish", "SoftMax", "Erf",
               "ScaledDotProductAttention"}
WALKS = ("up", "down", "random", "random")
# Largest error seen in these walks, to the largest that can be.
SAFETY = 8.0
# In steps: what is nearer to the middle of two steps is a tie for everybody. Fuseq leaves out parts
# of zero points of weights that could move less than that (docs/wrong_results.md).
TIE = 0.002
# A deconvolution that gets its output_shape: see SWAPPED in check_operations.py.
SWAPPED = {"same_upper": "same_lower", "same_lower": "same_upper"}


def load(folder):
    return {path.stem: np.load(path) for path in sorted(folder.glob("*.npy"))}


def load_network(ir_numpy, folder):
    network = ir_numpy.Network(folder / "model.xml", dtype=np.float64)
    for layer in network.layers.values():
        if layer.type.endswith("ConvolutionBackpropData") and len(layer.inputs) == 3:
            mode = layer.attrs.get("auto_pad", "explicit")
            layer.attrs["auto_pad"] = SWAPPED.get(mode, mode)
    return network


def snap(value, low, step):
    """Levels that a float32 holds, as exactly those levels."""
    with np.errstate(divide="ignore", invalid="ignore"):
        level = np.rint((value - low) / step)
    exact = low + level * step
    return np.where(np.abs(exact - value) <= 1e-3 * np.abs(step), exact, value)


class Walk:
    """One run of the oracle from Fuseq's quantized tensors. random: makes errors, None: none.
    ties: where Fuseq's value of a FakeQuantize is not known, up, down or at random."""

    def __init__(self, network, inputs, tensors, random=None, ties=None):
        self.network, self.tensors, self.random, self.ties = network, tensors, random, ties
        self.seen = {}       # FakeQuantize -> (its inputs, its value)
        constants = {layer.id for layer in network.of_type("Const")}
        self.folded = set()  # layers that depend on constants only
        for layer in network.order():
            producers = network.producers(layer)
            if layer.id in constants or producers and all(p.id in self.folded for p in producers):
                self.folded.add(layer.id)
        self.outputs = network.run(inputs, override=self._visit)

    def _visit(self, layer, args, value):
        if layer.type == "FakeQuantize":
            self.seen[layer.name] = layer, args, value
        if value.dtype.kind != "f" or layer.id in self.folded:
            return value
        if layer.type != "FakeQuantize":
            return self._with_error(layer, value)
        got = self.tensors.get(layer.name)
        low, step = args[3], (args[4] - args[3]) / (int(layer.attrs["levels"]) - 1)
        if got is not None and got.shape == value.shape:
            value = snap(got.astype(np.float64), low, step)
        elif self.ties is not None:
            value = value + step * self._turned_ties(layer, args)
        return self._with_error(layer, value, np.maximum(np.abs(args[3]), np.abs(args[4])))

    def _turned_ties(self, layer, args):
        """-1, 0 or 1 step for each element."""
        where = position(layer, args)
        part = where - np.floor(where)
        up = self.random.random(part.shape) < 0.5 if self.ties == "random" else self.ties == "up"
        tie = (np.abs(part - 0.5) < TIE) & (where > 0) & (where < int(layer.attrs["levels"]) - 1)
        return np.where(tie, up - (np.rint(where) - np.floor(where)), 0.0)

    def _with_error(self, layer, value, size=0.0):
        if self.random is None:
            return value
        error = ROUNDING * np.maximum(np.abs(value), size)
        if layer.type in POLYNOMIALS:
            error = error + POLYNOMIAL * np.abs(value).max(initial=0.0)
        return value + error * self.random.normal(size=value.shape)


def position(layer, args):
    """Of the input of a FakeQuantize, in steps from the lowest level; -1 where its range is empty."""
    with np.errstate(divide="ignore", invalid="ignore"):
        where = (args[0] - args[1]) / (args[2] - args[1]) * (int(layer.attrs["levels"]) - 1)
    return np.where(np.isfinite(where), where, -1.0)


def moved(exact, others):
    """How far errors may move a tensor."""
    scale = np.abs(exact).max(initial=0.0)
    return SAFETY * max(np.abs(other - exact).max(initial=0.0) for other in others) + 2e-6 * scale


def largest(differences):
    return differences[np.isfinite(differences)].max(initial=0.0)


def fake_quantize_difference(seen, others, got):
    """Empty where Fuseq's value is right."""
    layer, args, expected = seen
    if got.shape != expected.shape:
        return f"shape {got.shape}, expected {expected.shape}"
    x, low, high, out_low, out_high = args
    levels = int(layer.attrs["levels"]) - 1
    with np.errstate(divide="ignore", invalid="ignore"):
        steps = np.abs(expected - got) / np.abs((out_high - out_low) / levels)
        # Of the widest channel; an error of a narrow one is a larger part of its step.
        steps = np.where(np.abs(expected - got) <= 1e-6 * np.abs(expected), 0.0, steps)
        noise = TIE + moved(x, [other[1][0] for other in others]) / np.abs((high - low) / levels)
    where = position(layer, args)
    tie = np.abs(where - np.floor(where) - 0.5) < noise
    # More than half a step of noise decides nothing.
    wrong = ~(steps < 0.5) & ~(tie & (steps < 1.5)) & ~((noise > 0.5) & (steps < 1.5 + 2 * noise))
    if not wrong.any():
        return ""
    at = tuple(int(i) for i in np.argwhere(wrong)[0])
    full = np.broadcast_to(where, expected.shape)
    return (f"{np.count_nonzero(wrong)} of {wrong.size} wrong, worst {largest(steps):.4g} steps; at {at} "
            f"{got[at]:.7g}, expected {expected[at]:.7g}, position {full[at]:.5f}, "
            f"noise {np.max(noise):.2g} steps")


def output_difference(expected, others, got):
    expected = np.asarray(expected)
    if expected.shape != got.shape:
        return f"shape {got.shape}, expected {expected.shape}"
    if (expected.dtype.kind == "f") != (got.dtype.kind == "f"):
        return f"type {got.dtype}, expected {expected.dtype}"
    expected, got, *others = (np.asarray(a).astype(np.float64) for a in (expected, got, *others))
    allowed = moved(expected, others)
    error = np.abs(expected - got)
    if np.all(error <= allowed):
        return ""
    at = tuple(int(i) for i in np.argwhere(~(error <= allowed))[0])
    return (f"{np.count_nonzero(~(error <= allowed))} of {error.size} wrong, worst {largest(error):.4g}, "
            f"allowed {allowed:.3g}; at {at} {got[at]:.7g}, expected {expected[at]:.7g}")


def against_oracle(network, place, inputs):
    """What is wrong, a sentence each. place: the folder of one way to run the network."""
    tensors, got = load(place / "fq"), load(place / "out")
    quantizers = {layer.name for layer in network.of_type("FakeQuantize")}
    tensors = {name: value for name, value in got.items() if name in quantizers} | tensors
    exact = Walk(network, inputs, tensors)
    random = np.random.default_rng(1)
    others = [Walk(network, inputs, tensors, random, ties) for ties in WALKS]
    findings = []
    for name, value in tensors.items():
        if name not in exact.seen:
            findings.append(f"{name} is no FakeQuantize of the network")
        elif text := fake_quantize_difference(exact.seen[name], [o.seen[name] for o in others], value):
            findings.append(f"{name}: {text}")
    if sorted(got) != sorted(exact.outputs):
        return findings + [f"outputs {sorted(got)}, expected {sorted(exact.outputs)}"]
    for name, value in got.items():
        if text := output_difference(exact.outputs[name], [o.outputs[name] for o in others], value):
            findings.append(f"output {name}: {text}")
    return findings


def different_bytes(place, other):
    """Outputs whose bytes differ."""
    a, b = load(place / "out"), load(other / "out")
    return [name for name in sorted(a) if a[name].tobytes() != b.get(name, np.empty(0)).tobytes()]


def has_float_product(place):
    """oneDNN's may differ in the last bits with the number of threads: docs/wrong_results.md."""
    steps = json.loads((place / "report.json").read_text())["steps"]
    return any(step.get("src_type") == "f32" and not step["implementation"].startswith("fuseq:")
               and (step["kind"] in ("convolution", "deconvolution")
                    or step["kind"] == "matmul" and step["implementation"].startswith("gemm:"))
               for step in steps)


def rough_difference(expected, got):
    """Of two devices, up to ties and what follows from them: one element in ten may differ by a step."""
    if expected.shape != got.shape or expected.dtype != got.dtype:
        return f"{got.dtype}{list(got.shape)}, expected {expected.dtype}{list(expected.shape)}"
    a, b = expected.astype(np.float64), got.astype(np.float64)
    with np.errstate(invalid="ignore"):
        finite = np.abs(a[np.isfinite(a)]).max(initial=0.0)
        wrong = ~((np.abs(a - b) <= 0.01 * finite) | (a == b) | (np.isnan(a) & np.isnan(b)))
    if np.count_nonzero(wrong) <= 0.1 * wrong.size:
        return ""
    at = tuple(int(i) for i in np.argwhere(wrong)[0])
    return f"{np.count_nonzero(wrong)} of {wrong.size} differ; at {at} {b[at]:.7g}, expected {a[at]:.7g}"
