#!/usr/bin/python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""How far quantized models are from the float model they came from.

usage: measure_sqnr.py --bin BIN --float MODEL.xml --inputs DIR MODEL.xml...

Runs the float model and each quantized one on all DIR/NNN with BIN/infer and prints a line a model: for
each output the signal-to-noise ratio in dB over all inputs together,
10 log10(sum float^2 / sum (float - quantized)^2). Where the last layer is a DetectionOutput or a
CTCGreedyDecoder, which jumps, its inputs are compared instead: in0, in1. Needs python3-numpy.
"""
import argparse
import pathlib
import re
import subprocess
import tempfile
import xml.etree.ElementTree as ElementTree

import numpy

# Discontinuous layers, and how many of their inputs are worth comparing.
LAST_STEPS = {"DetectionOutput": 2, "CTCGreedyDecoder": 1}


def file_of(layer):
    return re.sub(r"[^A-Za-z0-9._-]", "_", layer) + ".npy"


def inputs_of_last_steps(xml):
    """{label: layer}: what goes into the last steps."""
    root = ElementTree.parse(xml).getroot()
    layers = {layer.get("id"): layer for layer in root.find("layers")}
    sources = {}
    for edge in root.find("edges"):
        sources.setdefault(edge.get("to-layer"), {})[int(edge.get("to-port"))] = edge.get("from-layer")
    found = {}
    for number, layer in layers.items():
        ports = sorted(sources.get(number, {}))[:LAST_STEPS.get(layer.get("type"), 0)]
        for i, port in enumerate(ports):
            found[f"in{i}"] = layers[sources[number][port]].get("name")
    return found


def run(arguments, xml, extra, folder):
    command = [str(arguments.bin / "infer"), "-m", xml, "-o", folder]
    inputs = sorted(path for path in arguments.inputs.iterdir() if path.is_dir())
    if len(inputs) < 2:
        raise SystemExit(f"error: {arguments.inputs} has fewer than two inputs")
    for path in inputs:
        command += ["-i", str(path)]
    for layer in extra:
        command += ["-add_output", layer]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return len(inputs)


def load(folder, index, layer):
    return numpy.load(pathlib.Path(folder) / str(index) / file_of(layer)).astype(numpy.float64)


def ratio(float_folder, folder, layers, count):
    """dB over all inputs of one pair of layers."""
    signal = noise = 0.0
    for i in range(count):
        exact, got = load(float_folder, i, layers[0]), load(folder, i, layers[1])
        if exact.shape != got.shape:
            raise SystemExit(f"error: '{layers[0]}' has shape {exact.shape}, '{layers[1]}' {got.shape}")
        signal += (exact ** 2).sum()
        noise += ((exact - got) ** 2).sum()
    return 10 * numpy.log10(signal / noise) if noise > 0 else float("inf")


def outputs(folder):
    return sorted(path.stem for path in (pathlib.Path(folder) / "0").glob("*.npy"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--float", required=True)
    parser.add_argument("--inputs", type=pathlib.Path, required=True)
    parser.add_argument("models", nargs="+")
    arguments = parser.parse_args()
    heads = inputs_of_last_steps(arguments.float)
    with tempfile.TemporaryDirectory() as work:
        count = run(arguments, arguments.float, heads.values(), f"{work}/float")
        for number, xml in enumerate(arguments.models):
            folder = f"{work}/{number}"
            own = inputs_of_last_steps(xml)
            run(arguments, xml, own.values(), folder)
            if heads:
                pairs = {label: (heads[label], own[label]) for label in heads}
            else:
                # Other tools rename the layer before a Result: paired by the order of names.
                pairs = {a: (a, b) for a, b in zip(outputs(f"{work}/float"), outputs(folder), strict=True)}
            figures = (f"{label} {ratio(f'{work}/float', folder, layers, count):.1f}"
                       for label, layers in pairs.items())
            print(f"{xml}: {', '.join(figures)}", flush=True)


if __name__ == "__main__":
    main()
