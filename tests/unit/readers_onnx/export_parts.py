#!/usr/bin/env python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Parts of networks, by the habits of the exporters that write them."""
import numpy as np
from onnx import TensorProto, helper, numpy_helper

from export_builder import F, I64, Graph, real
from export_optimized import moved_windows, optimized, optimized_bert


def yolo():
    """Split of channels, pooling pyramid, resize with scales, head with distribution of distances."""
    g = Graph(17)
    x = g.input("images", ["batch", 3, 16, 16])
    stem = g.silu(g.conv(x, 3, 8, stride=2))
    a, b = g.Split(g.silu(g.conv(stem, 8, 8, 1)), g.const([4, 4]), outputs=2, axis=1)
    c = g.Add(b, g.silu(g.conv(g.silu(g.conv(b, 4, 4)), 4, 4)))
    c2f = g.silu(g.conv(g.Concat(a, b, c, axis=1), 12, 8, 1))
    small = g.silu(g.conv(c2f, 8, 8, stride=2))
    pools, last = [small], small
    for _ in range(3):
        last = g.MaxPool(last, kernel_shape=[5, 5], pads=[2] * 4, strides=[1, 1], ceil_mode=0, dilations=[1, 1])
        pools.append(last)
    sppf = g.silu(g.conv(g.Concat(*pools, axis=1), 32, 8, 1))
    up = g.Resize(sppf, None, g.const(np.array([1, 1, 2, 2], F)), coordinate_transformation_mode="asymmetric",
                  cubic_coeff_a=-0.75, mode="nearest", nearest_mode="floor")
    joined = g.silu(g.conv(g.Concat(up, c2f, axis=1), 16, 8, 1))
    levels = []
    for level in (joined, sppf):
        both = g.Concat(g.conv(level, 8, 16, 1), g.conv(level, 8, 5, 1), axis=1)
        levels.append(g.Reshape(both, g.list_of(g.size(both, 0), 21, -1)))
    box, classes = g.Split(g.Concat(*levels, axis=2), g.const([16, 5]), outputs=2, axis=1)
    batch = g.size(box, 0)
    spread = g.Transpose(g.Reshape(box, g.list_of(batch, 4, 4, 80)), perm=[0, 2, 1, 3])
    weights = numpy_helper.from_array(np.arange(4, dtype=F).reshape(1, 4, 1, 1), "model.dfl.conv.weight")
    g.initializers.append(weights)
    distance = g.Reshape(g.Conv(g.Softmax(spread, axis=1), weights.name), g.list_of(batch, 4, 80))
    anchors = g.const(real(7, 1, 2, 80))
    near, far = (g.Slice(distance, g.const([s]), g.const([e]), g.const([1]), g.const([1])) for s, e in ((0, 2), (2, 4)))
    low, high = g.Sub(anchors, near), g.Add(anchors, far)
    middle = g.Div(g.Add(low, high), g.const(F(2)))
    boxes = g.Mul(g.Concat(middle, g.Sub(high, low), axis=1), g.const(np.repeat(np.array([8, 16], F), [64, 16])))
    g.output(g.Concat(boxes, g.Sigmoid(classes), axis=1), "output0")
    return g, [{"images": real(i, n, 3, 16, 16, scale=1)} for i, n in ((1, 1), (2, 2))]


