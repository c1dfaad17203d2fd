#!/usr/bin/python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""How far quantized models are from the float model they came from.

usage: measure_sqnr.py --bin BIN --float MODEL.xml --inputs DIR MODEL.xml...

Runs the float model and each quantized one on all DIR/NNN with BIN/infer and prints a line a model: for
each output the signal-to-noise ratio in dB over all inputs together,
10 log10(sum float^2 / sum (float - quantized)^2). Where the last layer is a DetectionOutput or a
CTCGreedyDecoder, which jumps, its inputs are compared instead: in0, in1. Outputs of another shape, as
lists of boxes after a NonMaxSuppression have, are left out, and the last convolutions are compared, those
of as many channels together. Needs python3-numpy.
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


def last_convolutions(xml):
    """{label: layers} where a NonMaxSuppression may find another number of boxes, else nothing."""
    root = ElementTree.parse(xml).getroot()
    layers = {layer.get("id"): layer for layer in root.find("layers")}
    if not any(layer.get("type").startswith("NonMaxSuppression") for layer in layers.values()):
        return {}
    sources = {}
    for edge in root.find("edges"):
        sources.setdefault(edge.get("to-layer"), []).append(edge.get("from-layer"))
    waiting = [number for number, layer in layers.items() if layer.get("type") == "Result"]
    seen = set()
    while waiting:
        number = waiting.pop()
        if number not in seen:
            seen.add(number)
            if layers[number].get("type") != "Convolution":
                waiting += sources.get(number, [])
    found = {}
    for number, layer in layers.items():
        if number in seen and layer.get("type") == "Convolution":
            channels = layer.find("output/port").findall("dim")[1].text
            found.setdefault(f"convolutions_of_{channels}", []).append(layer.get("name"))
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


def stem_of(layer):
    return file_of(layer).removesuffix(".npy")


def load(folder, index, layer):
    return numpy.load(pathlib.Path(folder) / str(index) / file_of(layer)).astype(numpy.float64)


def ratio(float_folder, folder, layers, count):
    """dB over all inputs of pairs of layers; None where their shapes differ."""
    signal = noise = 0.0
    for i in range(count):
        for of_float, other in zip(*layers, strict=True):
            exact, got = load(float_folder, i, of_float), load(folder, i, other)
            if exact.shape != got.shape:
                return None
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
    ends = last_convolutions(arguments.float)
    with tempfile.TemporaryDirectory() as work:
        float_folder = f"{work}/float"
        count = run(arguments, arguments.float, [*heads.values(), *sum(ends.values(), [])], float_folder)
        names = [name for name in outputs(float_folder) if name not in map(stem_of, sum(ends.values(), []))]
        for number, xml in enumerate(arguments.models):
            folder = f"{work}/{number}"
            own = inputs_of_last_steps(xml)
            own_ends = last_convolutions(xml)
            run(arguments, xml, [*own.values(), *sum(own_ends.values(), [])], folder)
            if heads:
                pairs = {label: ([heads[label]], [own[label]]) for label in heads}
            else:
                # Other tools rename the layer before a Result: paired by the order of names.
                own_names = [name for name in outputs(folder)
                             if name not in map(stem_of, sum(own_ends.values(), []))]
                pairs = {a: ([a], [b]) for a, b in zip(names, own_names, strict=True)}
            figures = {label: ratio(float_folder, folder, layers, count) for label, layers in pairs.items()}
            if None in figures.values():
                figures |= {label: ratio(float_folder, folder, (ends[label], own_ends[label]), count)
                            for label in ends}
            print(f"{xml}: " + ", ".join(f"{label} {figure:.1f}" for label, figure in figures.items()
                                         if figure is not None), flush=True)


if __name__ == "__main__":
    main()
