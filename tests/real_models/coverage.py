#!/usr/bin/python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/coverage.md: for each real model, how many layers the IR quantizes and how many run
in int8.

    coverage.py --explain BIN --shared DIR [--check]

Expected: Convolution, GroupConvolution, ConvolutionBackpropData, GroupConvolutionBackpropData and
MatMul layers whose data and second operand are quantized in the IR, counted here from the XML alone:
going back from the operand through layers that only move, select or pool values one meets a
FakeQuantize, or a Convert of 8-bit constants. Reached: those whose step computes on integers.
Exit status 1 when some layer is expected and not reached, or a step of an anchor runs on a reference
implementation.
"""
import argparse
import json
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

ANCHORS = {"Convolution", "GroupConvolution", "ConvolutionBackpropData",
           "GroupConvolutionBackpropData", "MatMul"}
TRANSPARENT = {"MaxPool", "Reshape", "Transpose", "Squeeze", "Unsqueeze", "Split", "VariadicSplit",
               "StridedSlice", "Slice", "Gather", "Tile", "ShuffleChannels", "DepthToSpace",
               "SpaceToDepth", "Pad"}
BYTES = {"i8", "u8"}


class Graph:
    def __init__(self, xml):
        root = ET.parse(xml).getroot()
        self.layers = {l.get("id"): l for l in root.find("layers")}
        self.feeds = {(e.get("to-layer"), e.get("to-port")): e.get("from-layer")
                      for e in root.find("edges")}

    def inputs(self, layer):
        ports = [p.get("id") for p in layer.findall("input/port")]
        return [self.layers[self.feeds[layer.get("id"), p]] for p in ports
                if (layer.get("id"), p) in self.feeds]

    def is_quantized(self, layer):
        """Iterative walk to the FakeQuantize or byte constant that gives the values of a layer."""
        todo = [layer]
        while todo:
            at = todo.pop()
            kind = at.get("type")
            if kind == "FakeQuantize":
                continue
            if kind == "Concat":
                todo.extend(self.inputs(at))
            elif kind in TRANSPARENT:
                todo.append(self.inputs(at)[0])
            elif kind in {"Multiply", "Subtract"} and self.is_byte_constant(at):
                continue
            else:
                return False
        return True

    def is_byte_constant(self, layer):
        """i8 or u8 constant -> Convert [-> Subtract] -> Multiply."""
        at = layer
        while at.get("type") in {"Multiply", "Subtract"}:
            at = self.inputs(at)[0]
        if at.get("type") != "Convert":
            return False
        source = self.inputs(at)[0]
        return source.get("type") == "Const" and source.find("data").get("element_type") in BYTES

    def expected(self):
        names = []
        for layer in self.layers.values():
            if layer.get("type") in ANCHORS:
                operands = self.inputs(layer)
                if self.is_quantized(operands[0]) and self.is_quantized(operands[1]):
                    names.append(layer.get("name"))
        return names


def explain(binary, xml):
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch) / "report.json"
        subprocess.run([binary, "-m", xml, "-json", report], check=True, capture_output=True)
        return json.loads(report.read_text())


def row(name, xml, binary):
    report = explain(binary, xml)
    integer = {layer for step in report["steps"] if step["quantized"] for layer in step["layers"]}
    expected = Graph(xml).expected()
    missing = [layer for layer in expected if layer not in integer]
    anchors = [s for s in report["steps"] if s["kind"] in {"convolution", "deconvolution", "matmul"}]
    reference = sum(s["implementation"].startswith("ref") for s in anchors)
    totals = report["totals"]
    text = (f"| {name} | {len(expected)} | {len(expected) - len(missing)} | "
            f"{100 * totals['int8_macs_share']:.1f} % | "
            f"{totals['fake_quantize_fused']} / {totals['fake_quantize']} | "
            f"{totals['reorders']} | {reference} |")
    return text, missing, reference


HEAD = """# Coverage of the real models

Made by `tests/real_models/coverage.py`, which says how the numbers are counted. Expected: layers
whose data and weights the IR quantizes. Reached: those that compute on integers.

| model | expected | reached | MACs in int8 | FakeQuantize fused / all | reorders | anchors on `ref` |
| --- | --- | --- | --- | --- | --- | --- |
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--explain", type=Path, required=True)
    parser.add_argument("--shared", type=Path, required=True)
    args = parser.parse_args()
    lines, bad = [], False
    for folder in sorted((args.shared / "models").iterdir()):
        xml = next(p for p in sorted(folder.glob("*.xml"))
                   if not re.search(r"\.fp(16|32)\.xml$", p.name))
        text, missing, reference = row(folder.name, xml, args.explain)
        lines.append(text)
        bad |= bool(missing) or reference > 0
        if missing:
            print(f"{folder.name}: not in int8: {', '.join(missing)}", file=sys.stderr)
    print(HEAD + "\n".join(lines))
    return int(bad)


if __name__ == "__main__":
    sys.exit(main())