def yolo_end_to_end():
    """Best boxes within the graph: TopK, GatherElements, Mod, and NonMaxSuppression with a gather."""
    g = Graph(17)
    boxes, scores = g.input("boxes", ["batch", 20, 4]), g.input("scores", ["batch", 20, 3])
    best = g.ReduceMax(scores, axes=[-1], keepdims=0)
    _, at = g.TopK(best, g.const([6]), outputs=2, axis=-1, largest=1, sorted=1)
    at = g.Unsqueeze(at, g.const([-1]))
    chosen = g.GatherElements(boxes, g.Tile(at, g.const([1, 1, 4])), axis=1)
    of_class = g.GatherElements(scores, g.Tile(at, g.const([1, 1, 3])), axis=1)
    flat = g.Flatten(of_class, axis=1)
    value, place = g.TopK(flat, g.const([5]), outputs=2, axis=-1)
    kind = g.Mod(place, g.const(3))
    row = g.Div(place, g.const(3))
    picked = g.GatherElements(chosen, g.Tile(g.Unsqueeze(row, g.const([-1])), g.const([1, 1, 4])), axis=1)
    columns = [picked, g.Unsqueeze(value, g.const([-1])),
               g.Cast(g.Unsqueeze(kind, g.const([-1])), to=TensorProto.FLOAT)]
    g.output(g.Concat(*columns, axis=-1), "detections")
    kept = g.NonMaxSuppression(boxes, g.Transpose(scores, perm=[0, 2, 1]), g.const([10]), g.const(np.array([0.4], F)),
                               g.const(np.array([0.1], F)))
    batch, box = g.Slice(kept, g.const([0]), g.const([1]), g.const([1])), g.Slice(kept, g.const([2]), g.const([3]),
                                                                                 g.const([1]))
    g.output(g.GatherND(boxes, g.Concat(batch, box, axis=1)), "kept")

    def inputs(seed, batch):
        rng = np.random.default_rng(seed)
        corner = rng.uniform(0, 4, (batch, 20, 2))
        return {"boxes": np.concatenate([corner, corner + rng.uniform(0.5, 3, (batch, 20, 2))], 2).astype(F),
                "scores": rng.uniform(0, 1, (batch, 20, 3)).astype(F)}
    return g, [inputs(1, 1), inputs(2, 2)]


def resnet():
    """Of the newer exporter: axes as inputs, Reshape with allowzero."""
    g = Graph(18)
    x = g.input("x", ["s0", 3, 16, 16])
    a = g.MaxPool(g.Relu(g.conv(x, 3, 8, 7, 2)), kernel_shape=[3, 3], pads=[1] * 4, strides=[2, 2],
                  auto_pad="NOTSET", storage_order=0)
    b = g.conv(g.Relu(g.conv(a, 8, 8)), 8, 8)
    c = g.Relu(g.Add(b, a))
    d = g.Relu(g.Add(g.conv(g.Relu(g.conv(c, 8, 12, 3, 2)), 12, 12), g.conv(c, 8, 12, 1, 2, 0)))
    mean = g.ReduceMean(d, g.const([-1, -2]), keepdims=1, noop_with_empty_axes=0)
    flat = g.Reshape(mean, g.Concat(g.Shape(x, start=0, end=1), g.const([12]), axis=0), allowzero=1)
    g.output(g.Gemm(flat, g.weight(5, 12), g.weight(5), alpha=1.0, beta=1.0, transB=1), "linear")
    return g, [{"x": real(i, n, 3, 16, 16, scale=1)} for i, n in ((1, 1), (2, 3))]


def vit():
    """Class token by Expand (ConstantOfShape, Equal, Where), positions, layer norm of its parts."""
    g = Graph(14)
    x = g.input("pixel_values", ["batch", 3, 8, 8])
    patches = g.Conv(x, g.weight(12, 3, 4, 4), g.weight(12), kernel_shape=[4, 4], strides=[4, 4])
    shape = g.Shape(patches)
    head = g.Slice(shape, g.const([0]), g.const([2]), g.const([0]))
    tokens = g.Transpose(g.Reshape(patches, g.Concat(head, g.const([-1]), axis=0)), perm=[0, 2, 1])
    wanted = g.list_of(g.size(x, 0), -1, -1)
    ones = g.ConstantOfShape(g.const([3]), value=numpy_helper.from_array(np.array([1], I64)))
    sizes = g.Where(g.Equal(wanted, g.Mul(ones, g.const([-1, -1, -1]))), ones, wanted)
    both = g.Concat(g.Expand(g.weight(1, 1, 12), sizes), tokens, axis=1)
    h = g.Add(both, g.weight(1, 5, 12))
    norm = g.layer_norm(h, 12)
    h = g.Add(g.linear(g.attention(*(g.linear(norm, 12, 12) for _ in range(3)), 3, 12), 12, 12), h)
    h = g.Add(g.linear(g.gelu(g.linear(g.layer_norm(h, 12), 12, 24)), 24, 12), h)
    g.output(g.linear(g.Gather(g.layer_norm(h, 12), g.const(0), axis=1), 12, 4), "logits")
    return g, [{"pixel_values": real(i, n, 3, 8, 8, scale=1)} for i, n in ((1, 1), (2, 2))]


