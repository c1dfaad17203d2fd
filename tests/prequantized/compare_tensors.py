#!/usr/bin/python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Holds every tensor of pre-quantized models against those of the runtime that made them.

    compare_tensors.py --infer BIN --models DIR [--runtime ort_disabled] [--device REFERENCE] [NAME ...]
    compare_tensors.py --infer BIN --models DIR --page docs/prequantized.md     # the page's table of all runtimes

DIR has NAME/model.*, NAME/in/<run>/ and NAME/mid_<runtime>/<run>.tsv with the sha256 of each tensor, or, where the
runtime shows its outputs only, NAME/out_<runtime>/<run>/*.npy. One line a model: tensors of integers that are equal,
that differ; real tensors that are within 1e-5 of the largest magnitude, that are not, and that are not equal and whose
values are not stored; tensors that Fuseq does not hold. End to end: a difference shows in all tensors after it, and
where all are equal each operation had the runtime's own inputs. Exit status 1 when a tensor of integers differs, 77
without DIR.
"""
import argparse
import csv
import hashlib
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

SKIPPED = 77
VERDICTS = ("integer equal", "integer different", "real near", "real different", "real unknown", "absent")
TOLERANCE = 1e-5  # of the largest magnitude of the tensor
# The page's columns: runtime, its method, title.
COLUMNS = (("tflite_builtin", "TFLITE", "TFLite built-in"), ("tflite_xnnpack", "TFLITE_XNNPACK", "TFLite XNNPACK"),
           ("ort_disabled", "ONNX", "ONNX Runtime `disabled`"), ("ort_all", "ONNX_FUSED", "ONNX Runtime `all`"))
BEGIN = "<!-- made by compare_tensors.py --page -->\n"
END = "<!-- end -->\n"


def dumped(folder):
    """{name of a tensor: its file}, of names.tsv."""
    files = {}
    with open(folder / "names.tsv", newline="", encoding="utf-8") as table:
        for line in list(table)[1:]:
            file, _, _, *names = line.rstrip("\n").split("\t")
            files.update(dict.fromkeys(names, folder / file))
    return files


def fields(message):
    """(number, value) of the fields of a message of protobuf that are integers or bytes."""
    at = 0

    def integer():
        nonlocal at
        value, shift = 0, 0
        while True:
            at += 1
            value |= (message[at - 1] & 127) << shift
            shift += 7
            if message[at - 1] < 128:
                return value

    while at < len(message):
        key = integer()
        if key & 7 == 0:
            yield key >> 3, integer()
            continue
        size = {1: 8, 5: 4}.get(key & 7)
        size = integer() if size is None else size
        yield key >> 3, message[at:at + size]
        at += size


def layers_of_outputs(model):
    """{tensor: the layer whose output it is}, of an ONNX file: of ModelProto, GraphProto and NodeProto."""
    layers = {}
    graph = next(value for number, value in fields(model.read_bytes()) if number == 7)
    for node in (list(fields(value)) for number, value in fields(graph) if number == 1):
        outputs = [value.decode() for number, value in node if number == 2]
        name = next((value.decode() for number, value in node if number == 3 and value), outputs[0])
        layers.update({tensor: name + (f".{i}" if len(outputs) > 1 else "") for i, tensor in enumerate(outputs)})
    return layers


def short(name):
    return re.sub(r"[^A-Za-z0-9._-]", "_", name)[:80]


def forms_of(path, shape):
    """The values as they are, and those of an image of channels first as TFLite has it."""
    value = np.load(path)
    if value.ndim != 4 or list(value.shape) == shape and shape[1] != shape[3]:
        return [value]
    image = np.ascontiguousarray(value.transpose(0, 2, 3, 1))
    return [value, image] if list(image.shape) == shape else [value]


def is_near(value, wanted):
    bound = TOLERANCE * np.abs(wanted).max(initial=0)
    return value.shape == wanted.shape and bool((np.abs(value.astype("f8") - wanted.astype("f8")) <= bound).all())


def compare(row, files, stored):
    """stored: the file of the runtime's values, which need not exist."""
    name = row["name"] or "t" + row["index"]
    if name not in files:
        return "absent"
    shape = [int(size) for size in row["shape"].split("x") if size]
    forms = forms_of(files[name], shape)
    equal = any(hashlib.sha256(form.tobytes()).hexdigest() == row["sha256"] for form in forms)
    if not row["type"].startswith("float") and row["type"] not in ("f32", "f16"):
        return "integer equal" if equal else "integer different"
    if not equal and not stored.exists():
        return "real unknown"
    return "real near" if equal or any(is_near(form, np.load(stored)) for form in forms) else "real different"


def rows_of_outputs(folder):
    """Rows as a table of tensors has them, of the arrays in a folder."""
    for path in sorted(folder.glob("*.npy")):
        value = np.load(path)
        yield {"name": path.stem, "index": "", "type": value.dtype.name, "shape": "x".join(map(str, value.shape)),
               "sha256": hashlib.sha256(value.tobytes()).hexdigest()}


def expected(folder, runtime):
    """(run, rows) of each run: of the tables of all tensors, else of the outputs."""
    tables = sorted((folder / f"mid_{runtime}").glob("*.tsv"))
    for table in tables:
        with open(table, newline="", encoding="utf-8") as file:
            yield table.stem, [row for row in csv.DictReader(file, delimiter="\t") if row.get("varies") != "0"]
    if not tables:
        for outputs in sorted((folder / f"out_{runtime}").glob("*")):
            yield outputs.name, list(rows_of_outputs(outputs))


def run(args, folder, runtime, options):
    """({verdict: tensors}, the first tensor of integers that differs)"""
    model = next(folder.glob("model.*"))
    counts = dict.fromkeys(VERDICTS, 0)
    first = ""
    outputs_only = not (folder / f"mid_{runtime}").is_dir()
    for name, rows in expected(folder, runtime):
        with tempfile.TemporaryDirectory() as temporary:
            dump = pathlib.Path(temporary, "dump")
            out = pathlib.Path(temporary, "out")
            # What stands between two operations of a fused group is no output of the model.
            more = [] if outputs_only else ["-dump_tensors", dump]
            subprocess.run([args.infer, "-m", model, "-i", folder / "in" / name, "-o", out, "-d", args.device, *more,
                            *options], check=True, stdout=subprocess.DEVNULL)
            if outputs_only:
                # The Model's operation may have more outputs than the file's: ".0" then.
                files = {short(tensor): file for tensor, layer in layers_of_outputs(model).items()
                         for file in (out / f"{short(layer)}.npy", out / f"{short(layer + '.0')}.npy") if file.exists()}
            else:
                files = dumped(dump)
            for row in rows:
                stored = folder / f"out_{runtime}" / name / f"{row['name']}.npy"
                if not outputs_only:
                    stored = folder / f"mid_{runtime}" / name / f"t{row['index']}.npy"
                verdict = compare(row, files, stored)
                counts[verdict] += 1
                if verdict == "integer different" and not first:
                    first = f", first {row['name']} in run {name}"
    return counts, first


def has(folder, runtime):
    return any((folder / f"{kind}_{runtime}").is_dir() for kind in ("mid", "out"))


def print_models(args, folders):
    """One line a model. Returns the number of tensors that differ."""
    wrong = 0
    options = [text for item in args.config for text in ("-config", item)]
    for folder in folders:
        if not has(folder, args.runtime):
            continue
        try:
            counts, first = run(args, folder, args.runtime, options)
        except subprocess.CalledProcessError as error:
            print(f"{folder.name}: infer failed with {error.returncode}")
            wrong += 1
            continue
        print(f"{folder.name}: " + ", ".join(f"{n} {what}" for what, n in counts.items()) + first, flush=True)
        wrong += counts["integer different"]
    return wrong


def cell(counts):
    parts = []
    for kind, good in (("integer", "equal"), ("real", "near")):
        if counts[f"{kind} {good}"] + counts[f"{kind} different"]:
            parts.append(f"{kind} {counts[f'{kind} {good}']}, {counts[f'{kind} different']}")
    return "; ".join(parts)


def write_page(args, folders):
    """The table between the two comments of the page. Returns the number of tensors that differ."""
    sums = {runtime: dict.fromkeys(VERDICTS, 0) for runtime, _, _ in COLUMNS}
    lines = ["| model | " + " | ".join(f"{title}, `{method}`" for _, method, title in COLUMNS) + " |",
             "| --- |" + " --- |" * len(COLUMNS)]
    for folder in folders:
        cells = []
        for runtime, method, _ in COLUMNS:
            counts = None
            if has(folder, runtime):
                counts, _ = run(args, folder, runtime, ["-config", "QUANTIZE_METHOD=" + method])
                for what, number in counts.items():
                    sums[runtime][what] += number
            cells.append(cell(counts) if counts else "")
        lines.append(f"| {folder.name} | " + " | ".join(cells) + " |")
        print(lines[-1], flush=True)
    lines.append("| all | " + " | ".join(cell(sums[runtime]) for runtime, _, _ in COLUMNS) + " |")
    text = args.page.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    args.page.write_text(before + BEGIN + "\n".join(lines) + "\n" + END + rest.split(END)[1], encoding="utf-8")
    return sum(counts["integer different"] for counts in sums.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--infer", required=True)
    parser.add_argument("--models", required=True, type=pathlib.Path)
    parser.add_argument("--runtime", default="ort_disabled")
    parser.add_argument("--page", type=pathlib.Path, help="writes the table of all runtimes into this page")
    parser.add_argument("--device", default="REFERENCE")
    parser.add_argument("--config", action="append", default=[], help="a property of the device, NAME=VALUE")
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    if not args.models.is_dir():
        print(f"skipped: no folder {args.models}")
        return SKIPPED
    folders = [f for f in sorted(args.models.iterdir()) if f.is_dir() and (not args.names or f.name in args.names)]
    wrong = write_page(args, folders) if args.page else print_models(args, folders)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
