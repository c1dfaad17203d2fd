#!/usr/bin/python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""A plan has no more steps at a lower level of instructions than at the machine's highest.

    same_steps.py --explain BIN --levels BIN [--shared DIR --seeds A..B] [MODEL.xml...]

--levels: the program fuseq_isa_levels. Models: those given, and random quantized networks, one a seed, of
tests/oracle, which need numpy and DIR/oracle. A layer that is known to stay in floats without VNNI (reason_for_floats)
is excused alone: that layer, the step that widens its source, and one for the rest of its chain. Not compared:
transpositions of floats, which only some of oneDNN's products read through. Levels: from sse41 to avx512_vnni. Fewer
steps are no mistake.
Exit status: 0; 1 with the models and what differs; 77 where the machine has one level.
"""
import argparse
import collections
import itertools
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77
# AMX has another form for layers that have one anyway.
LEFT_OUT = ("avx512_amx",)
# What candidates say of layers that are in floats at lower levels (docs/decisions/009_exact_without_vnni.md).
STAYS_FLOAT = ("3 spatial dimensions, at most 2", "windows without subpixels of one size", "reads no tensors after",
               "for matrices of weights", "oneDNN is expected to be faster",
               "the columns of its first matrix are contiguous")


def report_of(explain, model, level):
    environment = {k: v for k, v in os.environ.items() if not k.endswith("DNN_MAX_CPU_ISA")}
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "report.json"
        subprocess.run([explain, "-m", model, "-json", out], check=True, stdout=subprocess.DEVNULL,
                       env=environment | {"FUSEQ_MAX_ISA": level})
        report = json.loads(out.read_text())
    if report["isa"] != level:
        raise RuntimeError(f"explain ran at {report['isa']}, not at {level}")
    return report


def is_counted(step):
    """Whether step counts: not transpositions of floats, which only some of oneDNN's products read through."""
    return (step["kind"], step["src_type"]) != ("transpose", "f32")


def reason_for_floats(step):
    """Why this step is in floats; empty: it is not, or for no known reason."""
    # To at most 8 channels, without second tensors, which are left to a step after it.
    if step["implementation"] in ("fuseq:small_conv:pairs", "fuseq:small_conv:dots") and step["dst_type"] == "f32":
        return "a small convolution"
    if step["src_type"] != "f32":
        return ""
    if step["kind"] == "deconvolution":
        return "a deconvolution"
    # In floats at every level; by sse41 oneDNN has no other form for many of them, and this one adds no second tensor.
    if step["implementation"] == "x64:gemm:jit":
        return "a convolution of floats by oneDNN's matrix product"
    return next((candidate["reason"] for candidate in step["candidates"]
                 if any(text in candidate["reason"] for text in STAYS_FLOAT)), "")


def without_floats(there, top):
    """The steps of a lower level and those of the highest, but for the layers that are in floats at the lower one.
    There such a layer is a step, may have one before it for each source that it widens, and one after it for the rest
    of its chain."""
    left, top_left, floats = list(there), list(top), [step for step in there if reason_for_floats(step)]
    for layer in floats:
        whole = next((step for step in top_left if step["name"] == layer["name"]), None)
        if whole is None:
            continue
        wide = [step for step in left if step["name"] == "widen"][:2 if layer["kind"] == "matmul" else 1]
        rest = next((step for step in left if step["kind"] == "eltwise" and step["layers"] and
                     set(step["layers"]) <= set(whole["layers"])), None)
        left = [step for step in left if not any(step is gone for gone in (layer, rest, *wide))]
        top_left = [step for step in top_left if step is not whole]
    return left, top_left


def comparison(reports, highest):
    """reports: level -> report. A sentence for each level that has more steps than `highest`."""
    findings = []
    top = list(filter(is_counted, reports[highest]["steps"]))
    for level, report in reports.items():
        there = list(filter(is_counted, report["steps"]))
        parts = without_floats(there, top)
        if len(parts[0]) > len(parts[1]):
            sets = [collections.Counter(f"{step['kind']} {step['name']}" for step in part)
                    for part in parts]
            words = [", ".join(sorted(part.elements())) for part in (sets[0] - sets[1], sets[1] - sets[0])]
            findings.append(f"{level} has {len(parts[0])} steps, {highest} has {len(parts[1])}, without layers in "
                            f"floats: {words[0]}; in place of {words[1]}")
    return findings


def random_networks(shared, seeds, folder):
    """The files of random networks; none, with a message, where the oracle or numpy is missing."""
    root = Path(__file__).resolve().parents[1]
    sys.path[:0] = [str(root / "oracle"), str(shared / "oracle")]
    try:
        import ir_numpy
        from random_network import random_network
    except ImportError as error:
        print(f"without random networks: {error}")
        return
    first, last = map(int, seeds.split(".."))
    for seed in range(first, last + 1):
        place = folder / f"seed{seed}"
        random_network(ir_numpy.registry.OPS, seed).write(place)
        yield place / "model.xml"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--explain", required=True, type=Path)
    parser.add_argument("--levels", required=True, type=Path)
    parser.add_argument("--shared", type=Path)
    parser.add_argument("--seeds", default="1..10")
    parser.add_argument("models", nargs="*", type=Path, metavar="MODEL.xml")
    options = parser.parse_args()
    levels = subprocess.run([options.levels], check=True, capture_output=True, text=True).stdout.split()
    levels = [level for level in levels if level not in LEFT_OUT]
    if len(levels) < 2:
        print(f"skipped: this machine has {', '.join(levels)}", file=sys.stderr)
        return SKIPPED
    failed, excused = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        models = list(options.models)
        models += random_networks(options.shared, options.seeds, Path(folder)) if options.shared else []
        for model in models:
            reports = {level: report_of(options.explain, model, level) for level in levels}
            findings = comparison(reports, levels[-1])
            failed += bool(findings)
            excused += any(map(reason_for_floats, itertools.chain(*(report["steps"] for report in reports.values()))))
            for text in findings:
                print(f"{model.parent.name}/{model.name}: {text}")
    print(f"{len(models)} models at {', '.join(levels)}: {failed} have more steps at a lower level, {excused} have a "
          f"layer that stays in floats")
    return 1 if failed or not models else 0


if __name__ == "__main__":
    sys.exit(main())