def bert():
    """Embeddings, positions cut to the length, a mask of 0 and 1 as numbers to add, the pooler."""
    g = Graph(17)
    ids = g.input("input_ids", ["batch", "sequence"], I64)
    mask = g.input("attention_mask", ["batch", "sequence"], I64)
    kinds = g.input("token_type_ids", ["batch", "sequence"], I64)
    length = g.Unsqueeze(g.size(ids, 1), g.const([0]))
    positions = g.Slice(g.const(np.arange(16, dtype=I64)[None]), g.const([0]), length, g.const([1]), g.const([1]))
    words = g.Add(g.Gather(g.weight(30, 12), ids), g.Gather(g.weight(2, 12), kinds))
    h = g.Add(words, g.Gather(g.weight(16, 12), positions))
    h = g.LayerNormalization(h, g.weight(12), g.weight(12), axis=-1, epsilon=1e-12)
    wide = g.Cast(g.Unsqueeze(g.Unsqueeze(mask, g.const([1])), g.const([2])), to=TensorProto.FLOAT)
    hidden = g.Mul(g.Sub(g.const(F(1)), wide), g.const(np.finfo(F).min))
    mixed = g.attention(*(g.linear(h, 12, 12) for _ in range(3)), 2, 12, hidden)
    h = g.LayerNormalization(g.Add(g.linear(mixed, 12, 12), h), g.weight(12), g.weight(12), axis=-1, epsilon=1e-12)
    h = g.LayerNormalization(g.Add(g.linear(g.gelu(g.linear(h, 12, 24)), 24, 12), h), g.weight(12), g.weight(12),
                             axis=-1, epsilon=1e-12)
    g.output(h, "last_hidden_state")
    g.output(g.Tanh(g.Gemm(g.Gather(h, g.const(0), axis=1), g.weight(12, 12), g.weight(12), transB=1)), "pooled")

    def inputs(seed, batch, length):
        rng = np.random.default_rng(seed)
        lengths = rng.integers(1, length + 1, (batch, 1))
        return {"input_ids": rng.integers(0, 30, (batch, length)),
                "attention_mask": (np.arange(length)[None] < lengths).astype(I64),
                "token_type_ids": rng.integers(0, 2, (batch, length))}
    return g, [inputs(1, 1, 7), inputs(2, 3, 4)]


def whisper_encoder():
    g = Graph(17)
    x = g.input("input_features", ["batch", 6, 20])
    h = g.gelu(g.Conv(x, g.weight(8, 6, 3), g.weight(8), kernel_shape=[3], pads=[1, 1], strides=[1]))
    h = g.gelu(g.Conv(h, g.weight(8, 8, 3), g.weight(8), kernel_shape=[3], pads=[1, 1], strides=[2]))
    h = g.Add(g.Transpose(h, perm=[0, 2, 1]), g.weight(10, 8))
    norm = g.LayerNormalization(h, g.weight(8), g.weight(8), axis=-1, epsilon=1e-5)
    h = g.Add(h, g.attention(g.linear(norm, 8, 8), g.linear(norm, 8, 8, False), g.linear(norm, 8, 8), 2, 8))
    g.output(g.Clip(h, g.const(F(-64504)), g.const(F(64504))), "last_hidden_state")
    return g, [{"input_features": real(i, n, 6, 20, scale=1)} for i, n in ((1, 1), (2, 2))]


