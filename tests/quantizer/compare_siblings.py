#!/usr/bin/python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Quantized networks beside int8 models that other tools made of the same networks: what runs in int8, whether
every FakeQuantize is computed as defined, and how often what they say agrees with the float model.

usage: compare_siblings.py --bin BIN --data DATA --siblings DIR --work DIR --oracle ORACLE [--variants A,B,...] [MODEL...]

Takes the models and inputs that accuracy_table.py left in --work, and makes what is missing. ORACLE holds
check_layers.py and compare.py. Prints a table in markdown: for each variant and for the sibling the share of
multiplications in int8 and the exit status of check_layers.py on the first validation input, and for each output
of the float model on all of them
- boxes (confidence 0.2 and more) that have a partner (DetectionOutput, NonMaxSuppression),
- texts that are the same (CTCGreedyDecoder),
- inputs whose greatest class is the same (SoftMax), values on the same side of 0.5 (Sigmoid),
- otherwise the mean distance from the value of the float model.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

import numpy

import accuracy_table
from measure_sqnr import file_of


def kinds_of_outputs(xml):
    """[(name, kind of the layer)] of the Results, by name; TopK and lists of classes are left out."""
    root = ElementTree.parse(xml).getroot()
    layers = {layer.get("id"): layer for layer in root.find("layers")}
    suppresses = any(layer.get("type").startswith("NonMaxSuppression") for layer in layers.values())
    found = []
    for edge in root.find("edges"):
        if layers[edge.get("to-layer")].get("type") != "Result":
            continue
        layer = layers[edge.get("from-layer")]
        dims = [dim.text for dim in layer.find("output/port").findall("dim")]
        if not suppresses:
            found.append((layer.get("name"), layer.get("type")))
        elif dims[-1] == "5":
            found.append((layer.get("name"), "DetectionOutput"))
    return sorted(found)


def run(arguments, xml, inputs, folder):
    command = [str(arguments.bin / "infer"), "-m", xml, "-o", folder]
    for path in inputs:
        command += ["-i", str(path)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def load(folder, index, output):
    return numpy.load(pathlib.Path(folder) / str(index) / file_of(output))


def agreement(compare, kind, pairs):
    """In words, over pairs of tensors: exact and got."""
    if kind == "DetectionOutput":
        counts = [compare.match_detections(exact, got) for exact, got in pairs]
        return f"boxes {sum(n for n, _ in counts)}/{sum(n for _, n in counts)}"
    if kind == "CTCGreedyDecoder":
        return f"texts {sum(numpy.array_equal(*pair) for pair in pairs)}/{len(pairs)}"
    if kind == "SoftMax":
        same = [exact.argmax(axis=1) == got.argmax(axis=1) for exact, got in pairs]
        return f"top-1 {sum(map(numpy.sum, same))}/{sum(part.size for part in same)}"
    if kind == "Sigmoid":
        same = [(exact > 0.5) == (got > 0.5) for exact, got in pairs]
        return f"sides {sum(map(numpy.sum, same))}/{sum(part.size for part in same)}"
    return f"{numpy.mean([numpy.abs(exact - got).mean() for exact, got in pairs]):.3g} off"


def coverage(arguments, xml):
    """Share of the multiplications that are done in int8."""
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        subprocess.run([str(arguments.bin / "explain"), "-m", xml, "-json", report.name], check=True,
                       stdout=subprocess.DEVNULL)
        return json.load(report)["totals"]["int8_macs_share"]


def layers_status(arguments, xml, data):
    """Exit status of check_layers.py."""
    with tempfile.TemporaryDirectory() as work:
        subprocess.run([str(arguments.bin / "infer"), "-m", xml, "-i", str(data), "-o", work, "-dump", f"{work}/fq"],
                       check=True, stdout=subprocess.DEVNULL)
        return subprocess.run([str(arguments.oracle / "check_layers.py"), xml, "-i", str(data), "--dump", f"{work}/fq"],
                              stdout=subprocess.DEVNULL, check=False).returncode


def row(arguments, name, compare):
    float_xml, models, sibling = accuracy_table.models_of(arguments, name)
    if not sibling:
        return
    judge = accuracy_table.make_inputs(arguments, name, "validation", arguments.validation)
    inputs = sorted(path for path in judge.iterdir() if path.is_dir())
    outputs = kinds_of_outputs(float_xml)
    cells = []
    with tempfile.TemporaryDirectory() as work:
        run(arguments, float_xml, inputs, f"{work}/float")
        for xml in [*models.values(), sibling]:
            run(arguments, xml, inputs, f"{work}/quantized")
            # Other tools rename the layer before a Result: paired by the order of names.
            own = kinds_of_outputs(xml)
            words = [agreement(compare, kind, [(load(f"{work}/float", i, exact), load(f"{work}/quantized", i, got))
                                               for i in range(len(inputs))])
                     for (exact, kind), (got, _) in zip(outputs, own, strict=True)]
            cells += [f"{100 * coverage(arguments, xml):.1f} %, {layers_status(arguments, xml, inputs[0])}",
                      ", ".join(words)]
    print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    accuracy_table.add_arguments(parser, ["defaults"])
    parser.add_argument("--oracle", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    sys.path.insert(0, str(arguments.oracle))
    import compare
    columns = sum(([f"{side}: int8, check_layers", "agrees"] for side in [*arguments.variants, "sibling"]), ["model"])
    print("| " + " | ".join(columns) + " |\n|" + " --- |" * len(columns))
    for name in accuracy_table.names(arguments):
        row(arguments, name, compare)


if __name__ == "__main__":
    main()
