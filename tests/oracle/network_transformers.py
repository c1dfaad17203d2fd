# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Random parts of transformers as exporters write them: attention as one operation, masks that are
computed, embeddings, rotary positions, and activations and normalisations by their formulas."""
import numpy as np

from network_builder import Rejected
from network_layers import quantized
from network_tokens import heads, projection


def number(net, value):
    return net.constant(np.array(value))


def arithmetic(net, operation, a, b):
    """Of a tensor and a number, in either order where that is the same."""
    b = number(net, b) if np.isscalar(b) else b
    if operation in ("Add", "Multiply") and net.dice.chance(0.5):
        a, b = b, a
    return net.add(operation, [a, b])


# ---- masks ----

def length_of(net, x, axis):
    """The size of a dimension as a scalar, computed."""
    shape = net.add("ShapeOf", [x], opset=3, result_type="i64", output_type="i64")
    return net.add("Gather", [shape, net.constant(np.array(axis, np.int64), "i64"),
                              net.constant(np.array(0, np.int64), "i64")], opset=8,
                   result_type="i64", batch_dims=0)


def positions(net, x, axis):
    """0, 1, ... as many as the dimension has."""
    zero, one = (net.constant(np.array(v, np.int64), "i64") for v in (0, 1))
    if net.dice.chance(0.3):     # as positions are counted from a mask of ones
        length = net.add("Unsqueeze", [length_of(net, x, axis), net.constant([0], "i64")],
                         result_type="i64")
        ones = net.add("Broadcast", [one, length], opset=3, result_type="i64", mode="numpy")
        count = net.add("CumSum", [ones, zero], opset=3, result_type="i64", exclusive=False,
                        reverse=False)
        return net.add("Subtract", [count, one], result_type="i64")
    return net.add("Range", [zero, length_of(net, x, axis), one], opset=4, result_type="i64",
                   output_type="i64")


def unsqueezed(net, x, axes):
    return net.add("Unsqueeze", [x, net.constant(axes, "i64")], result_type=x.type)


def boolean_mask(net, x):
    """[1, 1, T or 1, T]; true somewhere in every row."""
    at = positions(net, x, 1)
    keys = unsqueezed(net, at, [0, 1, 2])
    if net.dice.chance(0.5):     # causal
        return net.add("LessEqual", [keys, unsqueezed(net, at, [0, 1, 3])], result_type="boolean")
    length = net.constant(np.array(net.dice.number(1, x.shape[1]), np.int64), "i64")
    return net.add("Less", [keys, length], result_type="boolean")


def float_mask(net, x):
    if net.dice.chance(0.3):
        return net.constant(net.dice.normal([1, 1, 1, x.shape[1]], 2))
    mask = boolean_mask(net, x)
    if net.dice.chance(0.5):
        return net.add("Select", [mask, number(net, 0.0), number(net, -200.0)])
    real = net.add("Convert", [mask], destination_type="f32")
    hidden = net.add("Subtract", [number(net, 1.0), real])
    return net.add("Multiply", [hidden, number(net, -200.0)])


# ---- attention as one operation ----

def constant_mask(net, x):
    values = net.dice.random.random([1, 1, x.shape[1], x.shape[1]]) < 0.7
    values[..., 0] = True
    return net.constant(values, "boolean")


def attention_operation(net, x):
    dice = net.dice
    if x.rank != 3 or x.shape[1] > 80:
        raise Rejected("no tokens")
    x = quantized(net, x)
    count, width = dice.pick((1, 2, 3, 4)), dice.pick((2, 4, 8, 16, 32))
    q, k, v = (heads(net, projection(net, x, count * width), count, False) for _ in range(3))
    if dice.chance(0.2):
        q, k = rotary(net, q), rotary(net, k)
    q, k = (quantized(net, t, 0.8) for t in (q, k))
    v = quantized(net, v, 0.3)
    mask = dice.pick((None, None, float_mask, boolean_mask, constant_mask, "zero"))
    inputs = [q, k, v]
    if mask == "zero":
        inputs.append(number(net, 0.0))
    elif mask is not None:
        inputs.append(mask(net, x))
    if mask is not None and dice.chance(0.4):
        inputs.append(number(net, dice.real(0.05, 1)))
    y = net.add("ScaledDotProductAttention", inputs, opset=13, causal=dice.chance(0.25))
    y = quantized(net, y, 0.5)
    y = net.add("Transpose", [y, net.integers([0, 2, 1, 3])])
    y = net.add("Reshape", [y, net.integers([0, 0, count * width])], special_zero=True)
    return projection(net, quantized(net, y, 0.8), x.shape[-1])


# ---- positions and embeddings ----

def rotary(net, x):
    """x * cos + rotate_half(x) * sin of [N, heads, T, width]."""
    tokens, width = x.shape[2:]
    half = width // 2
    angles = np.arange(tokens)[:, None] / 100.0 ** (np.arange(width) % half / half)
    if net.dice.chance(0.5):
        first, second = net.outputs_of("VariadicSplit", [
            x, net.constant(np.array(3, np.int64), "i64"), net.constant([half, -1], "i64")])
    elif net.dice.chance(0.5):
        first, second = net.outputs_of("Split", [x, net.constant(np.array(-1, np.int64), "i64")],
                                       num_splits=2)
    else:
        first, second = (net.add("Slice", [x, *(net.constant([n], "i64") for n in (a, b, 1, 3))],
                                 opset=8) for a, b in ((0, half), (half, 2 ** 31 - 1)))
    negative = (net.add("Negative", [second]) if net.dice.chance(0.5)
                else arithmetic(net, "Multiply", second, -1.0))
    turned = net.add("Concat", [negative, first], axis=net.dice.pick((-1, 3)))
    cosine, sine = (net.constant(f(angles).reshape(1, 1, tokens, width)) for f in (np.cos, np.sin))
    return net.add("Add", [net.add("Multiply", [x, cosine]), net.add("Multiply", [turned, sine])])


def embedding(net, x):
    """Rows of an 8-bit table are added to tokens."""
    dice = net.dice
    if x.rank != 3:
        raise Rejected("no tokens")
    rows, width = dice.pick((3, 10, 50)), x.shape[2]
    kind = dice.pick(("i8", "u8"))
    table = net.constant(dice.random.integers(-128, 128, [rows, width]) + 128 * (kind == "u8"), kind)
    table = net.add("Convert", [table], destination_type="f32")
    per_row = dice.chance(0.7)
    if kind == "u8" or dice.chance(0.3):
        zero = dice.random.integers(-20, 148, [rows, 1] if per_row else [])
        table = net.add("Subtract", [table, net.constant(zero)])
    scale = dice.random.uniform(0.5, 1.5, [rows, 1] if per_row else []) / 64
    table = net.add("Multiply", [table, net.constant(scale)])
    if dice.chance(0.5):
        indices = net.parameter(dice.random.integers(0, rows, x.shape[:2]), "i64")
    else:
        indices = net.constant(dice.random.integers(0, rows, x.shape[:2]), "i64")
    picked = net.add("Gather", [table, indices, net.constant(np.array(0, np.int64), "i64")], opset=8,
                     batch_dims=0)
    return net.add("Add", [x, picked])


# ---- formulas ----

def gelu_by_hand(net, x):
    dice = net.dice
    if dice.chance(0.5):
        inner = (arithmetic(net, "Multiply", x, 2 ** -0.5) if dice.chance(0.5)
                 else net.add("Divide", [x, number(net, 2 ** 0.5)]))
        curve = net.add("Erf", [inner])
    else:
        form = dice.pick(("power", "products", "fast"))
        a, b = (2 / np.pi) ** 0.5, 0.044715
        if form == "fast":
            square = net.add("Multiply", [arithmetic(net, "Multiply", x, b), x])
            inner = net.add("Multiply", [arithmetic(net, "Multiply", x, a),
                                         arithmetic(net, "Add", square, 1.0)])
        else:
            cube = (net.add("Power", [x, number(net, 3.0)]) if form == "power"
                    else net.add("Multiply", [net.add("Multiply", [x, x]), x]))
            total = arithmetic(net, "Add", arithmetic(net, "Multiply", cube, b), x)
            inner = arithmetic(net, "Multiply", total, a)
        curve = net.add("Tanh", [inner])
    if dice.chance(0.3):
        return net.add("Multiply", [x, arithmetic(net, "Add", arithmetic(net, "Multiply", curve, 0.5), 0.5)])
    one = arithmetic(net, "Add", curve, 1.0)
    if dice.chance(0.5):
        return net.add("Multiply", [arithmetic(net, "Multiply", x, 0.5), one])
    return arithmetic(net, "Multiply", net.add("Multiply", [x, one]), 0.5)


def gate_by_hand(net, x):
    """Swish, HSwish, or a sigmoid alone."""
    dice = net.dice
    kind = dice.pick(("swish", "quotient", "sigmoid", "hswish"))
    if kind == "swish":
        inner = arithmetic(net, "Multiply", x, 1.702) if dice.chance(0.4) else x
        return net.add("Multiply", [x, net.add("Sigmoid", [inner])])
    if kind == "hswish":
        high = dice.pick((1.0, 6.0))
        inner = arithmetic(net, "Add", arithmetic(net, "Multiply", x, high / 6), high / 2)
        inner = (net.add("Minimum", [net.add("ReLU", [inner]), number(net, high)])
                 if dice.chance(0.5) else net.add("Clamp", [inner], min=0, max=high))
        return net.add("Multiply", [x, inner])
    minus = net.add("Negative", [x]) if dice.chance(0.5) else arithmetic(net, "Multiply", x, -1.0)
    total = arithmetic(net, "Add", net.add("Exp", [minus]), 1.0)
    return net.add("Divide", [x if kind == "quotient" else number(net, 1.0), total])


def softmax_by_hand(net, x):
    axis = net.integers([net.dice.pick((-1, x.rank - 1, 1))])
    if net.dice.chance(0.8):
        x = net.add("Subtract", [x, net.add("ReduceMax", [x, axis], keep_dims=True)])
    e = net.add("Exp", [x])
    return net.add("Divide", [e, net.add("ReduceSum", [e, axis], keep_dims=True)])


def rms_norm(net, x):
    dice = net.dice
    if x.shape[-1] < 2:
        raise Rejected("one value")
    x = quantized(net, x, 0.4)
    square = net.add("Power", [x, number(net, 2.0)]) if dice.chance(0.5) else net.add("Multiply", [x, x])
    mean = net.add("ReduceMean", [square, net.integers([-1])], keep_dims=True)
    total = arithmetic(net, "Add", mean, dice.pick((1e-5, 1e-2)))
    form = dice.pick(("quotient", "reciprocal", "power"))
    gain = net.constant(dice.random.uniform(0.5, 1.5, x.shape[-1:]))
    if form == "quotient":
        y = net.add("Divide", [x, net.add("Sqrt", [total])])
    else:
        root = (net.add("Power", [total, number(net, -0.5)]) if form == "power"
                else net.add("Divide", [number(net, 1.0), net.add("Sqrt", [total])]))
        if dice.chance(0.3):
            return quantized(net, net.add("Multiply", [x, net.add("Multiply", [root, gain])]), 0.6)
        y = net.add("Multiply", [x, root])
    if dice.chance(0.7):
        y = net.add("Multiply", [y, gain])
    return quantized(net, y, 0.6)


def formula(net, x):
    y = net.dice.pick((gelu_by_hand, gelu_by_hand, gate_by_hand, gate_by_hand, softmax_by_hand))(net, x)
    return quantized(net, y, 0.6)


def rotated(net, x):
    """Tokens as heads, turned by their positions."""
    if x.rank != 3 or x.shape[2] % 2:
        raise Rejected("no even width")
    count = net.dice.pick([n for n in (1, 2, 4) if x.shape[2] % (2 * n) == 0])
    y = rotary(net, heads(net, quantized(net, x, 0.6), count, False))
    return quantized(net, y, 0.5)