def whisper_decoder():
    """Merged form of Optimum: an If chooses between the first step and those with a cache."""
    g = Graph(17)
    ids = g.input("input_ids", ["batch", "length"], I64)
    past_k = g.input("past_key_values.0.key", ["batch", 2, "past", 4])
    past_v = g.input("past_key_values.0.value", ["batch", 2, "past", 4])
    use_cache = g.input("use_cache_branch", [1], np.bool_)
    table = g.weight(20, 8)
    places, q_weight, k_weight, v_weight = g.weight(16, 8), g.weight(8, 8), g.weight(8, 8), g.weight(8, 8)

    def branch(tag, cached):
        b = g.body(tag)
        length = b.size(ids, 1)
        start = b.size(past_k, 2) if cached else b.const(0)
        positions = b.Range(start, b.Add(start, length), b.const(1))
        h = b.Add(b.Gather(table, ids), b.Gather(places, positions))

        def heads(weight):
            sizes = b.list_of(b.size(ids, 0), -1, 2, 4)
            return b.Transpose(b.Reshape(b.MatMul(h, weight), sizes), perm=[0, 2, 1, 3])
        q, k, v = heads(q_weight), heads(k_weight), heads(v_weight)
        if cached:
            k, v = b.Concat(past_k, k, axis=2), b.Concat(past_v, v, axis=2)
        keys = b.Range(b.const(0), b.size(k, 2), b.const(1))
        late = b.Greater(b.Unsqueeze(keys, b.const([0])), b.Unsqueeze(positions, b.const([1])))
        scores = b.Mul(b.MatMul(q, b.Transpose(k, perm=[0, 1, 3, 2])), b.const(F(0.5)))
        scores = b.Where(late, b.const(np.finfo(F).min), scores)
        mixed = b.Transpose(b.MatMul(b.Softmax(scores, axis=-1), v), perm=[0, 2, 1, 3])
        flat = b.Reshape(mixed, b.list_of(b.size(ids, 0), -1, 8))
        for value, name in ((b.MatMul(flat, b.Transpose(table, perm=[1, 0])), "logits"), (k, "key"), (v, "value")):
            b.output(value, b.prefix + name)
        return b.proto(tag)
    logits, k, v = g.If(use_cache, outputs=3, then_branch=branch("with_past", True), else_branch=branch("no_past", False))
    for value, name in ((logits, "logits"), (k, "present.0.key"), (v, "present.0.value")):
        g.output(value, name)

    def inputs(seed, batch, length, past, cached):
        return {"input_ids": np.random.default_rng(seed).integers(0, 20, (batch, length)),
                past_k: real(seed, batch, 2, past, 4), past_v: real(seed + 1, batch, 2, past, 4),
                use_cache: np.array([cached])}
    return g, [inputs(1, 2, 4, 1, False), inputs(3, 2, 1, 5, True)]


def unet():
    """A residual block with an embedding of time, attention over another sequence, resize to sizes."""
    g = Graph(17)
    x, time = g.input("sample", ["batch", 8, 6, 6]), g.input("timestep", [1], I64)
    states = g.input("encoder_hidden_states", ["batch", "tokens", 10])
    batch = g.size(x, 0)
    steps = g.Expand(time, g.Unsqueeze(batch, g.const([0])))
    angles = g.Mul(g.Unsqueeze(g.Cast(steps, to=TensorProto.FLOAT), g.const([1])),
                   g.const(np.exp(-np.arange(4) / 2).astype(F)[None]))
    embedded = g.Concat(g.Cos(angles), g.Sin(angles), axis=-1)
    embedded = g.Gemm(g.silu(g.Gemm(embedded, g.weight(8, 8), g.weight(8), transB=1)), g.weight(8, 8), g.weight(8),
                      transB=1)

    def group_norm(y):
        flat = g.Reshape(y, g.const([0, 4, -1]))
        normal = g.InstanceNormalization(flat, g.const(np.ones(4, F)), g.const(np.zeros(4, F)), epsilon=1e-5)
        back = g.Reshape(normal, g.Shape(y))
        return g.Add(g.Mul(back, g.weight(8, 1, 1)), g.weight(8, 1, 1))
    h = g.conv(g.silu(group_norm(x)), 8, 8)
    h = g.Add(h, g.Unsqueeze(g.Unsqueeze(embedded, g.const([2])), g.const([3])))
    h = g.Add(g.conv(g.silu(group_norm(h)), 8, 8), x)
    tokens = g.Reshape(g.Transpose(h, perm=[0, 2, 3, 1]), g.list_of(batch, 36, 8))
    norm = g.LayerNormalization(tokens, g.weight(8), g.weight(8), axis=-1)
    cross = g.attention(g.linear(norm, 8, 8, False), g.linear(states, 10, 8, False), g.linear(states, 10, 8, False), 2, 8)
    tokens = g.Add(g.linear(cross, 8, 8), tokens)
    wide = g.linear(tokens, 8, 32)
    half = g.Div(g.Add(g.size(wide, -1), g.const(1)), g.const(2))
    half = g.Unsqueeze(half, g.const([0]))
    values = g.Slice(wide, g.const([0]), half, g.const([-1]))
    gates = g.Slice(wide, half, g.Mul(half, g.const([2])), g.const([-1]))
    tokens = g.Add(g.linear(g.Mul(values, g.gelu(gates)), 16, 8), tokens)
    image = g.Transpose(g.Reshape(tokens, g.list_of(batch, 6, 6, 8)), perm=[0, 3, 1, 2])
    sizes = g.Concat(g.Slice(g.Shape(image), g.const([0]), g.const([2])), g.const([12, 12]), axis=0)
    up = g.Resize(image, None, None, sizes, coordinate_transformation_mode="asymmetric", mode="nearest",
                  nearest_mode="floor")
    g.output(g.conv(up, 8, 4), "out_sample")
    return g, [{"sample": real(i, n, 8, 6, 6, scale=1), "timestep": np.array([t]),
                "encoder_hidden_states": real(9 + i, n, s, 10)} for i, n, t, s in ((1, 1, 3, 5), (2, 2, 40, 7))]


