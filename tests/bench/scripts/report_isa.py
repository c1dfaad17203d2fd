#!/usr/bin/python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""A report of every level of instructions that this machine has, in one command.

    report_isa.py [MODEL...] [--levels L,L...] [--threads N] [--runs N] [--rows FILE] [--minutes M] [--build DIR] [--out FILE]

The peaks of all levels (bench_peak), and for each model and level (FUSEQ_MAX_ISA) the time of one inference, what share
of the level's peak that is, the same in float (FUSEQ_LOW_PRECISION=NO), the ratio of both beside that of the peaks, the
number of steps, and how many of them were left to AMX. A model is an XML file or a folder of folders of models, as
../shared/models; without one that of the quickstart. --rows keeps what was measured (JSON lines), so that a run with
--minutes that ended early goes on with the next model when it is started again; the report has what there is, and exit
status 3 says that something is missing. A report of another machine is welcome (docs/isa_levels.md).
"""
import argparse
import json
import os
import pathlib
import tempfile
import time

import measure
import real_models

QUICKSTART = measure.ROOT / "samples/models/residual_cnn.xml"
HEAD = ["model", "level", "int8, ms", "of peak", "float, ms", "float / int8", "of the peaks", "steps", "AMX layers"]
UNFINISHED = 3


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


def named_models(paths):
    """(name, XML file) of each model; a folder stands for the models in its folders."""
    models = []
    for path in paths:
        if path.is_dir():
            folders = sorted(folder for folder in path.iterdir() if folder.is_dir())
            files = [(folder.name, real_models.model_file(folder)) for folder in folders]
            models += [(name, file) for name, file in files if file is not None]
        else:
            models.append((path.stem, path))
    return models


class Rows:
    """The lines of the table by model and level, kept in a file where one is given."""

    def __init__(self, file):
        self.file = file
        self.found = {}
        self.machine = ""  # the facts of the last one
        if file is not None and file.exists():
            for line in file.read_text().splitlines():
                self.keep(**json.loads(line))

    def keep(self, cells, machine):
        self.found[cells[0], cells[1]] = cells
        self.machine = machine

    def add(self, cells, machine):
        self.keep(cells, machine)
        if self.file is not None:
            with self.file.open("a") as out:
                out.write(json.dumps({"cells": cells, "machine": machine}) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", type=pathlib.Path, default=[QUICKSTART])
    parser.add_argument("--levels", help="those of the machine that are measured, by commas; all without it")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--rows", type=pathlib.Path)
    parser.add_argument("--minutes", type=float, help="no model is begun after them")
    measure.add_common_options(parser)
    options = parser.parse_args()
    tools = measure.Tools(options)
    levels = measure.run([tools.path("fuseq_isa_levels")]).split()
    if options.levels:
        levels = [level for level in levels if level in options.levels.split(",")]
    end = time.monotonic() + 60 * options.minutes if options.minutes else float("inf")
    rows, wanted = Rows(options.rows), []
    for name, model in named_models(options.models):
        for level in levels:
            wanted.append((name, level))
            if (name, level) not in rows.found and time.monotonic() < end:
                integers = explain(tools, model, level, options, floats=False)
                floats = explain(tools, model, level, options, floats=True)
                rows.add(row(name, level, integers, floats), integers["machine"])
    lines = [rows.found[key] for key in wanted if key in rows.found]
    peak = tools.peak(options.threads)
    text = "\n\n".join([
        "# Levels of instructions", f"{measure.machine()}. {rows.machine}. {options.threads} thread(s).",
        "## Peaks, 1e9 multiply-accumulates a second",
        measure.table(["level", "form", "GMAC/s"], peak_rows(peak)),
        "## Models", measure.table(HEAD, lines)])
    return measure.finish(options, text) or (UNFINISHED if len(lines) < len(wanted) else 0)


if __name__ == "__main__":
    measure.run_script(main)
