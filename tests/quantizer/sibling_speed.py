#!/usr/bin/python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""How fast quantized networks are beside int8 models that other tools made of the same networks.

usage: sibling_speed.py --bin BIN --data DATA --siblings DIR --work DIR [--runs N] [--quiet COMMAND]
                        [--variants A,B,...] [MODEL...]

Takes the models and inputs that accuracy_table.py left in --work, and makes what is missing. Each run is
`benchmark_app -compare` on one thread, 20 rounds of both in turn; --quiet is put before it, to keep other programs
away. Prints a table in markdown: the least median of the times in ms, and the median over runs of the time of the
sibling over ours.
"""
import argparse
import json
import shlex
import statistics
import subprocess
import tempfile

import accuracy_table


def compare(arguments, ours, sibling, data):
    """Of one run: ms of ours, of the sibling, and how many times as fast ours is."""
    with tempfile.TemporaryDirectory() as work:
        command = [*shlex.split(arguments.quiet), str(arguments.bin / "benchmark_app"), "-m", sibling, "-compare", ours,
                   "-i", str(data), "-nthreads", "1", "-nstreams", "1", "-t", str(arguments.seconds), "-report_folder",
                   work, "-report_type", "no_counters", "-json_stats"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        with open(f"{work}/benchmark_compare.json", encoding="utf-8") as file:
            report = json.load(file)
        return report["second"]["median_ms"], report["first"]["median_ms"], report["ratio"]["value"]


def row(arguments, name):
    _, models, sibling = accuracy_table.models_of(arguments, name)
    if not sibling:
        return
    judge = accuracy_table.make_inputs(arguments, name, "validation", arguments.validation)
    data = min(path for path in judge.iterdir() if path.is_dir())
    of_sibling, cells = [], []
    for ours in models.values():
        runs = [compare(arguments, ours, sibling, data) for _ in range(arguments.runs)]
        of_sibling += [run[1] for run in runs]
        cells.append(f"{min(run[0] for run in runs):.4g}, {statistics.median(run[2] for run in runs):.2f}")
    print(f"| {name} | {min(of_sibling):.4g} | " + " | ".join(cells) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    accuracy_table.add_arguments(parser, ["symmetric_with_uint8", "defaults"])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--quiet", default="")
    arguments = parser.parse_args()
    columns = ["model", "sibling, ms", *(f"{variant}, ms, ratio" for variant in arguments.variants)]
    print("| " + " | ".join(columns) + " |\n|" + " --- |" * len(columns))
    for name in accuracy_table.names(arguments):
        row(arguments, name)


if __name__ == "__main__":
    main()