def function(name, inputs, outputs, nodes, attributes=(), opset=18, domain="pkg.onnxscript.torch_lib"):
    imports = [helper.make_opsetid("", opset), helper.make_opsetid("pkg.onnxscript.torch_lib", 1),
               helper.make_opsetid("pkg.onnxscript.torch_lib.common", 1)]
    return helper.make_function(domain, name, inputs, outputs, nodes, imports, list(attributes))


def referring(node, *names):
    """Attributes of the node that are those of the call."""
    for name, of_call, kind in names:
        made = node.attribute.add()
        made.name, made.ref_attr_name, made.type = name, of_call, kind
    return node


def dynamo_functions():
    """Functions with attributes of their calls, calls of others, optional inputs, and an If."""
    g = Graph(18)
    lib, common = "pkg.onnxscript.torch_lib", "pkg.onnxscript.torch_lib.common"
    g.domains.update({lib: 1, common: 1})
    node = helper.make_node
    g.functions.append(function("Rank", ["input"], ["return_val"], [
        node("Shape", ["input"], ["tmp"]), node("Size", ["tmp"], ["return_val"])], domain=common))
    g.functions.append(function("aten_softmax", ["self"], ["result"], [
        referring(node("Softmax", ["self"], ["result"]), ("axis", "dim", 2))], ["dim"]))
    g.functions.append(function("aten_addmm", ["self", "mat1", "mat2"], ["return_val"], [
        referring(node("Gemm", ["mat1", "mat2", "self"], ["return_val"], transA=0, transB=0), ("alpha", "alpha", 1),
                  ("beta", "beta", 1))], ["beta", "alpha"]))
    g.functions.append(function("aten_clamp", ["self", "min_", "max_"], ["result"], [
        node("Clip", ["self", "min_", "max_"], ["result"])]))

    def branch(name, *nodes):
        return helper.make_graph(list(nodes), name, [], [helper.make_tensor_value_info(
            nodes[-1].output[0], TensorProto.FLOAT, None)])
    g.functions.append(function("aten_mean", ["self"], ["result"], [
        node("Rank", ["self"], ["rank"], domain=common),
        node("Constant", [], ["zero"], value=numpy_helper.from_array(np.array(0, I64))),
        node("Equal", ["rank", "zero"], ["scalar"]),
        node("If", ["scalar"], ["result"],
             then_branch=branch("then", node("Identity", ["self"], ["same"])),
             else_branch=branch("else", referring(node("Constant", [], ["axes"]), ("value_ints", "dim", 7)),
                                node("ReduceMean", ["self", "axes"], ["mean"], keepdims=0)))], ["dim"]))
    x = g.input("l_x_", ["s0", 6])
    first = g.node("aten_addmm", [g.weight(8), x, g.weight(6, 8)], ["addmm"], lib, alpha=1.0, beta=0.5)
    clamped = g.node("aten_clamp", [first, "", g.const(F(0.7))], ["clamp"], lib)
    second = g.node("aten_addmm", [g.weight(4), clamped, g.weight(8, 4)], ["addmm_1"], lib, alpha=2.0, beta=1.0)
    g.output(g.node("aten_softmax", [second], ["softmax"], lib, dim=-1), "probabilities")
    g.output(g.node("aten_mean", [second], ["mean"], lib, dim=[0]), "means")
    return g, [{"l_x_": real(i, n, 6, scale=1)} for i, n in ((1, 2), (2, 5))]


