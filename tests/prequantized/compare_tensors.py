#!/usr/bin/python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Holds every tensor of pre-quantized models against those of the runtime that made them.

    compare_tensors.py --infer BIN --models DIR [--runtime ort_disabled] [--device REFERENCE] [NAME ...]

DIR has NAME/model.*, NAME/in/<run>/ and NAME/mid_<runtime>/<run>.tsv with the sha256 of each tensor. One line a model:
tensors of integers that are equal, that differ, that Fuseq does not hold; real tensors that are equal and not. End to
end: a difference shows in all tensors after it. Exit status 1 when a tensor of integers differs, 77 without DIR.
"""
import argparse
import csv
import hashlib
import pathlib
import re
import subprocess
import sys
import tempfile

SKIPPED = 77


def file_name(tensor):
    return re.sub(r"[^A-Za-z0-9._-]", "_", tensor)[:80] + ".npy"


def values_of(path):
    """The bytes after the header of a .npy of version 1."""
    data = path.read_bytes()
    return data[10 + int.from_bytes(data[8:10], "little"):]


def compare(row, dump):
    path = dump / file_name(row["name"])
    if not path.exists():
        return "absent"
    kind = "real" if row["type"].startswith("float") or row["type"] == "f32" else "integer"
    equal = hashlib.sha256(values_of(path)).hexdigest() == row["sha256"]
    return f"{kind} {'equal' if equal else 'different'}"


def run(args, folder):
    model = next(folder.glob("model.*"))
    counts = dict.fromkeys(("integer equal", "integer different", "real equal", "real different", "absent"), 0)
    first = ""
    for table in sorted((folder / f"mid_{args.runtime}").glob("*.tsv")):
        with tempfile.TemporaryDirectory() as temporary:
            dump = pathlib.Path(temporary, "dump")
            subprocess.run([args.infer, "-m", model, "-i", folder / "in" / table.stem, "-o", temporary + "/out", "-d",
                            args.device, "-dump_tensors", dump, *args.options], check=True, stdout=subprocess.DEVNULL)
            with open(table, newline="") as file:
                for row in csv.DictReader(file, delimiter="\t"):
                    if row.get("varies") == "0":
                        continue
                    verdict = compare(row, dump)
                    counts[verdict] += 1
                    if verdict == "integer different" and not first:
                        first = f", first {row['name']} in run {table.stem}"
    print(f"{folder.name}: " + ", ".join(f"{n} {what}" for what, n in counts.items()) + first, flush=True)
    return counts["integer different"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--infer", required=True)
    parser.add_argument("--models", required=True, type=pathlib.Path)
    parser.add_argument("--runtime", default="ort_disabled")
    parser.add_argument("--device", default="REFERENCE")
    parser.add_argument("--config", action="append", default=[], help="a property of the device, NAME=VALUE")
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    args.options = [text for item in args.config for text in ("-config", item)]
    if not args.models.is_dir():
        print(f"skipped: no folder {args.models}")
        return SKIPPED
    folders = [f for f in sorted(args.models.iterdir()) if (f / f"mid_{args.runtime}").is_dir()]
    wrong = 0
    for folder in folders:
        if not args.names or folder.name in args.names:
            try:
                wrong += run(args, folder)
            except subprocess.CalledProcessError as error:
                print(f"{folder.name}: infer failed with {error.returncode}")
                wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
