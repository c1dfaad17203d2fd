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
import subprocess
import sys
import tempfile

import numpy as np

SKIPPED = 77


def dumped(folder):
    """{name of a tensor: its file}, of names.tsv."""
    files = {}
    with open(folder / "names.tsv", newline="", encoding="utf-8") as table:
        for line in list(table)[1:]:
            file, _, _, *names = line.rstrip("\n").split("\t")
            files.update(dict.fromkeys(names, folder / file))
    return files


def hashes_of(path, shape):
    """Of the values as they are, and of an image of channels first as TFLite has it."""
    value = np.load(path)
    same = hashlib.sha256(value.tobytes()).hexdigest()
    if value.ndim != 4 or list(value.shape) == shape and shape[1] != shape[3]:
        return {same}
    image = np.ascontiguousarray(value.transpose(0, 2, 3, 1))
    return {same, hashlib.sha256(image.tobytes()).hexdigest()} if list(image.shape) == shape else {same}


def compare(row, files):
    name = row["name"] or "t" + row["index"]
    if name not in files:
        return "absent"
    kind = "real" if row["type"].startswith("float") or row["type"] in ("f32", "f16") else "integer"
    shape = [int(size) for size in row["shape"].split("x") if size]
    equal = row["sha256"] in hashes_of(files[name], shape)
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
            files = dumped(dump)
            with open(table, newline="", encoding="utf-8") as file:
                for row in csv.DictReader(file, delimiter="\t"):
                    if row.get("varies") == "0":
                        continue
                    verdict = compare(row, files)
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