def constant_conditions():
    """PyTorch's squeeze: an If over sizes, of which the graph knows one."""
    g = Graph(13)
    x = g.input("x", ["n", 1, 4])
    one = g.Equal(g.size(x, 1), g.const(1))
    squeezed, kept = g.body("then"), g.body("else")
    squeezed.output(squeezed.Squeeze(x, squeezed.const([1])), squeezed.prefix + "y")
    kept.output(kept.Identity(x), kept.prefix + "y")
    y = g.If(one, then_branch=squeezed.proto("t"), else_branch=kept.proto("e"))
    g.output(g.MatMul(y, g.weight(4, 3)), "y")
    never, always = g.body("then"), g.body("else")
    never.output(never.Neg(x), never.prefix + "z")
    always.output(always.Relu(x), always.prefix + "z")
    g.output(g.If(g.const(np.array(False)), then_branch=never.proto("t"), else_branch=always.proto("e")), "z")
    return g, [{"x": real(i, n, 1, 4)} for i, n in ((1, 2), (2, 3))]


def loops():
    """A loop of the script exporter: a counter, a carried value, a row for each pass."""
    g = Graph(17)
    x, count = g.input("x", ["n", 4]), g.input("count", [], I64)
    b = g.body("body")
    b.input("i", [], I64)
    b.input("go", [], np.bool_)
    b.input("state", None)
    weight = g.weight(4, 4)
    new = b.Tanh(b.MatMul("state", weight))
    scaled = b.Mul(new, b.Cast(b.Add("i", b.const(1)), to=TensorProto.FLOAT))
    b.output("go", b.prefix + "go", np.bool_)
    b.output(new, b.prefix + "next")
    b.output(b.ReduceSum(scaled, b.const([1]), keepdims=0), b.prefix + "row")
    last, rows = g.Loop(count, g.const(np.array(True)), x, outputs=2, body=b.proto("loop"))
    g.output(last, "last")
    g.output(rows, "rows")
    return g, [{"x": real(1, 2, 4), "count": np.array(3)}, {"x": real(2, 3, 4), "count": np.array(5)}]


def sequences():
    """chunk, split, stack and unbind of the script exporter."""
    g = Graph(17)
    x = g.input("x", ["n", 6, 4])
    chunks = g.SplitToSequence(x, g.const(3), axis=1)
    first, second = g.SequenceAt(chunks, g.const(0)), g.SequenceAt(chunks, g.const(-1))
    stacked = g.ConcatFromSequence(g.SequenceConstruct(second, first, g.Neg(first)), axis=1, new_axis=1)
    g.output(stacked, "stacked")
    rows = g.SplitToSequence(x, axis=2, keepdims=0)
    more = g.SequenceInsert(g.SequenceErase(rows, g.const(1)), g.SequenceAt(rows, g.const(1)), g.const(-1))
    g.output(g.ConcatFromSequence(more, axis=-1), "joined")
    g.output(g.SequenceLength(more), "count", I64)
    pieces = g.SplitToSequence(x, g.const([1, 5]), axis=1)
    g.output(g.SequenceAt(pieces, g.const(1)), "piece")
    return g, [{"x": real(i, n, 6, 4)} for i, n in ((1, 2), (2, 1))]


def masked():
    """masked_select, index_put and where: sizes that the values decide."""
    g = Graph(17)
    x = g.input("x", ["n", 5])
    positive = g.Greater(x, g.const(F(0)))
    at = g.Transpose(g.NonZero(positive), perm=[1, 0])
    g.output(g.GatherND(x, at), "selected")
    values = g.Mul(g.GatherND(x, at), g.const(F(-2)))
    g.output(g.ScatterND(x, at, values), "put")
    g.output(g.Where(g.And(positive, g.Not(g.IsNaN(x))), x, g.const(F(0))), "cut")
    g.output(g.Compress(x, g.const(np.array([True, False, True, True, False])), axis=1), "columns")
    return g, [{"x": real(i, n, 5)} for i, n in ((1, 3), (2, 4))]


