#!/usr/bin/python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Writes an Inception V3 of u8 with random weights, an input, and what TFLite 2.9 (built-in kernels) makes of it.

    make_inception.py DIR --library LIBTENSORFLOWLITE_C [--size 299] [--width 1.0] [--seed 1] [--table FILE]
    make_inception.py DIR --table FILE ...     # without the library: the table that it wrote before
    compare_tensors.py --infer BIN --models DIR --runtime tflite_builtin --device CPU inception_v3_u8

DIR/inception_v3_u8 gets model.tflite, in/0, and mid_tflite_builtin/0.tsv with the sha256 of every tensor. The layers are
those of the network that quantization-aware training made u8 files of in 2018: weights with zero points, ReLU, inputs
of a concatenation on different grids. The variance of weights keeps that of activations; grids differ from layer to
layer. The library: tests/unit/readers_tflite/make_cases.py.
"""
import argparse
import hashlib
import pathlib
import shutil
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "unit/readers_tflite"))
import case_model  # noqa: E402
import make_cases  # noqa: E402

U8 = np.uint8
WEIGHT_STEPS = 30  # standard deviation of weights, in steps


class Value:
    def __init__(self, index, shape, grid):
        self.index, self.shape, self.grid = index, shape, grid


class Network:
    def __init__(self, size, width, seed):
        self.rng = np.random.default_rng(seed)
        self.width = width
        self.model = case_model.ModelJson()
        self.graph = self.model.graph()
        self.input = self.rng.integers(0, 256, (1, size, size, 3)).astype(U8)
        self.x = self.add_input((np.float32(1 / 128), 128))

    def add_input(self, grid):
        return Value(self.graph.input(self.input, grid), self.input.shape, grid)

    def channels(self, count):
        return max(1, round(count * self.width))

    def result(self, name, sources, shape, grid, options=None, version=1):
        index = self.graph.tensor(shape, U8, grid)
        self.graph.op(name, sources, [index], options, version)
        return Value(index, shape, grid)

    def weights(self, shape, source):
        """Weights with a zero point, and a bias in the scale of the product."""
        zero = int(self.rng.integers(110, 146))
        scale = np.float32(np.sqrt(2.0 / np.prod(shape[1:])) / WEIGHT_STEPS)
        values = np.clip(np.round(self.rng.normal(zero, WEIGHT_STEPS, shape)), 0, 255).astype(U8)
        product = np.float32(scale * source.grid[0])
        bias = np.round(self.rng.normal(0, 0.1, shape[0]) / product).astype(np.int32)
        return [self.graph.const(values, (scale, zero)), self.graph.const(bias, (product, 0))]

    def conv(self, x, count, kernel, stride=1, padding="SAME", activation="RELU"):
        kernel = (kernel, kernel) if isinstance(kernel, int) else kernel
        grid = (np.float32(self.rng.uniform(0.010, 0.016)), 0)
        if activation == "NONE":
            grid = (np.float32(0.04), 121)
        size = output_size(x.shape, kernel, stride, padding)
        sources = [x.index] + self.weights((count, *kernel, x.shape[3]), x)
        options = {"padding": padding, "stride_w": stride, "stride_h": stride, "fused_activation_function": activation}
        return self.result("CONV_2D", sources, (1, *size, count), grid, ("Conv2DOptions", options))

    def pool(self, name, x, kernel, stride=1, padding="SAME"):
        size = output_size(x.shape, (kernel, kernel), stride, padding)
        options = {"padding": padding, "stride_w": stride, "stride_h": stride, "filter_width": kernel,
                   "filter_height": kernel}
        return self.result(name, [x.index], (1, *size, x.shape[3]), x.grid, ("Pool2DOptions", options))

    def concat(self, parts):
        grid = max((part.grid for part in parts), key=lambda grid: grid[0])
        shape = (*parts[0].shape[:3], sum(part.shape[3] for part in parts))
        return self.result("CONCATENATION", [part.index for part in parts], shape, grid,
                           ("ConcatenationOptions", {"axis": 3}))

    def chain(self, x, *layers):
        """layers: (channels, kernel[, stride, padding])"""
        for count, *rest in layers:
            x = self.conv(x, self.channels(count), *rest)
        return x

    def pooled(self, x, count):
        return self.chain(self.pool("AVERAGE_POOL_2D", x, 3), (count, 1))

    def split(self, x, count):
        return self.concat([self.chain(x, (count, (1, 3))), self.chain(x, (count, (3, 1)))])

    def body(self):
        x = self.chain(self.x, (32, 3, 2, "VALID"), (32, 3, 1, "VALID"), (64, 3))
        x = self.pool("MAX_POOL_2D", x, 3, 2, "VALID")
        x = self.chain(x, (80, 1), (192, 3, 1, "VALID"))
        x = self.pool("MAX_POOL_2D", x, 3, 2, "VALID")
        for count in (32, 64, 64):
            x = self.concat([self.chain(x, (64, 1)), self.chain(x, (48, 1), (64, 5)),
                             self.chain(x, (64, 1), (96, 3), (96, 3)), self.pooled(x, count)])
        x = self.concat([self.chain(x, (384, 3, 2, "VALID")), self.chain(x, (64, 1), (96, 3), (96, 3, 2, "VALID")),
                         self.pool("MAX_POOL_2D", x, 3, 2, "VALID")])
        row, column = (1, 7), (7, 1)
        for n in (128, 160, 160, 192):
            x = self.concat([self.chain(x, (192, 1)), self.chain(x, (n, 1), (n, row), (192, column)),
                             self.chain(x, (n, 1), (n, column), (n, row), (n, column), (192, row)),
                             self.pooled(x, 192)])
        x = self.concat([self.chain(x, (192, 1), (320, 3, 2, "VALID")),
                         self.chain(x, (192, 1), (192, row), (192, column), (192, 3, 2, "VALID")),
                         self.pool("MAX_POOL_2D", x, 3, 2, "VALID")])
        for _ in range(2):
            x = self.concat([self.chain(x, (320, 1)), self.split(self.chain(x, (384, 1)), 384),
                             self.split(self.chain(x, (448, 1), (384, 3)), 384), self.pooled(x, 192)])
        return x

    def head(self, x):
        x = self.pool("AVERAGE_POOL_2D", x, x.shape[1], 1, "VALID")
        x = self.conv(x, 1001, 1, activation="NONE")
        shape = self.graph.const(np.array([1, 1001], np.int32))
        x = self.result("RESHAPE", [x.index, shape], (1, 1001), x.grid, ("ReshapeOptions", {"new_shape": [1, 1001]}))
        return self.result("SOFTMAX", [x.index], x.shape, (np.float32(1 / 256), 0), ("SoftmaxOptions", {"beta": 1.0}))


def output_size(shape, kernel, stride, padding):
    sizes = [size - k + 1 if padding == "VALID" else size for size, k in zip(shape[1:3], kernel)]
    return tuple(-(-size // stride) for size in sizes)


def write_table(file, network, made, library):
    """The sha256 of the tensors `made`, as TFLite computes them."""
    network.graph.outputs = made
    values = make_cases.Interpreter(str(library), make_cases.binary(network.model.json())).run([network.input])
    lines = ["index\tname\ttype\tshape\tquantization\tsha256"]
    for index, value in zip(made, values):
        shape = "x".join(map(str, value.shape))
        lines.append(f"{index}\tt{index}\t{value.dtype.name}\t{shape}\t\t{hashlib.sha256(value.tobytes()).hexdigest()}")
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    ends = np.mean([np.mean((value == 0) | (value == 255)) for value in values])
    print(f"{len(made)} tensors, {100 * ends:.0f} % of values at the ends of their grids")


def write(folder, network, library, table):
    graph = network.graph
    graph.outputs = [network.head(network.body()).index]
    (folder / "in/0").mkdir(parents=True, exist_ok=True)
    (folder / "mid_tflite_builtin").mkdir(exist_ok=True)
    (folder / "model.tflite").write_bytes(make_cases.binary(network.model.json()))
    np.save(folder / f"in/0/t{network.x.index}.npy", network.input)
    written = folder / "mid_tflite_builtin/0.tsv"
    if library is None:
        shutil.copyfile(table, written)
        return
    write_table(written, network, [output for op in graph.ops for output in op["outputs"]], library)
    if table is not None:
        shutil.copyfile(written, table)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--library", type=pathlib.Path, help="libtensorflowlite_c.so")
    parser.add_argument("--table", type=pathlib.Path, help="written with the library, read without it")
    parser.add_argument("--size", type=int, default=299, help="height and width of the image, 75 or more")
    parser.add_argument("--width", type=float, default=1.0, help="factor of all channels")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    if args.library is None and args.table is None:
        parser.error("give --library or --table")
    write(args.folder / "inception_v3_u8", Network(args.size, args.width, args.seed), args.library, args.table)


if __name__ == "__main__":
    main()
