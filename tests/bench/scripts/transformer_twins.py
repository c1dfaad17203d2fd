#!/usr/bin/python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Writes transformers and a UNet with instance normalisation as IR and as ONNX, for compare_peers.py.

usage: transformer_twins.py --generator ../shared/perf/gen_models.py --out NETS [--models a,b]

The graphs and the two emitters are those of gen_models.py, with a few operations more: both files hold
the same integers, scales and zero points. Linear layers are Gemm in ONNX: as MatMul they take ONNX
Runtime 1.30 several times as long. Needs python3-numpy and python3-onnx.

  bert_128, bert_384   BERT-base encoders, 12 layers, of 128 and 384 tokens
  vit_b16              ViT-B/16 of 224x224, norms first, a class token
  swin_t               Swin-T of 224x224: windows of 7x7 that shift, a bias of positions, merged patches
  unet_instance        UNet of 256x256, 18 times convolution, instance norm, leaky relu
"""
import argparse
import importlib.util
import math
import pathlib
import sys
import zlib

import numpy as np

F32 = np.float32


def load_generator(path):
    spec = importlib.util.spec_from_file_location("gen_models", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["gen_models"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    if module.onnx is None:
        sys.exit("python3-onnx is missing: apt-get install python3-onnx")
    return module


def graph_class(base):
    class Graph(base.Graph):
        def constant(self, name, value):
            return self._add("constant", name, [], value)

        def add_constant(self, x, name, value):
            return self._add("add_constant", name, [x], x.value + value, constant=value.astype(F32))

        def roll(self, x, name, by):
            """Turns axes 1 and 2 round."""
            return self._add("roll", name, [x], np.roll(x.value, (by, by), (1, 2)), x.quant, by=by)

        def first_token(self, x, name):
            return self._add("first_token", name, [x], x.value[:, :1])

        def mean_of_tokens(self, x, name):
            return self._add("mean_of_tokens", name, [x], x.value.mean(axis=1, keepdims=True))

        def instance_norm(self, x, name, eps=1e-5):
            channels = x.shape[1]
            gamma = self.rng.uniform(0.7, 1.3, channels).astype(F32)
            # To the positive side, or each layer makes differences larger: see _fold_batch_norm.
            beta = self.rng.normal(0.8, 0.4, channels).astype(F32)
            centred = x.value - x.value.mean(axis=(2, 3), keepdims=True)
            normed = centred / np.sqrt((centred ** 2).mean(axis=(2, 3), keepdims=True) + eps)
            wide = (1, -1, 1, 1)
            return self._add("instance_norm", name, [x],
                             normed * gamma.reshape(wide) + beta.reshape(wide),
                             gamma=gamma, beta=beta, eps=eps)

    return Graph


def ir_class(base):
    class Ir(base.IrEmitter):
        def emit_constant(self, node):
            return self.const(node.name, node.output.value)

        def emit_add_constant(self, node):
            return self.simple(node, "Add", {"auto_broadcast": "numpy"},
                               [self.const(node.name + "/constant", node.p["constant"])])

        def emit_roll(self, node):
            by = node.p["by"]
            return self.simple(node, "Roll", None, [self.const_i64(node.name + "/shift", [by, by]),
                                                    self.const_i64(node.name + "/axes", [1, 2])],
                               opset=7)

        def emit_first_token(self, node):
            values = {"begin": 0, "end": 1, "step": 1, "axes": 1}
            return self.simple(node, "Slice", None, [self.const_i64(f"{node.name}/{n}", [v])
                                                     for n, v in values.items()], opset=8)

        def emit_mean_of_tokens(self, node):
            return self.simple(node, "ReduceMean", {"keep_dims": "true"},
                               [self.const_i64(node.name + "/axes", [1])])

        def emit_instance_norm(self, node):
            shape, wide = node.output.shape, (1, -1, 1, 1)
            axes = self.const_i64(node.name + "/axes", [2, 3])
            port = self.layer("MVN", node.name + "/mvn", [self.ports[node.inputs[0]], axes], shape,
                              {"eps": node.p["eps"], "eps_mode": "inside_sqrt",
                               "normalize_variance": "true"}, opset=6)
            gamma = self.const(node.name + "/gamma", node.p["gamma"].reshape(wide))
            port = self.layer("Multiply", node.name + "/scaled", [port, gamma], shape,
                              {"auto_broadcast": "numpy"})
            beta = self.const(node.name + "/beta", node.p["beta"].reshape(wide))
            return self.final_layer(node, "Add", [port, beta], {"auto_broadcast": "numpy"})

    return Ir


def onnx_class(base):
    class Onnx(base.OnnxEmitter):
        MOVES_DATA = base.OnnxEmitter.MOVES_DATA | {"roll"}

        def emit_constant(self, node):
            return self.const(node.name, node.output.value)

        def emit_add_constant(self, node):
            return self.simple(node, "Add", [self.const(node.name + "/constant",
                                                        node.p["constant"])])

        def part(self, value, name, axis, begin, end):
            return self.node("Slice", [value] + [self.const_i64(f"{name}/{n}", [v]) for n, v in
                                                 (("begin", begin), ("end", end), ("axes", axis))],
                             name)

        def emit_roll(self, node):
            value, name = self.values[node.inputs[0]], node.name
            for axis in (1, 2):
                size = node.output.shape[axis]
                cut = -node.p["by"] % size
                parts = [self.part(value, f"{name}/{axis}/last", axis, cut, size),
                         self.part(value, f"{name}/{axis}/first", axis, 0, cut)]
                value = self.node("Concat", parts, name if axis == 2 else f"{name}/{axis}",
                                  axis=axis)
            return value

        def emit_first_token(self, node):
            return self.part(self.values[node.inputs[0]], node.name, 1, 0, 1)

        def emit_mean_of_tokens(self, node):
            return self.simple(node, "ReduceMean", axes=[1])

        def emit_instance_norm(self, node):
            return self.simple(node, "InstanceNormalization",
                               [self.const(node.name + "/gamma", node.p["gamma"]),
                                self.const(node.name + "/beta", node.p["beta"])],
                               epsilon=node.p["eps"])

    return Onnx


def attention(g, x, name, heads, bias=None):
    """x: quantized tokens [windows, tokens, width]; `bias` is added to the scores."""
    width = x.shape[-1]

    def projected(part, perm, onnx_signed):
        y = g.fq(g.linear(x, f"{name}.{part}", width), "signed", onnx_signed=onnx_signed)
        y = g.reshape(y, f"{name}.{part}/split", (0, 0, heads, width // heads))
        return g.transpose(y, f"{name}.{part}/heads", perm)

    q = projected("query", (0, 2, 1, 3), False)
    k = projected("key", (0, 2, 3, 1), True)
    v = projected("value", (0, 2, 1, 3), True)
    scores = g.scale(g.matmul(q, k, name + ".scores"), name + ".scaled",
                     1 / math.sqrt(width // heads))
    if bias is not None:
        scores = g.add_constant(scores, name + ".biased", bias)
    probs = g.fq(g.softmax(scores, name + ".probs"), "unsigned")
    context = g.fq(g.matmul(probs, v, name + ".context"))
    context = g.transpose(context, name + ".context/merge", (0, 2, 1, 3))
    context = g.reshape(context, name + ".context/flat", (0, 0, width))
    return g.linear(context, name + ".projection", width)


def feed_forward(g, x, name):
    width = x.shape[-1]
    h = g.linear(g.fq(g.layer_norm(x, name + ".norm2", 1e-5)), name + ".up", 4 * width)
    h = g.linear(g.fq(g.gelu(h)), name + ".down", width)
    return g.add(x, h, name + ".sum2")


def patches(g, base, size, width):
    x = g.fq(g.input("image", base.random_image(g, 1, 224)), "signed")
    x = g.conv(x, "patches", width, size, size, pads=(0, 0, 0, 0), shift=0)
    x = g.reshape(x, "patches/flat", (0, width, -1))
    return g.transpose(x, "tokens", (0, 2, 1))


def classes(g, x):
    x = g.reshape(g.fq(x), "flat", (0, -1))
    g.mark_output("scores", g.linear(x, "head", 1000))


def vit(g, base):
    width = 768
    x = patches(g, base, 16, width)
    token = g.constant("class_token", g.rng.normal(0, 1, (1, 1, width)))
    x = g.concat([token, x], "with_class", 1)
    x = g.add_constant(x, "with_positions", g.rng.normal(0, 0.3, (1, 197, width)))
    for i in range(12):
        name = f"layer{i}"
        first = g.fq(g.layer_norm(x, name + ".norm1", 1e-5))
        x = g.add(x, attention(g, first, name, 12), name + ".sum1")
        x = feed_forward(g, x, name)
    classes(g, g.layer_norm(g.first_token(x, "class"), "norm", 1e-5))


def shift_mask(side, window, shift):
    """Tokens of a window that were no neighbours before the shift do not see each other."""
    part = np.zeros((side, side))
    bounds = (slice(0, -window), slice(-window, -shift), slice(-shift, None))
    for i, rows in enumerate(bounds):
        for j, columns in enumerate(bounds):
            part[rows, columns] = 3 * i + j
    part = part.reshape(side // window, window, side // window, window).transpose(0, 2, 1, 3)
    part = part.reshape(-1, window * window)
    return np.where(part[:, None, :] == part[:, :, None], 0, -100)[:, None]


def swin_block(g, x, name, side, heads, shift):
    width, window = x.shape[-1], 7
    count = side // window
    y = g.fq(g.layer_norm(x, name + ".norm1", 1e-5))
    y = g.reshape(y, name + ".image", (0, side, side, width))
    if shift:
        y = g.roll(y, name + ".shifted", -shift)
    y = g.reshape(y, name + ".cut", (1, count, window, count, window, width))
    y = g.transpose(y, name + ".windows", (0, 1, 3, 2, 4, 5))
    y = g.reshape(y, name + ".tokens", (count * count, window * window, width))
    bias = g.rng.normal(0, 0.5, (1, heads, window * window, window * window))
    if shift:
        bias = bias + shift_mask(side, window, shift)
    y = attention(g, y, name, heads, bias)
    y = g.reshape(y, name + ".whole", (1, count, count, window, window, width))
    y = g.transpose(y, name + ".rows", (0, 1, 3, 2, 4, 5))
    y = g.reshape(y, name + ".back", (1, side, side, width))
    if shift:
        y = g.roll(y, name + ".unshifted", shift)
    x = g.add(x, g.reshape(y, name + ".attended", (1, side * side, width)), name + ".sum1")
    return feed_forward(g, x, name)


def swin(g, base):
    x, side = g.layer_norm(patches(g, base, 4, 96), "patches.norm", 1e-5), 56
    for stage, (depth, heads) in enumerate(((2, 3), (2, 6), (6, 12), (2, 24))):
        for block in range(depth):
            shift = 3 if block % 2 and side > 7 else 0
            x = swin_block(g, x, f"stage{stage}.{block}", side, heads, shift)
        if stage < 3:
            width, half, name = x.shape[-1], side // 2, f"merge{stage}"
            x = g.reshape(x, name + ".pairs", (1, half, 2, half, 2, width))
            x = g.transpose(x, name + ".turned", (0, 1, 3, 4, 2, 5))
            x = g.reshape(x, name + ".four", (1, half * half, 4 * width))
            x = g.linear(g.fq(g.layer_norm(x, name + ".norm", 1e-5)), name, 2 * width)
            side = half
    classes(g, g.mean_of_tokens(g.layer_norm(x, "norm", 1e-5), "mean"))


def unet(g, base):
    def norm_conv(x, name, channels, group=None):
        y = g.fq(g.conv(x, name, channels, 3, shift=0))
        return g.fq(g.leaky(g.instance_norm(y, name + ".norm"), 0.01), group=group)

    def double_conv(x, name, channels, group=None):
        return norm_conv(norm_conv(x, name + ".a", channels), name + ".b", channels, group)

    x = g.fq(g.input("image", base.random_image(g, 1, 256)), "signed")
    skips = []
    for level, channels in enumerate((32, 64, 128, 256)):
        x = double_conv(x, f"down{level}", channels, f"skip{level}")
        skips.append(x)
        x = g.max_pool(x, f"pool{level}", 2, 2)
    x = double_conv(x, "bottom", 320)
    for level in (3, 2, 1, 0):
        skip = skips[level]
        x = g.deconv(x, f"up{level}.deconv", skip.shape[1], 2)
        x = g.concat([skip, g.fq(x, group=f"skip{level}")], f"up{level}.concat")
        x = double_conv(x, f"up{level}", skip.shape[1])
    g.mark_output("logits", g.fq(g.conv(x, "classes", 4, 1, shift=0), ir=False))


def bert(length):
    return lambda g, base: base.bert_base_encoder(g, 1, layers=12, length=length)


MODELS = {"bert_128": bert(128), "bert_384": bert(384), "vit_b16": vit, "swin_t": swin,
          "unet_instance": unet}


def build(base, name):
    make = graph_class(base)

    def describe(ranges=None):
        graph = make(name, [2026, zlib.crc32(name.encode())], "signed", 99.95, ranges)
        MODELS[name](graph, base)
        return graph

    graph = describe()
    return describe(graph.ranges) if graph.shares_ranges else graph


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--generator", required=True, type=pathlib.Path)
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("--models", default=",".join(MODELS))
    options = parser.parse_args()
    base = load_generator(options.generator)
    options.out.mkdir(parents=True, exist_ok=True)
    for name in options.models.split(","):
        graph = build(base, name)
        ir_class(base)(graph).save(str(options.out / f"{name}.xml"))
        onnx_class(base)(graph).save(str(options.out / f"{name}.onnx"))
        np.save(options.out / f"{name}.input.npy", graph.inputs[0].value)
        print(f"{name}: {len(graph.nodes)} nodes", flush=True)


if __name__ == "__main__":
    main()
