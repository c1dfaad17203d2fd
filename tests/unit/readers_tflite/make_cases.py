#!/usr/bin/env python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Writes cases/*.json: models of one operator, inputs, and the outputs of TFLite 2.9 (built-in kernels).

usage: make_cases.py LIBTENSORFLOWLITE_C [FAMILY ...]

The library: npm pack tfjs-tflite-node@0.0.2, package/cc_deps/linux_amd64/libtensorflowlite_c.so (Apache-2.0). flatc
makes the models. Seeds are fixed, so the same files come out.
"""
import ctypes
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

import case_families

HERE = pathlib.Path(__file__).resolve().parent
SCHEMA = HERE.parents[2] / "src/readers/tflite/tflite_schema.fbs"
NUMPY = {1: "<f4", 2: "<i4", 3: "|u1", 4: "<i8", 6: "|b1", 7: "<i2", 9: "|i1", 10: "<f2"}
FUSEQ = {"f4": "f32", "i4": "i32", "u1": "u8", "i8": "i64", "b1": "boolean", "i2": "i16", "i1": "i8", "f2": "f16"}


class DelegateOptions(ctypes.Structure):
    _fields_ = [("threads", ctypes.c_int32), ("flags", ctypes.c_uint32)]


class Interpreter:
    QUANTIZED_OPERATORS = 3  # of XNNPACK's delegate: those of i8 and of u8

    def __init__(self, library, model, xnnpack=False):
        self.lib = ctypes.CDLL(library)
        for name in ("ModelCreate", "InterpreterOptionsCreate", "InterpreterCreate", "InterpreterGetInputTensor",
                     "InterpreterGetOutputTensor", "TensorData", "XNNPackDelegateCreate"):
            getattr(self.lib, "TfLite" + name).restype = ctypes.c_void_p
        self.lib.TfLiteTensorByteSize.restype = ctypes.c_size_t
        self.buffer = ctypes.create_string_buffer(model, len(model))
        handle = self.lib.TfLiteModelCreate(self.buffer, ctypes.c_size_t(len(model)))
        options = ctypes.c_void_p(self.lib.TfLiteInterpreterOptionsCreate())
        self.lib.TfLiteInterpreterOptionsSetNumThreads(options, 1)
        if xnnpack:
            settings = DelegateOptions(threads=1, flags=self.QUANTIZED_OPERATORS)
            delegate = ctypes.c_void_p(self.lib.TfLiteXNNPackDelegateCreate(ctypes.byref(settings)))
            self.lib.TfLiteInterpreterOptionsAddDelegate(options, delegate)
        self.me = ctypes.c_void_p(self.lib.TfLiteInterpreterCreate(ctypes.c_void_p(handle), options))
        if not self.me.value or self.lib.TfLiteInterpreterAllocateTensors(self.me):
            raise RuntimeError("TFLite refuses the model")

    def resize(self, arrays):
        for i, array in enumerate(arrays):
            sizes = (ctypes.c_int * array.ndim)(*array.shape)
            if self.lib.TfLiteInterpreterResizeInputTensor(self.me, i, sizes, array.ndim):
                raise RuntimeError("TFLite refuses the size of input %d" % i)
        if self.lib.TfLiteInterpreterAllocateTensors(self.me):
            raise RuntimeError("TFLite refuses the sizes")

    def read(self, tensor):
        tensor = ctypes.c_void_p(tensor)
        shape = [self.lib.TfLiteTensorDim(tensor, i) for i in range(self.lib.TfLiteTensorNumDims(tensor))]
        size = self.lib.TfLiteTensorByteSize(tensor)
        data = ctypes.string_at(self.lib.TfLiteTensorData(tensor), size) if size else b""
        return np.frombuffer(data, NUMPY[self.lib.TfLiteTensorType(tensor)]).reshape(shape)

    def run(self, arrays):
        for i, array in enumerate(arrays):
            data = np.ascontiguousarray(array).tobytes()
            tensor = ctypes.c_void_p(self.lib.TfLiteInterpreterGetInputTensor(self.me, i))
            if self.lib.TfLiteTensorCopyFromBuffer(tensor, data, ctypes.c_size_t(len(data))):
                raise RuntimeError("TFLite refuses input %d" % i)
        if self.lib.TfLiteInterpreterInvoke(self.me):
            raise RuntimeError("TFLite fails")
        return [self.read(self.lib.TfLiteInterpreterGetOutputTensor(self.me, i))
                for i in range(self.lib.TfLiteInterpreterGetOutputTensorCount(self.me))]


def binary(model):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "m.json"
        path.write_text(json.dumps(model), encoding="utf-8")
        subprocess.run(["flatc", "-b", "-o", folder, str(SCHEMA), str(path)], check=True)
        return (pathlib.Path(folder) / "m.tflite").read_bytes()


def number(value):
    if isinstance(value, float) and not np.isfinite(value):
        return str(value)
    return value


def as_json(array):
    if array.dtype.kind == "f":
        # The shortest decimal form that gives the same bits.
        values = [number(float(str(v))) for v in array.reshape(-1)]
    else:
        values = [int(v) for v in array.reshape(-1)]
    return {"type": FUSEQ[array.dtype.str[1:]], "shape": list(array.shape), "values": values}


def main():
    library, wanted = sys.argv[1], sys.argv[2:]
    for family, cases in case_families.families().items():
        if wanted and family not in wanted:
            continue
        lines = []
        for case in cases:
            try:
                # Operators that are newer than TFLite 2.9 state what they give.
                interpreter = None if "expected" in case else Interpreter(library, binary(case["model"]))
                if case.get("resize"):
                    interpreter.resize(case["runs"][0])
                outputs = case.get("expected") or [interpreter.run(arrays) for arrays in case["runs"]]
            except RuntimeError as error:
                print("left out:", family, case["name"], error, file=sys.stderr)
                continue
            written = {"name": case["name"], "model": case["model"], "tolerance": case.get("tolerance", 0),
                       "steps": case.get("steps", 0),
                       "inputs": [[as_json(a) for a in arrays] for arrays in case["runs"]],
                       "outputs": [[as_json(a) for a in arrays] for arrays in outputs]}
            lines.append(json.dumps(written, separators=(",", ":")))
        (HERE / "cases").mkdir(exist_ok=True)
        (HERE / "cases" / (family + ".json")).write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")
        print(family, len(lines))


if __name__ == "__main__":
    main()
