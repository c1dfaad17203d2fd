# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Random layers that join, cut and move tensors of any rank, and sums of two tensors."""
import numpy as np

from network_builder import Rejected
from network_layers import activation, plain_activation, quantized


def partner(net, x, tensors):
    """Another live tensor of the same shape, the tensor itself, or a constant."""
    same = [t for t in tensors if t.shape == x.shape and t is not x]
    if same:
        return net.dice.pick(same)
    if net.dice.chance(0.3):
        return net.constant(net.dice.normal(x.shape))
    flipped = net.add("Tanh" if net.dice.chance(0.3) else "Negative", [x])
    return quantized(net, flipped, 0.7)


def residual(net, x, tensors):
    dice = net.dice
    other = partner(net, x, tensors)
    x, other = quantized(net, x, 0.75), quantized(net, other, 0.75)
    kind = dice.pick(("Add",) * 8 + ("Subtract", "Multiply", "Maximum", "Minimum", "SquaredDifference"))
    y = net.add(kind, [x, other] if dice.chance(0.5) else [other, x], name="join")
    if dice.chance(0.4):
        y = activation(net, y) if y.rank > 2 else plain_activation(net, y)
    return quantized(net, y, 0.7)


def scaled_by_position(net, x):
    """By a constant of the spatial or of the full shape: no factor of channels."""
    dice = net.dice
    first = dice.pick((0, 1, 2)) if x.rank > 2 else 1
    shape = [n if i >= first else 1 for i, n in enumerate(x.shape)]
    y = net.add(dice.pick(("Add", "Multiply", "Subtract")), [x, net.constant(dice.normal(shape))])
    return quantized(net, y, 0.6)


def concat(net, x, tensors):
    dice = net.dice
    axis = 1 if dice.chance(0.7) else dice.number(0, x.rank - 1)

    def fits(t):
        return t.rank == x.rank and all(
            a == b for i, (a, b) in enumerate(zip(t.shape, x.shape)) if i != axis)

    parts = [x] + [t for t in tensors if fits(t) and dice.chance(0.6)][:3]
    if len(parts) == 1:
        parts.append(quantized(net, net.add("ReLU", [x]), 0.8))
    dice.random.shuffle(parts)
    parts = [quantized(net, t, 0.6) for t in parts]
    return quantized(net, net.add("Concat", parts, axis=axis), 0.3, 1)


def cut(net, x):
    """Several tensors."""
    dice = net.dice
    axes = [i for i, n in enumerate(x.shape) if n > 1]
    if not axes:
        raise Rejected("nothing to cut")
    axis = 1 if 1 in axes and dice.chance(0.7) else dice.pick(axes)
    size = x.shape[axis]
    index = net.constant(np.array(axis, np.int64), "i64")
    if dice.chance(0.5):
        parts = dice.pick([n for n in range(2, size + 1) if size % n == 0])
        if parts > 4:
            raise Rejected("many parts")
        results = net.outputs_of("Split", [x, index], num_splits=parts)
    else:
        first = dice.number(1, size - 1)
        lengths = net.constant(np.array([first, -1 if dice.chance(0.3) else size - first]), "i64")
        results = net.outputs_of("VariadicSplit", [x, index, lengths])
    for tensor in results:
        tensor.quantized = x.quantized
    return results


def moved(net, x, kind, inputs, **attributes):
    y = net.add(kind, [x, *inputs], **attributes)
    y.quantized = x.quantized
    return y