def optional_inputs():
    """Inputs that are left out in the middle, and outputs that nobody reads."""
    g = Graph(17)
    x = g.input("x", ["n", 4, 6])
    y, _, _ = g.node("LSTM", [g.Transpose(x, perm=[1, 0, 2]), g.weight(2, 20, 6), g.weight(2, 20, 5), g.weight(2, 40), "",
                              g.Expand(g.const(np.zeros((1, 1, 1), F)), g.list_of(2, g.size(x, 0), 5))],
                     ["lstm_y", "lstm_h", "lstm_c"], hidden_size=5, direction="bidirectional")
    g.output(g.Reshape(g.Transpose(y, perm=[2, 0, 1, 3]), g.const([0, 0, -1])), "sequence")
    g.output(g.Clip(x, None, g.const(F(0.25))), "below")
    dropped = g.node("Dropout", [x, g.const(F(0.5)), g.const(np.array(False))], ["kept", ""])
    g.output(g.Slice(dropped[0], g.const([-3]), g.const([9223372036854775807]), g.const([-1]), g.const([2])), "slice")
    padded = g.Pad(x, g.const([0, 1, 2, 0, 0, 1]), None, mode="constant")
    g.output(g.Resize(padded, None, g.const(np.array([1, 1, 1.5], F)), mode="linear",
                      coordinate_transformation_mode="pytorch_half_pixel"), "resized")
    return g, [{"x": real(i, n, 4, 6)} for i, n in ((1, 2), (2, 1))]


def llama():
    """RMS norm, rotary positions, two query heads a key head by Expand, cache, mask by Trilu."""
    g = Graph(18)
    ids, places = g.input("input_ids", ["batch", "length"], I64), g.input("position_ids", ["batch", "length"], I64)
    past_k, past_v = (g.input("past_key_values.0." + n, ["batch", 2, "past", 4]) for n in ("key", "value"))
    h = g.Gather(g.weight(20, 16), ids)

    def rms_norm(x):
        mean = g.ReduceMean(g.Pow(x, g.const(F(2))), g.const([-1]), keepdims=1)
        return g.Mul(g.weight(16), g.Mul(x, g.Div(g.const(F(1)), g.Sqrt(g.Add(mean, g.const(F(1e-6)))))))
    norm = rms_norm(h)

    def heads(count):
        sizes = g.list_of(g.size(ids, 0), g.size(ids, 1), count, 4)
        return g.Transpose(g.Reshape(g.linear(norm, 16, 4 * count, False), sizes), perm=[0, 2, 1, 3])
    q, k, v = heads(4), heads(2), heads(2)
    inverse = g.const(np.array([1, 0.1], F).reshape(1, 2, 1))
    inverse = g.Expand(inverse, g.list_of(g.size(ids, 0), 1, 1))
    angles = g.Transpose(g.MatMul(inverse, g.Cast(g.Unsqueeze(places, g.const([1])), to=TensorProto.FLOAT)),
                         perm=[0, 2, 1])
    angles = g.Concat(angles, angles, axis=-1)
    cos, sin = (g.Unsqueeze(f(angles), g.const([1])) for f in (g.Cos, g.Sin))

    def rotate(x):
        low = g.Slice(x, g.const([0]), g.const([2]), g.const([3]), g.const([1]))
        high = g.Slice(x, g.const([2]), g.const([9223372036854775807]), g.const([3]), g.const([1]))
        return g.Add(g.Mul(x, cos), g.Mul(g.Concat(g.Neg(high), low, axis=-1), sin))
    q, k = rotate(q), rotate(k)
    k, v = g.Concat(past_k, k, axis=2), g.Concat(past_v, v, axis=2)

    def repeat(x):
        batch, length = g.size(x, 0), g.size(x, 2)
        wide = g.Expand(g.Unsqueeze(x, g.const([2])), g.list_of(batch, 2, 2, length, 4))
        return g.Reshape(wide, g.list_of(batch, 4, length, 4))
    rows, columns = g.size(ids, 1), g.size(k, 2)
    full = g.Expand(g.const(np.finfo(F).min), g.list_of(rows, columns))
    mask = g.Trilu(full, g.Add(g.size(past_k, 2), g.const(1)), upper=1)
    scores = g.Div(g.MatMul(q, g.Transpose(repeat(k), perm=[0, 1, 3, 2])), g.const(F(2)))
    weights = g.Softmax(g.Add(scores, g.Unsqueeze(g.Unsqueeze(mask, g.const([0])), g.const([1]))), axis=-1)
    mixed = g.Transpose(g.MatMul(weights, repeat(v)), perm=[0, 2, 1, 3])
    h = g.Add(h, g.linear(g.Reshape(mixed, g.list_of(g.size(ids, 0), g.size(ids, 1), 16)), 16, 16, False))
    norm = rms_norm(h)
    h = g.Add(h, g.linear(g.Mul(g.silu(g.linear(norm, 16, 24, False)), g.linear(norm, 16, 24, False)), 24, 16, False))
    g.output(g.linear(rms_norm(h), 16, 20, False), "logits")
    g.output(k, "present.0.key")
    g.output(v, "present.0.value")

    def inputs(seed, batch, length, past):
        return {ids: np.random.default_rng(seed).integers(0, 20, (batch, length)),
                places: np.tile(np.arange(past, past + length), (batch, 1)),
                past_k: real(seed, batch, 2, past, 4), past_v: real(seed + 1, batch, 2, past, 4)}
    return g, [inputs(1, 1, 5, 2), inputs(3, 2, 1, 7)]


