#!/usr/bin/python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Runs a real model and holds its outputs against the golden ones.

    check_model.py --infer BIN --shared DIR --model NAME --device CPU|REFERENCE

Every output must reach min(noise floor, 60 dB) - 6 dB (detections: every box has a partner, as the
oracle's compare.py counts them), and on CPU every FakeQuantize result in memory must pass the
oracle's check_layers.py. Exit status 77 when there are no real models beside the project.
"""
import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77


def main_xml(folder):
    """The int8 model of a folder, not its f16 and f32 companions."""
    return next(p for p in sorted(folder.glob("*.xml")) if not re.search(r"\.fp(16|32)\.xml$", p.name))


def wanted_sqnr(floors, model, output):
    floor = floors.get(model, {}).get(output)
    if floor is None:
        return None
    return min(floor, 60.0) - 6.0


def compare_outputs(shared, model, out):
    """For each output: its name, whether it is good enough, and what was found."""
    floors = json.loads((shared / "golden" / "floors.json").read_text())
    compare = subprocess.run([shared / "oracle" / "compare.py", shared / "golden" / model / "out", out],
                             capture_output=True, text=True, check=False)
    if not compare.stdout.strip():
        sys.exit(f"compare.py said nothing: {compare.stderr}")
    for line in compare.stdout.splitlines():
        name = line.split(".npy")[0]
        boxes = re.search(r"boxes=(\d+)/(\d+)", line)
        sqnr = re.search(r"sqnr=(-?[\d.]+)", line)
        wanted = wanted_sqnr(floors, model, name)
        if boxes:
            good, verdict = boxes[1] == boxes[2], f"boxes {boxes[1]} of {boxes[2]}"
        elif sqnr and wanted is not None:
            good, verdict = float(sqnr[1]) >= wanted, f"{sqnr[1]} dB, at least {wanted} dB"
        else:
            good, verdict = False, line
        yield name, good, verdict


def run_infer(infer, shared, model, device, folder):
    """Runs the golden inputs into folder/out and, on CPU, folder/dump. Returns the exit status."""
    command = [infer, "-m", main_xml(shared / "models" / model), "-i", shared / "golden" / model / "in",
               "-o", folder / "out", "-d", device]
    if device == "CPU":
        command += ["-dump", folder / "dump"]
    return subprocess.run(command, check=False).returncode


def check_layers(shared, model, folder):
    """The oracle's verdict about every FakeQuantize in folder/dump: passed, and what it printed."""
    result = subprocess.run([shared / "oracle" / "check_layers.py", main_xml(shared / "models" / model), "-i",
                             shared / "golden" / model / "in", "--dump", folder / "dump", "--bad"],
                            capture_output=True, text=True, check=False)
    return result.returncode == 0, result.stdout + result.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--infer", type=Path, required=True)
    parser.add_argument("--shared", type=Path, required=True)
    parser.add_argument("--model", default="")
    parser.add_argument("--device", default="CPU")
    args = parser.parse_args()
    if not args.model or not (args.shared / "models" / args.model).is_dir():
        print(f"skipped: there are no real models in {args.shared}")
        return SKIPPED
    failures = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        if run_infer(args.infer, args.shared, args.model, args.device, folder) != 0:
            return 1
        for name, good, verdict in compare_outputs(args.shared, args.model, folder / "out"):
            print(f"{'ok ' if good else 'BAD'} {name}: {verdict}")
            failures += not good
        if args.device == "CPU":
            passed, text = check_layers(args.shared, args.model, folder)
            print(text, end="")
            failures += not passed
    return int(failures != 0)


if __name__ == "__main__":
    sys.exit(main())
