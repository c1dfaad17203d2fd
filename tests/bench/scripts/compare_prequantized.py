#!/usr/bin/python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Fuseq against the runtimes that pre-quantized models come from, in alternation: medians and ratios.

usage: compare_prequantized.py MODELS [--tflite LIB] [--ort FOLDER] [--threads 1,2] [--rounds 3] [--seconds 0.5]
                               [--min 0.1] [--out FILE] [NAME ...]

MODELS holds NAME/model.onnx or NAME/model.tflite and NAME/in/0/*.npy, as ../shared/prequantized does. LIB is
libtensorflowlite_c.so, which runs with XNNPACK where its delegate takes the model, else with the built-in kernels;
FOLDER has node_modules/onnxruntime-node:

    mkdir /tmp/peers && cd /tmp/peers
    npm install --ignore-scripts onnxruntime-node@1.30.0 tfjs-tflite-node@0.0.2
    LIB=/tmp/peers/node_modules/tfjs-tflite-node/cc_deps/linux_amd64/libtensorflowlite_c.so

Models that take the peer less than --min ms are left out. Fuseq runs by its Python package (build/release/python), which
adds some microseconds.
"""
import argparse
import ctypes
import json
import math
import pathlib
import re
import statistics
import sys
import tempfile
import time

import measure
import numpy

ORT_TYPES = {"f4": "float32", "i8": "int64", "i4": "int32", "u1": "uint8", "i1": "int8", "u2": "uint16", "i2": "int16",
             "b1": "bool", "f8": "float64", "f2": "float16"}


class DelegateOptions(ctypes.Structure):
    """{threads, flags}, longer than the struct of 2.9; flags 3: operators of s8 and of u8."""
    _fields_ = [("threads", ctypes.c_int32), ("flags", ctypes.c_uint32), ("rest", ctypes.c_uint64 * 14)]


class TfLite:
    """A model under TFLite's C library."""

    def __init__(self, path, model, threads, xnnpack):
        self.lib = ctypes.CDLL(str(path))
        for name in ("ModelCreate", "InterpreterOptionsCreate", "InterpreterCreate", "XNNPackDelegateCreate",
                     "InterpreterGetInputTensor"):
            getattr(self.lib, "TfLite" + name).restype = ctypes.c_void_p
        data = model.read_bytes()
        self.buffer = ctypes.create_string_buffer(data, len(data))
        handle = ctypes.c_void_p(self.lib.TfLiteModelCreate(self.buffer, ctypes.c_size_t(len(data))))
        options = ctypes.c_void_p(self.lib.TfLiteInterpreterOptionsCreate())
        self.lib.TfLiteInterpreterOptionsSetNumThreads(options, threads)
        if xnnpack:
            self.settings = DelegateOptions(threads=threads, flags=3)
            delegate = ctypes.c_void_p(self.lib.TfLiteXNNPackDelegateCreate(ctypes.byref(self.settings)))
            self.lib.TfLiteInterpreterOptionsAddDelegate(options, delegate)
        self.me = ctypes.c_void_p(self.lib.TfLiteInterpreterCreate(handle, options))
        if not self.me.value or self.lib.TfLiteInterpreterAllocateTensors(self.me):
            raise measure.Missing("TFLite refuses the model")

    def feed(self, arrays):
        for i, array in enumerate(arrays):
            tensor = ctypes.c_void_p(self.lib.TfLiteInterpreterGetInputTensor(self.me, i))
            data = numpy.ascontiguousarray(array).tobytes()
            self.lib.TfLiteTensorCopyFromBuffer(tensor, data, ctypes.c_size_t(len(data)))

    def run(self):
        if self.lib.TfLiteInterpreterInvoke(self.me):
            raise measure.Missing("TFLite fails")


def median_ms(run, seconds):
    run()
    times = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < 10:
        begin = time.perf_counter()
        run()
        times.append(1000 * (time.perf_counter() - begin))
    return statistics.median(times)


def inputs_of(folder, ports):
    files = {path.stem: path for path in (folder / "in/0").glob("*.npy")}
    arrays = []
    for i, port in enumerate(ports):
        names = [re.sub(r"[^A-Za-z0-9._-]", "_", name)[:80] for name in port.get_names()] + [f"t{i}"]
        found = [files[name] for name in names if name in files]
        arrays.append(numpy.load(found[0] if found else sorted(files.values())[i]))
    return arrays


class Bench:
    def __init__(self, options):
        sys.path.insert(0, str(options.build / "python"))
        import fuseq  # pylint: disable=import-outside-toplevel
        self.options, self.core = options, fuseq.Core()

    def fuseq(self, model, arrays, threads):
        request = self.core.compile_model(model, "CPU", {"INFERENCE_NUM_THREADS": threads}).create_infer_request()
        feeds = dict(enumerate(arrays))
        return lambda: request.infer(feeds)

    def tflite(self, path, arrays, threads):
        """(name, function that times it)."""
        for name, xnnpack in (("XNNPACK", True), ("built-in", False)):
            try:
                peer = TfLite(self.options.tflite, path, threads, xnnpack)
                peer.feed(arrays)
                peer.run()
                return name, lambda: median_ms(peer.run, self.options.seconds)
            except measure.Missing:
                continue
        raise measure.Missing("TFLite refuses the model")

    def onnx(self, path, model, arrays, threads, folder):
        spec = {"model": str(path), "threads": threads, "seconds": self.options.seconds, "inputs": []}
        for i, (port, array) in enumerate(zip(model.inputs, arrays)):
            file = folder / f"{i}.bin"
            array.tofile(file)
            spec["inputs"].append({"name": port.get_any_name(), "type": ORT_TYPES[array.dtype.str[1:]],
                                   "dims": list(array.shape), "file": str(file)})
        (folder / "spec.json").write_text(json.dumps(spec))
        script = pathlib.Path(__file__).resolve().parent / "ort_run.mjs"
        command = ["env", "-C", self.options.ort, "node", script, folder / "spec.json"]
        return "ONNX Runtime", lambda: float(measure.run(command))

    def row(self, folder, threads):
        path = next(folder.glob("model.*"))
        model = self.core.read_model(str(path))
        arrays = inputs_of(folder, model.inputs)
        own = self.fuseq(model, arrays, threads)
        with tempfile.TemporaryDirectory() as temporary:
            if path.suffix == ".tflite":
                name, peer = self.tflite(path, arrays, threads)
            else:
                name, peer = self.onnx(path, model, arrays, threads, pathlib.Path(temporary))
            pairs = [(median_ms(own, self.options.seconds), peer()) for _ in range(self.options.rounds)]
        ours, theirs = (statistics.median(side) for side in zip(*pairs))
        return [folder.name, threads, name, theirs, ours, theirs / ours]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--tflite", type=pathlib.Path)
    parser.add_argument("--ort", type=pathlib.Path)
    parser.add_argument("--threads", type=lambda text: [int(n) for n in text.split(",")], default=[1, 2])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--min", type=float, default=0.1)
    measure.add_common_options(parser)
    options = parser.parse_args()
    bench, rows = Bench(options), []
    for folder in sorted(options.models.resolve().iterdir()):
        peer = options.tflite if (folder / "model.tflite").exists() else options.ort
        if not (folder / "in/0").is_dir() or peer is None or (options.names and folder.name not in options.names):
            continue
        for threads in options.threads:
            try:
                row = bench.row(folder, threads)
            except Exception as error:  # pylint: disable=broad-except
                print(f"{folder.name}: left out: {str(error)[:200]}", file=sys.stderr)
                continue
            if row[3] >= options.min:
                rows.append(row)
                print(" ".join(map(str, row)), file=sys.stderr, flush=True)
    head = ["model", "threads", "runtime", "its ms", "Fuseq, ms", "ratio"]
    table = measure.table(head, [[measure.number(v) if isinstance(v, float) else v for v in row] for row in rows])
    mean = math.exp(statistics.mean(math.log(row[5]) for row in rows)) if rows else 0
    text = f"{measure.machine()}\n\n{table}\nGeometric mean of the ratios: {mean:.2f}\n"
    print(text)
    if options.out:
        options.out.write_text(text)
    return 0


if __name__ == "__main__":
    measure.run_script(main)
