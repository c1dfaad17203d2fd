#!/usr/bin/env python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Writes exports.json: parts of networks as today's exporters write them, and what ONNX Runtime 1.30 computes.

usage: make_exports.py FOLDER [NAME ...]

FOLDER: one with node_modules/onnxruntime-node (npm install --ignore-scripts onnxruntime-node@1.30.0). Needs Debian's
python3-onnx. Seeds are fixed, so the same file comes out.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
from google.protobuf import json_format

import export_parts

HERE = pathlib.Path(__file__).resolve().parent
TYPES = {"float32": "f32", "int64": "i64", "int32": "i32", "bool": "boolean"}
RUN = """
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
const ort = createRequire(process.argv[2] + '/x.js')('onnxruntime-node');
const STORES = { float32: Float32Array, int64: BigInt64Array, int32: Int32Array, bool: Uint8Array };
const runs = JSON.parse(readFileSync('inputs.json'));
const session = await ort.InferenceSession.create('m.onnx',
  { graphOptimizationLevel: 'disabled', intraOpNumThreads: 1, logSeverityLevel: 3, executionProviders: ['cpu'] });
const results = [];
for (const run of runs) {
  const feeds = {};
  for (const { name, type, shape, values } of run)
    feeds[name] = new ort.Tensor(type, STORES[type].from(values, type === 'int64' ? BigInt : Number), shape);
  const outputs = await session.run(feeds);
  results.push(session.outputNames.map((name) => ({ name, type: outputs[name].type, shape: outputs[name].dims,
    values: Array.from(outputs[name].data, Number) })));
}
writeFileSync('outputs.json', JSON.stringify(results));
"""


def number(value):
    return value if np.isfinite(value) else str(value)


def numbers(kind, values):
    # The shortest decimal form that gives the same bits.
    return [number(float(str(np.float32(v)))) if kind == "float32" else int(v) for v in values]


def run(folder, model, runs):
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        (work / "m.onnx").write_bytes(model.SerializeToString())
        (work / "run.mjs").write_text(RUN, encoding="utf-8")
        inputs = [[{"name": n, "type": str(a.dtype), "shape": list(a.shape), "values": a.reshape(-1).tolist()}
                   for n, a in one.items()] for one in runs]
        (work / "inputs.json").write_text(json.dumps(inputs), encoding="utf-8")
        subprocess.run(["node", "run.mjs", str(pathlib.Path(folder).resolve())], check=True, cwd=work)
        return inputs, json.loads((work / "outputs.json").read_text(encoding="utf-8"))


def as_json(tensor):
    return {"name": tensor["name"], "type": TYPES[tensor["type"]], "shape": tensor["shape"],
            "values": numbers(tensor["type"], tensor["values"])}


def main():
    folder, wanted = sys.argv[1], sys.argv[2:]
    lines = []
    for name, model, runs in export_parts.parts():
        if wanted and name not in wanted:
            continue
        try:
            inputs, outputs = run(folder, model, runs)
        except subprocess.CalledProcessError:
            print("left out:", name, file=sys.stderr)
            continue
        written = {"name": name, "model": json_format.MessageToDict(model),
                   "inputs": [[as_json(t) for t in one] for one in inputs],
                   "outputs": [[as_json(t) for t in one] for one in outputs]}
        lines.append(json.dumps(written, separators=(",", ":")))
    text = "[\n" + ",\n".join(lines) + "\n]\n"
    (HERE / "exports.json").write_text(text, encoding="utf-8")
    print(len(lines), "parts,", len(text), "bytes")


if __name__ == "__main__":
    main()