def shuffle(net, x):
    """Channel shuffle: Reshape, Transpose, Reshape."""
    n, c, *sizes = x.shape
    groups = [g for g in range(2, c) if c % g == 0]
    if not groups:
        raise Rejected("no groups of channels")
    g = net.dice.pick(groups)
    y = moved(net, x, "Reshape", [net.integers([n, g, c // g, *sizes])], special_zero=True)
    y = moved(net, y, "Transpose", [net.integers([0, 2, 1, *range(3, y.rank)])])
    return moved(net, y, "Reshape", [net.integers([n, c, *sizes])], special_zero=False)


def space(net, x):
    """Between channels and space; images only."""
    if x.rank != 4 or x.shape[1] % 4:
        raise Rejected("channels are no multiple of 4")
    return moved(net, x, "DepthToSpace", [], mode=net.dice.pick(("blocks_first", "depth_first")),
                 block_size=2)


def pad(net, x):
    dice = net.dice
    spatial = [i for i in range(x.rank) if i >= 2 or dice.chance(0.1)]
    begin = [dice.number(0, 2) if i in spatial else 0 for i in range(x.rank)]
    end = [dice.number(0, 2) if i in spatial else 0 for i in range(x.rank)]
    mode = dice.pick(("constant", "constant", "edge", "reflect", "symmetric"))
    if mode != "constant" and any(n < 4 for n in x.shape):
        begin = [min(b, 1) if n > 1 else 0 for b, n in zip(begin, x.shape)]
        end = [min(e, 1) if n > 1 else 0 for e, n in zip(end, x.shape)]
    value = [net.constant(np.array(dice.pick((0.0, 0.0, 0.3, -1.0))))] if mode == "constant" else []
    return moved(net, x, "Pad", [net.integers(begin), net.integers(end), *value], pad_mode=mode)


def crop(net, x):
    dice = net.dice
    begin = [dice.number(0, (n - 1) // 3) for n in x.shape]
    end = [dice.number(b + 1, n) if dice.chance(0.4) else n for b, n in zip(begin, x.shape)]
    steps = [dice.pick((1, 1, 1, 2)) if i != 0 else 1 for i in range(x.rank)]
    none = [0] * x.rank
    return moved(net, x, "StridedSlice", [net.integers(v) for v in (begin, end, steps)],
                 begin_mask=none, end_mask=none)


def gather(net, x):
    dice = net.dice
    axis = dice.number(1, x.rank - 1)
    index = [dice.number(0, x.shape[axis] - 1) for _ in range(dice.number(1, min(8, x.shape[axis])))]
    axis = net.constant(np.array(axis, np.int64), "i64")
    return moved(net, x, "Gather", [net.integers(index), axis], opset=dice.pick((7, 8)), batch_dims=0)


def transposed(net, x):
    order = list(range(x.rank))
    if net.dice.chance(0.5):
        order = [0, *range(2, x.rank), 1]
    else:
        net.dice.random.shuffle(order)
    return moved(net, x, "Transpose", [net.integers([int(i) for i in order])])


def repeated(net, x):
    dice = net.dice
    axis = dice.number(1, x.rank - 1)
    if dice.chance(0.5):
        return moved(net, x, "Tile", [net.integers([2 if i == axis else 1 for i in range(x.rank)])])
    if x.shape[axis] != 1:
        raise Rejected("nothing to repeat")
    shape = [3 if i == axis else n for i, n in enumerate(x.shape)]
    return moved(net, x, "Broadcast", [net.integers(shape)], opset=3, mode=dice.pick(("numpy", "bidirectional")))


def reduced(net, x):
    dice = net.dice
    if dice.chance(0.6):
        axes = list(range(2, x.rank)) or [1]
    else:
        axes = sorted({dice.number(1, x.rank - 1) for _ in range(2)})
    kind = dice.pick(("ReduceMean",) * 4 + ("ReduceMax", "ReduceMin", "ReduceSum"))
    y = net.add(kind, [x, net.integers(axes)], keep_dims=x.rank - len(axes) < 2 or dice.chance(0.7))
    return quantized(net, y, 0.4)


def reshaped(net, x):
    """Flat, to rows of tokens, or with dimensions of 1."""
    dice = net.dice
    form = dice.pick(("flat", "tokens", "ones", "no ones"))
    if form == "flat":
        return moved(net, x, "Reshape", [net.integers([x.shape[0], -1])], special_zero=False)
    if form == "tokens" and x.rank > 2:
        y = moved(net, x, "Reshape", [net.integers([0, 0, -1])], special_zero=True)
        return moved(net, y, "Transpose", [net.integers([0, 2, 1])]) if dice.chance(0.7) else y
    if form == "no ones" and x.rank > 2 and 1 in x.shape[2:]:
        return moved(net, x, "Squeeze", [net.integers([x.shape.index(1, 2)])])
    if x.rank < 5:
        return moved(net, x, "Unsqueeze", [net.integers([dice.number(1, x.rank)])])
    raise Rejected("rank")


MOVES = (scaled_by_position, transposed, reshaped, pad, crop, gather, repeated, reduced)
