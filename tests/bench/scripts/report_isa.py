#!/usr/bin/python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""A report of every level of instructions that this machine has, in one command.

    report_isa.py [MODEL.xml...] [--threads N] [--runs N] [--build DIR] [--out FILE]

The peaks of all levels (bench_peak), and for each model and level (FUSEQ_MAX_ISA) the time of one inference, what share
of the level's peak that is, the same in float (FUSEQ_LOW_PRECISION=NO), the ratio of both beside that of the peaks, the
number of steps, and how many of them were left to AMX. Without a model that of the quickstart. The rules for AMX and
for AVX-VNNI were made without such a machine (docs/isa_levels.md): a report of one is welcome.
"""
import argparse
import json
import os
import pathlib
import tempfile

import measure

QUICKSTART = measure.ROOT / "samples/models/residual_cnn.xml"
HEAD = ["model", "level", "int8, ms", "of peak", "float, ms", "float / int8", "of the peaks", "steps", "AMX layers"]


def explain(tools, model, level, options, floats):
    """The report of explain -profile at a level."""
    os.environ["FUSEQ_MAX_ISA"] = level
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "report.json"
        command = [*tools.prefix, tools.path("explain"), "-m", model, "-profile", "-niter", options.runs,
                   "-nthreads", options.threads, "-json", out]
        measure.run(command + (["-config", "FUSEQ_LOW_PRECISION=NO"] if floats else []))
        report = json.loads(out.read_text())
    if report["isa"] != level:
        raise measure.Missing(f"explain ran at {report['isa']}, not at {level}")
    return report


def amx_layers(report):
    return sum(any(c["name"] == "amx" and c["verdict"] == "taken" for c in step.get("candidates", []))
               for step in report["steps"])


def row(name, level, integers, floats):
    """A line of the table, of two reports of explain."""
    totals = integers["totals"]
    times = [report["totals"]["infer_us"] / 1000 for report in (integers, floats)]
    peaks = totals["peak_int8_gmacs"] / totals["peak_f32_gmacs"] if totals["peak_f32_gmacs"] else None
    return [name, level, measure.number(times[0]), measure.percent(totals["of_peak"]), measure.number(times[1]),
            measure.number(times[1] / times[0]), measure.number(peaks), len(integers["steps"]), amx_layers(integers)]


def peak_rows(peak):
    return [[level, form.replace("_", " "), "the machine lacks it" if rate is None else measure.number(rate)]
            for level, forms in peak["levels"].items() for form, rate in forms.items()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", type=pathlib.Path, default=[QUICKSTART])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--runs", type=int, default=100)
    measure.add_common_options(parser)
    options = parser.parse_args()
    tools = measure.Tools(options)
    levels = measure.run([tools.path("fuseq_isa_levels")]).split()
    peak = tools.peak(options.threads)
    rows, machine = [], ""
    for model in options.models:
        for level in levels:
            integers = explain(tools, model, level, options, floats=False)
            rows.append(row(model.stem, level, integers, explain(tools, model, level, options, floats=True)))
            machine = integers["machine"]  # the last one is the highest
    text = "\n\n".join([
        "# Levels of instructions", f"{measure.machine()}. {machine}. {options.threads} thread(s).",
        "## Peaks, 1e9 multiply-accumulates a second",
        measure.table(["level", "form", "GMAC/s"], peak_rows(peak)),
        "## Models", measure.table(HEAD, rows)])
    return measure.finish(options, text)


if __name__ == "__main__":
    measure.run_script(main)
