#!/usr/bin/python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Holds random pre-quantized networks against the runtime of their format, element by element.

    random_networks.py tflite FIRST COUNT --library LIBTENSORFLOWLITE_C [--python DIR] [--device CPU]
    random_networks.py qdq FIRST COUNT --ort DIR [--python DIR] [--device CPU]

A network a seed, by random_tflite.py or random_qdq.py. TFLite 2.9 with its built-in kernels and with XNNPACK (methods
TFLITE and TFLITE_XNNPACK; networks that the delegate does not take whole are left out there): every integer has to be
equal. ONNX Runtime at level `all` (ONNX_FUSED): likewise; without optimizations (ONNX) operations are real, and the last
bit of a sum decides at ties, so that a share of networks differs. One line a difference, then the counts. Exit status 1
when an integer differs where none may.

The library: tests/unit/readers_tflite/make_cases.py. DIR of --ort has node_modules/onnxruntime-node, --python the
package, by default that of build/release.
"""
import argparse
import collections
import json
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/unit/readers_tflite"))


class Refused(Exception):
    pass


class Tflite:
    """A process a network: the delegate crashes on some."""

    suffix = ".tflite"
    methods = {"TFLITE": True, "TFLITE_XNNPACK": True}

    def __init__(self, options):
        import make_cases
        import random_tflite
        self.interpreter, self.network = make_cases.Interpreter, random_tflite.network
        self.library = options.library

    def outputs(self, path, arrays, method):
        with tempfile.TemporaryFile() as results, tempfile.TemporaryFile() as messages:
            child = os.fork()
            if child == 0:
                os.dup2(messages.fileno(), 2)
                status = 1
                try:
                    made = self.interpreter(self.library, path.read_bytes(), method == "TFLITE_XNNPACK").run(arrays)
                    pickle.dump(made, results)
                    results.flush()
                    status = 0
                finally:
                    os._exit(status)
            status = os.waitpid(child, 0)[1]
            messages.seek(0)
            if status != 0 or b"failed" in messages.read():
                raise Refused
            results.seek(0)
            return pickle.load(results)


class OnnxRuntime:
    suffix = ".onnx"
    methods = {"ONNX": False, "ONNX_FUSED": True}
    LEVELS = {"ONNX": "disabled", "ONNX_FUSED": "all"}

    def __init__(self, options):
        import random_qdq
        self.network = random_qdq.network
        script = pathlib.Path(__file__).resolve().parent / "ort_outputs.mjs"
        self.process = subprocess.Popen(["node", str(script)], cwd=options.ort, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)

    def outputs(self, path, arrays, method):
        values = path.with_suffix(".in")
        arrays[0].tofile(values)
        spec = {"model": str(path), "level": self.LEVELS[method], "out": str(path.with_suffix(".out")),
                "inputs": [{"name": "x", "type": str(arrays[0].dtype), "dims": list(arrays[0].shape),
                            "file": str(values)}]}
        print(json.dumps(spec), file=self.process.stdin, flush=True)
        answer = json.loads(self.process.stdout.readline())
        if "error" in answer:
            raise Refused
        return [np.fromfile(o["file"], o["type"]).reshape(o["dims"]) for o in answer]


def compare(runtime, core, path, arrays, method, device):
    """How many integers differ; None where the runtime does not take the file."""
    try:
        wanted = runtime.outputs(path, arrays, method)
    except Refused:
        return None
    results = core.compile_model(str(path), device, {"QUANTIZE_METHOD": method})(arrays)
    return sum(int(np.count_nonzero(results[i] != value)) for i, value in enumerate(wanted))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=["tflite", "qdq"])
    parser.add_argument("first", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("--library")
    parser.add_argument("--ort")
    parser.add_argument("--python", default=str(ROOT / "build/release/python"))
    parser.add_argument("--device", default="CPU")
    options = parser.parse_args()
    sys.path.insert(0, options.python)
    import fuseq
    runtime = Tflite(options) if options.kind == "tflite" else OnnxRuntime(options)
    core, counts, wrong = fuseq.Core(), collections.Counter(), 0
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / ("m" + runtime.suffix)
        for seed in range(options.first, options.first + options.count):
            data, arrays, summary = runtime.network(seed)
            path.write_bytes(data)
            for method, exact in runtime.methods.items():
                different = compare(runtime, core, path, arrays, method, options.device)
                counts[method, "left out" if different is None else "different" if different else "equal"] += 1
                if different:
                    print(f"seed {seed}, {method}: {different} integers differ: {', '.join(summary)}")
                    wrong += exact
    for (method, verdict), count in sorted(counts.items()):
        print(f"{method}: {count} {verdict}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
