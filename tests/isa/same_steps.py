#!/usr/bin/python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""A plan has no more steps at a lower level of instructions than at the machine's highest.

    same_steps.py --explain BIN --levels BIN [--shared DIR --seeds A..B] [MODEL.xml...]

--levels: the program fuseq_isa_levels. Models: those given, and random quantized networks, one a seed, of
tests/oracle, which need numpy and DIR/oracle. Not compared: networks with a layer that is known to stay in floats
without VNNI (excuse_of), and transpositions of floats, which only some of oneDNN's products read through. Levels: from
avx2 to avx512_vnni. Fewer steps are no mistake.
Exit status: 0; 1 with the models and what differs; 77 where the machine has one level.
"""
import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77
# AMX has another form for layers that have one anyway; oneDNN's float layers lack forms at sse41.
LEFT_OUT = ("sse41", "avx512_amx")
# What candidates say of layers that are in floats at lower levels (docs/decisions/009_exact_without_vnni.md).
STAYS_FLOAT = ("3 spatial dimensions, at most 2", "windows without subpixels of one size", "reads no tensors after",
               "for matrices of weights", "oneDNN is expected to be faster")


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


def steps_of(report):
    """(kind, implementation) of each step that counts."""
    return [(step["kind"], step["implementation"]) for step in report["steps"]
            if (step["kind"], step["src_type"]) != ("transpose", "f32")]


def excuse_of(report):
    """A layer of floats that is known to be one; empty: there is none."""
    for step in report["steps"]:
        # To at most 8 channels, without second tensors, which are left to a step after it.
        if step["implementation"] == "fuseq:small_conv:pairs" and step["dst_type"] == "f32":
            return f"{step['name']}: a small convolution"
        if step["src_type"] != "f32":
            continue
        if step["kind"] == "deconvolution":
            return f"{step['name']}: a deconvolution"
        for candidate in step["candidates"]:
            if any(text in candidate["reason"] for text in STAYS_FLOAT):
                return f"{step['name']}: {candidate['reason']}"
    return ""


def comparison(reports, highest):
    """reports: level -> report. A sentence for each level that has more steps than `highest`."""
    findings = []
    top = steps_of(reports[highest])
    for level, report in reports.items():
        there = steps_of(report)
        if len(there) > len(top) and not excuse_of(report):
            more, less = (collections.Counter(a) - collections.Counter(b) for a, b in ((there, top), (top, there)))
            words = [", ".join(f"{kind} {name}" for kind, name in sorted(part.elements())) for part in (more, less)]
            findings.append(f"{level} has {len(there)} steps, {highest} has {len(top)}: {words[0]}; "
                            f"in place of {words[1]}")
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
            excused += any(map(excuse_of, reports.values()))
            for text in findings:
                print(f"{model.parent.name}/{model.name}: {text}")
    print(f"{len(models)} models at {', '.join(levels)}: {failed} have more steps at a lower level, {excused} have a "
          f"layer that stays in floats")
    return 1 if failed or not models else 0


if __name__ == "__main__":
    sys.exit(main())