def newest():
    """Operator set 21: Gelu, GroupNormalization, ReduceMax of axes as input, Pad with axes, AveragePool with dilations."""
    g = Graph(21)
    x = g.input("x", ["n", 4, 6, 6])
    normal = g.GroupNormalization(x, g.weight(4), g.weight(4), num_groups=2)
    h = g.Gelu(g.conv(normal, 4, 4), approximate="tanh")
    h = g.AveragePool(h, kernel_shape=[2, 2], dilations=[2, 2], strides=[1, 1], count_include_pad=1, pads=[1] * 4)
    h = g.Pad(h, g.const([1, 2]), None, g.const([3]), mode="edge")
    a, b = g.Split(h, outputs=2, axis=1, num_outputs=2)
    g.output(g.Resize(g.Mul(a, g.Mish(b)), None, None, g.const([3, 4]), mode="linear", axes=[2, 3], antialias=0,
                      coordinate_transformation_mode="align_corners"), "resized")
    g.output(g.ReduceMax(g.HardSwish(h), g.const([2, 3]), keepdims=0), "largest")
    grid = g.Tanh(g.Transpose(g.Slice(x, g.const([0]), g.const([2]), g.const([1])), perm=[0, 2, 3, 1]))
    g.output(g.GridSample(x, grid, mode="linear", padding_mode="border", align_corners=1), "sampled")
    return g, [{"x": real(i, n, 4, 6, 6, scale=1)} for i, n in ((1, 2), (2, 1))]


def attention_23():
    """Operator set 23: Attention with heads and causal mask, RMSNormalization, RotaryEmbedding."""
    g = Graph(23)
    x = g.input("x", ["n", "s", 8])
    norm = g.RMSNormalization(x, g.weight(8), axis=-1, epsilon=1e-6)
    angles = real(5, 16, 2, scale=1)
    places = g.input("positions", ["n", "s"], I64)
    q, k = (g.RotaryEmbedding(g.linear(norm, 8, 8, False), g.const(np.cos(angles)), g.const(np.sin(angles)), places,
                              num_heads=2) for _ in range(2))
    y = g.Attention(q, k, g.linear(norm, 8, 8, False), q_num_heads=2, kv_num_heads=2, is_causal=1)
    g.output(g.Add(x, g.linear(y, 8, 8)), "y")
    return g, [{"x": real(i, n, s, 8), "positions": np.tile(np.arange(s), (n, 1))} for i, n, s in ((1, 1, 5), (2, 2, 3))]


PARTS = [yolo, yolo_end_to_end, resnet, vit, bert, whisper_encoder, whisper_decoder, unet, dynamo_functions,
         optimized, optimized_bert, moved_windows, constant_conditions, loops, sequences, masked, optional_inputs, llama, newest, attention_23]


def parts():
    for make in PARTS:
        graph, runs = make()
        yield make.__name__, graph.model(), [{n: np.asarray(a) for n, a in run.items()} for run in runs]

