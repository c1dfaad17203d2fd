#!/usr/bin/python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Fuseq and ONNX Runtime on the same networks, in alternation: medians, ratio, share of the peak.

usage: compare_peers.py NETS --ort FOLDER [--rounds 5] [--seconds 1.5] [--models a,b] [--out FILE]

NETS holds NAME.xml, NAME.onnx and NAME.input.npy, as ../shared/perf/gen_models.py writes them; further
ONNX forms of a network are NAME.<form>.onnx, and the fastest counts. FOLDER holds ort_bench.mjs of
../shared/perf and node_modules with onnxruntime-node:

    /usr/bin/python3 ../shared/perf/gen_models.py --out /tmp/nets
    mkdir /tmp/ort && cp ../shared/perf/ort_bench.mjs /tmp/ort
    (cd /tmp/ort && npm install --ignore-scripts onnxruntime-node@1.30.0)
    tests/bench/scripts/compare_peers.py /tmp/nets --ort /tmp/ort

Both sides first compute the same input, and their outputs are compared: a network whose outputs differ
is not measured.
"""
import argparse
import json
import pathlib
import shutil
import sys
import tempfile
import xml.etree.ElementTree

import measure

try:
    import numpy
except ImportError:
    numpy = None

# Rounding in other places moves single integers of the last layers; a wrong layer is far below.
MIN_SQNR = 20.0


def onnx_runtime(options, model, data, threads, *arguments):
    text = measure.run([*options.prefix, "node", options.ort / "ort_bench.mjs", model, data,
                        "--threads", threads, *arguments])
    return json.loads(text.splitlines()[-1])


def check_setup(options):
    if numpy is None:
        raise measure.Missing("numpy is missing: run with /usr/bin/python3 after apt-get install "
                              "python3-numpy")
    if not shutil.which("node"):
        raise measure.Missing("node is missing: apt-get install nodejs npm")
    for path in ("ort_bench.mjs", "node_modules/onnxruntime-node"):
        if not (options.ort / path).exists():
            raise measure.Missing(f"{options.ort / path} is missing: see the head of this script")


def networks(options):
    names = options.models.split(",") if options.models else sorted(
        path.stem for path in options.nets.glob("*.xml"))
    for name in names:
        for ending in (".xml", ".bin", ".onnx", ".input.npy"):
            if not (options.nets / (name + ending)).exists():
                raise measure.Missing(f"{options.nets / (name + ending)} is missing: "
                                      "../shared/perf/gen_models.py writes it")
    if not names:
        raise measure.Missing(f"no .xml in {options.nets}: ../shared/perf/gen_models.py writes them")
    return names


def sqnr(expected, actual):
    """Decibels of `expected` over its difference to `actual`."""
    expected, actual = (a.astype(numpy.float64).ravel() for a in (expected, actual))
    if expected.shape != actual.shape:
        return -numpy.inf
    noise = numpy.sum((expected - actual) ** 2)
    signal = numpy.sum(expected ** 2)
    return numpy.inf if noise == 0 else 10 * numpy.log10(max(signal, 1e-30) / noise)


def outputs_agree(options, tools, name, forms):
    """The lowest SQNR of the outputs of Fuseq against each form of the ONNX twin."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "in").mkdir()
        model = options.nets / f"{name}.xml"
        layers = layer_names(model, "Parameter")
        shutil.copy(options.nets / f"{name}.input.npy", folder / "in" / f"{layers[0]}.npy")
        measure.run([tools.path("infer"), "-m", model, "-i", folder / "in", "-o", folder / "out"])
        ours = sorted((folder / "out").glob("*.npy"))
        worst = numpy.inf
        for form in forms:
            onnx_runtime(options, form, options.nets / f"{name}.input.npy", 1, "--iters", 1,
                         "--out", folder / "ort.npy")
            theirs = [folder / "ort.npy", *sorted(folder.glob("ort.*.npy"))]
            if len(ours) != len(theirs):
                return -numpy.inf
            for output in theirs:
                wanted = numpy.load(output)
                best = max(sqnr(wanted, numpy.load(path)) for path in ours)
                worst = min(worst, best)
        return worst


def layer_names(path, kind):
    root = xml.etree.ElementTree.parse(path).getroot()
    return [layer.get("name") for layer in root.iter("layer") if layer.get("type") == kind]


def measure_network(options, tools, name, forms):
    """Median milliseconds: {("fuseq", 1): .., ("ort", 2): ..}; the ONNX form that is fastest."""
    data = options.nets / f"{name}.input.npy"
    times = {}
    for threads in (1, 2):
        samples = {"fuseq": []} | {form: [] for form in forms}
        for _ in range(options.rounds):
            report = tools.benchmark(options.nets / f"{name}.xml", "-api", "sync", "-nthreads",
                                     threads, "-t", options.seconds, inputs=data)
            samples["fuseq"].append(report["median_ms"])
            for form in forms:
                samples[form].append(onnx_runtime(options, form, data, threads, "--seconds",
                                                  options.seconds)["median_ms"])
        times["fuseq", threads] = measure.median(samples["fuseq"])
        times["ort", threads] = min(measure.median(samples[form]) for form in forms)
    return times


def row(name, macs, times, quality, peak):
    dense, depthwise = macs
    ratio = {t: times["ort", t] / times["fuseq", t] for t in (1, 2)}
    reached = {side: dense / 1e6 / peak / times[side, 1] if peak else None
               for side in ("fuseq", "ort")}
    return [name, f"{dense / 1e9:.3f}" + (f" + {depthwise / 1e9:.3f}" if depthwise else ""),
            measure.number(dense / 1e6 / peak) if peak else "",
            *(measure.number(times["fuseq", t]) for t in (1, 2)),
            *(measure.number(times["ort", t]) for t in (1, 2)),
            *(f"{ratio[t]:.2f}" for t in (1, 2)),
            *(measure.percent(reached[side]) for side in ("fuseq", "ort")),
            f"{times['fuseq', 1] / times['fuseq', 2]:.2f}", f"{quality:.0f} dB"]


HEAD = ["network", "GMAC dense + depthwise", "limit 1T, ms", "Fuseq 1T", "2T", "ONNX Runtime 1T", "2T",
        "ratio 1T", "2T", "of peak, Fuseq", "ONNX Runtime", "2T over 1T", "outputs agree to"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("nets", type=pathlib.Path)
    parser.add_argument("--ort", type=pathlib.Path, required=True)
    parser.add_argument("--models", help="names, with commas; all by default")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.5, help="of each run")
    measure.add_common_options(parser)
    options = parser.parse_args()
    check_setup(options)
    tools = measure.Tools(options)
    count = measure.load_macs(options.perf)
    peaks, measured, differ = measure.Peaks(tools), [], []
    for name in networks(options):
        forms = [options.nets / f"{name}.onnx", *sorted(options.nets.glob(f"{name}.*.onnx"))]
        quality = outputs_agree(options, tools, name, forms)
        if quality < MIN_SQNR:
            differ.append(f"{name} ({quality:.1f} dB)")
            continue
        times = measure_network(options, tools, name, forms)
        peaks.sample()
        measured.append((name, count(options.nets / f"{name}.xml"), times, quality))
        print(name, times, file=sys.stderr)
    rows = [row(*what, peaks.of(1, "int8_gmacs")) for what in measured]
    text = "\n\n".join([measure.machine() + ". " + peaks.text(), measure.table(HEAD, rows)])
    measure.finish(options, text)
    if differ:
        raise measure.Missing("outputs differ, not measured: " + ", ".join(differ))
    return 0


if __name__ == "__main__":
    measure.run_script(main)
