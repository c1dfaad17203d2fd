#!/usr/bin/python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Holds every operation of tests/op_cases, on both devices, against the numpy oracle.

    check_operations.py --cases BIN --shared DIR [--seed N] [--keep DIR]

BIN is fuseq_op_cases: it writes each case as an IR with random inputs and what the devices give.
The oracle reads the same IR and runs it in float64. A form that the oracle does not have is held
against REFERENCE on CPU, and named in the output: its numbers are worked out by hand in
tests/unit/ops*. Exit status 77 without the oracle (DIR/oracle) or numpy.
"""
import argparse
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

SKIPPED = 77
# Of the largest magnitude of an output, at least of 1: sums in f32, and oneDNN's polynomials for
# exp, erf and tanh.
TOLERANCE = 2e-5
# Of results in halves, which the devices round at the end: half a step of the largest value.
TOLERANCE_OF = {"FP16": 2.0 ** -11, "BF16": 2.0 ** -8}
DEVICES = ("REFERENCE", "CPU")
# As many as fuseq_op_cases runs a model with variables.
RUNS_WITH_STATE = 3
# Where a deconvolution gets the shape of its result, the definition gives the larger half of an odd
# padding to the beginning for same_upper and to the end for same_lower: the opposite of a
# convolution (OpenVINO, ConvolutionBackpropData-1 and convolution_backprop_shape_inference.hpp, as
# infer_conv_backprop_auto_padding() since 2020). The oracle has it the other way round.
SWAPPED = {"same_upper": "same_lower", "same_lower": "same_upper"}

# It computes in float64, and does not read these.
NOT_IN_THE_ORACLE = {"auto_broadcast": ("pdpd",), "destination_type": ("nf4",), "output_type": ("bf16",),
                     "reduction_axes": ("1,2",), "batch_dims": ("-1",),
                     "weights_format": ("icof", "ifco", "ifoc", "iofc")}


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def load(folder):
    return {path.stem: numpy.load(path) for path in sorted(folder.glob("*.npy"))}


def oracle_outputs(folder):
    """What the oracle gives, or None when it does not have this form."""
    network = ir_numpy.Network(folder / "model.xml", dtype=numpy.float64)
    for layer in network.layers.values():
        if layer.type == "Interpolate" and "axes" in layer.attrs:    # version 1
            return None
        if any(layer.attrs.get(name) in forms for name, forms in NOT_IN_THE_ORACLE.items()):
            return None
        # ONNX's window, one neighbour more on the right. OpenVINO's reference and oneDNN have (size - 1) / 2
        # on both sides.
        if layer.type == "LRN" and int(layer.attrs["size"]) % 2 == 0:
            return None
        if layer.type.endswith("ConvolutionBackpropData") and len(layer.inputs) == 3:
            mode = layer.attrs.get("auto_pad", "explicit")
            layer.attrs["auto_pad"] = SWAPPED.get(mode, mode)
    try:
        inputs = load(folder / "in")
        state = any(layer.type == "ReadValue" for layer in network.layers.values())
        for _ in range(RUNS_WITH_STATE - 1 if state else 0):
            network.run(inputs)
        return network.run(inputs)
    except (NotImplementedError, OverflowError):    # the latter: integers padded with -infinity
        return None
    except ValueError as error:
        if "to unpack" in str(error):    # a rank that it does not have
            return None
        raise


def tolerance(folder):
    """Of the results of a case: their types stand in the IR."""
    net = ElementTree.parse(folder / "model.xml").getroot()
    layers = {layer.get("id"): layer for layer in net.iterfind("layers/layer")}
    read = {(edge.get("from-layer"), edge.get("from-port")) for edge in net.iterfind("edges/edge")
            if layers[edge.get("to-layer")].get("type") == "Result"}
    return max(TOLERANCE_OF.get(port.get("precision"), TOLERANCE) for number, layer in layers.items()
               for port in layer.iterfind("output/port") if (number, port.get("id")) in read)


def difference(expected, got, allowed):
    """Empty when two tensors agree."""
    expected = numpy.asarray(expected)
    if expected.shape != got.shape:
        return f"shape {got.shape}, expected {expected.shape}"
    if expected.dtype.kind != got.dtype.kind:
        return f"type {got.dtype}, expected {expected.dtype}"
    if not expected.size:
        return ""
    a, b = expected.astype(numpy.float64), got.astype(numpy.float64)
    finite = numpy.abs(a[numpy.isfinite(a)])
    most = allowed * max(1.0, finite.max(initial=0.0))
    if expected.dtype.kind != "f":
        most = 0.0
    if numpy.allclose(a, b, rtol=0, atol=most, equal_nan=True):
        return ""
    return f"differs by {numpy.nanmax(numpy.abs(a - b)):.3g}, allowed {most:.3g}"


def compare(expected, got, allowed):
    if sorted(expected) != sorted(got):
        return f"outputs {sorted(got)}, expected {sorted(expected)}"
    found = (f"{name} {text}" for name in sorted(expected)
             if (text := difference(expected[name], got[name], allowed)))
    return "; ".join(found)


def check_case(folder):
    """(whether the oracle has it, what is wrong)"""
    error = folder / "error"
    if error.exists():
        return True, error.read_text().strip()
    got = {device: load(folder / device) for device in DEVICES}
    allowed = tolerance(folder)
    try:
        expected = oracle_outputs(folder)
    except (ValueError, KeyError, IndexError, TypeError) as error:
        return True, f"the oracle: {type(error).__name__}: {error}"
    if expected is None:
        return False, compare(got["REFERENCE"], got["CPU"], allowed)
    return True, "; ".join(f"{device}: {text}" for device in DEVICES
                           if (text := compare(expected, got[device], allowed)))


def check_all(binary, folder, seed):
    listing = subprocess.run([binary, "write", folder, str(seed)], check=True, text=True,
                             stdout=subprocess.PIPE).stdout
    compared, missing, seen, failures = Counter(), Counter(), set(), 0
    for line in listing.splitlines():
        number, operation, text = line.split("\t")
        seen.add(operation)
        has, wrong = check_case(folder / number)
        (compared if has else missing)[operation] += 1
        if wrong:
            print(f"BAD {text}\n    {wrong}")
            failures += 1
    operations = subprocess.run([binary, "list"], check=True, text=True,
                                stdout=subprocess.PIPE).stdout.split()
    print(f"seed {seed}: {sum(compared.values())} cases of {len(compared)} operations against the "
          f"oracle, {failures} bad")
    print("Not in the oracle, CPU against REFERENCE:", ", ".join(
        name if not compared[name] else f"{name} ({count} forms)"
        for name, count in sorted(missing.items())))
    print("Without a case:", ", ".join(sorted(set(operations) - seen)))
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=Path, required=True)
    parser.add_argument("--shared", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="folder for the cases, which stay there")
    args = parser.parse_args()
    if numpy is None:
        skip("there is no numpy")
    oracle = args.shared / "oracle"
    if not (oracle / "ir_numpy").is_dir():
        skip(f"there is no oracle in {oracle}")
    sys.path.insert(0, str(oracle))
    global ir_numpy
    import ir_numpy  # noqa: E402
    if args.keep:
        return int(check_all(args.cases, args.keep, args.seed) != 0)
    with tempfile.TemporaryDirectory() as scratch:
        return int(check_all(args.cases, Path(scratch), args.seed) != 0)


try:
    import numpy
except ImportError:
    numpy = None

if __name__ == "__main__":
    sys.exit(main())
