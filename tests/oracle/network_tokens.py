# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Random layers of tokens, [..., T, D]: matrix products, attention, normalisation, softmax."""
import numpy as np

from network_builder import Rejected
from network_layers import MAX_PRODUCTS, followed, plain_activation, quantized
from network_quantizers import quantize, weights

WIDTHS = (1, 2, 3, 5, 8, 10, 16, 16, 24, 31, 32, 40, 64, 100, 128, 192, 256)


def swapped(net, x, probability):
    """The tensor with its last two dimensions exchanged by a Transpose, and the flag for MatMul."""
    if not net.dice.chance(probability):
        return x, False
    order = [*range(x.rank - 2), x.rank - 1, x.rank - 2]
    y = net.add("Transpose", [x, net.integers(order)])
    y.quantized = x.quantized
    return y, True


def fully_connected(net, x):
    dice = net.dice
    x = quantized(net, x)
    width, out = x.shape[-1], dice.pick(WIDTHS)
    if x.value.size * out > MAX_PRODUCTS or width * out > 40000:
        raise Rejected("too many products")
    transpose_b = dice.chance(0.6)
    shape, axis = ([out, width], 0) if transpose_b else ([width, out], 1)
    if x.rank > 2 and dice.chance(0.2):
        shape, axis = [1] * (x.rank - 2) + shape, axis + x.rank - 2
    w = weights(net, shape, (axis,), width)
    x, transpose_a = swapped(net, x, 0.15)
    y = net.add("MatMul", [x, w], transpose_a=transpose_a, transpose_b=transpose_b)
    return followed(net, y, axis=y.rank - 1)


def heads(net, x, count, turn):
    """[N, T, D] as [N, heads, T, D / heads]; turn: the last two the other way round."""
    n, t, d = x.shape
    y = net.add("Reshape", [x, net.integers([n, t, count, d // count])], special_zero=False)
    y = net.add("Transpose", [y, net.integers([0, 2, 3, 1] if turn else [0, 2, 1, 3])])
    y.quantized = x.quantized
    return y


def projection(net, x, width):
    w = weights(net, [width, x.shape[-1]], (0,), x.shape[-1])
    y = net.add("MatMul", [x, w], transpose_a=False, transpose_b=True)
    if net.dice.chance(0.7):
        y = net.add("Add", [y, net.constant(net.dice.normal([1, 1, width], 0.3))])
    return quantized(net, y, 0.85)


def attention(net, x):
    dice = net.dice
    if x.rank != 3 or x.shape[1] > 80:
        raise Rejected("no tokens")
    x = quantized(net, x)
    count, width = dice.pick((1, 2, 3, 4)), dice.pick((2, 4, 8, 16, 32))
    q, k, v = (projection(net, x, count * width) for _ in range(3))
    turn = dice.chance(0.5)
    q, k, v = heads(net, q, count, False), heads(net, k, count, turn), heads(net, v, count, False)
    late = dice.chance(0.3)     # quantizers after the Transposes
    q, k, v = (quantized(net, t, 0.9 if late else 0.1) for t in (q, k, v))
    scores = net.add("MatMul", [q, k], transpose_a=False, transpose_b=not turn)
    scores = net.add("Multiply", [scores, net.constant(np.array(width ** -0.5))])
    if dice.chance(0.3):
        mask = np.where(dice.random.random([1, 1, 1, x.shape[1]]) < 0.3, -50.0, 0.0)
        scores = net.add("Add", [scores, net.constant(mask)])
    scores = quantized(net, scores, 0.2)
    shares = quantized(net, softmax(net, scores, scores.rank - 1), 0.8)
    y = net.add("MatMul", [shares, v], transpose_a=False, transpose_b=False)
    y = quantized(net, y, 0.5)
    y = net.add("Transpose", [y, net.integers([0, 2, 1, 3])])
    y = net.add("Reshape", [y, net.integers([0, 0, count * width])], special_zero=True)
    return projection(net, quantized(net, y, 0.8), x.shape[-1])


def product(net, x):
    """Of two activations."""
    dice = net.dice
    if x.rank < 2 or x.shape[-2] > 100 or x.value.size * x.shape[-2] > MAX_PRODUCTS:
        raise Rejected("too many products")
    a = quantize(net, x) if dice.chance(0.3) else quantized(net, x)
    b = quantized(net, plain_activation(net, x))
    form = dice.pick(("a bt", "at b", "b swapped"))
    if form == "b swapped":
        b = net.add("Transpose", [b, net.integers([*range(x.rank - 2), x.rank - 1, x.rank - 2])])
    y = net.add("MatMul", [a, b], transpose_a=form == "at b", transpose_b=form == "a bt")
    y = net.add("Multiply", [y, net.constant(np.array(1 / max(np.abs(y.value).max(), 1e-3)))])
    return quantized(net, y, 0.5)


def softmax(net, x, axis=None):
    axis = net.dice.number(1, x.rank - 1) if axis is None else axis
    return net.add("SoftMax", [x], opset=net.dice.pick((1, 8)), axis=axis)


def length_norm(net, x):
    axes = net.dice.pick(([1], [x.rank - 1], list(range(1, x.rank))))
    y = net.add("NormalizeL2", [quantized(net, x, 0.5), net.integers(axes)], eps=1e-3,
                eps_mode=net.dice.pick(("add", "max")))
    return quantized(net, y, 0.6)


def layer_norm(net, x):
    """As one MVN or by hand, then scale and shift."""
    dice = net.dice
    axes = [x.rank - 1] if x.rank < 4 or dice.chance(0.4) else list(range(2, x.rank))
    if np.prod([x.shape[a] for a in axes]) < 2:
        raise Rejected("one value")
    x = quantized(net, x, 0.5)
    eps = dice.pick((1e-5, 1e-3))
    if dice.chance(0.5):
        y = net.add("MVN", [x, net.integers(axes)], opset=6, eps=eps, normalize_variance=True,
                    eps_mode=dice.pick(("inside_sqrt", "outside_sqrt")))
    else:
        index = net.integers(axes)
        centred = net.add("Subtract", [x, net.add("ReduceMean", [x, index], keep_dims=True)])
        square = (net.add("Power", [centred, net.constant(np.array(2.0))]) if dice.chance(0.5)
                  else net.add("Multiply", [centred, centred]))
        variance = net.add("ReduceMean", [square, index], keep_dims=True)
        root = net.add("Sqrt", [net.add("Add", [variance, net.constant(np.array(eps))])])
        y = net.add("Divide", [centred, root])
    channel = x.rank - 1 if axes[0] == x.rank - 1 else 1
    shape = [n if i == channel else 1 for i, n in enumerate(x.shape)]
    if dice.chance(0.8):
        y = net.add("Multiply", [y, net.constant(dice.random.uniform(0.5, 1.5, shape))])
        y = net.add("Add", [y, net.constant(dice.normal(shape, 0.3))])
    return quantized(net, y, 0.6)
