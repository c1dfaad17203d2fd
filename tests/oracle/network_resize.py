# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Linear Interpolates of images and what networks make of them: branches of several sizes that are summed
(HRNet), joined (UNet, FPN) or gated, and read by several quantizers."""
import math

from network_builder import Rejected
from network_layers import activation, followed, gate, per_channel, quantized
from network_quantizers import quantize, weights

MAX_ELEMENTS = 200_000


def linear(net, x, sizes=None):
    """To `sizes`, or to some sizes of its own choice."""
    dice = net.dice
    if x.rank < 3:
        raise Rejected("no image")
    axes = list(range(2, x.rank))
    factors = [dice.pick((0.5, 1, 1.5, 2, 2, 2, 3, 4))] * len(axes)
    if dice.chance(0.2):
        factors = [dice.pick((0.5, 1, 2, 3)) for _ in axes]
    by = "sizes" if sizes or dice.chance(0.5) else "scales"
    sizes = sizes or [int(x.shape[a] * f) for a, f in zip(axes, factors)]
    if not 0 < x.shape[0] * x.shape[1] * math.prod(sizes) <= MAX_ELEMENTS:
        raise Rejected("an empty or a large image")
    scales = [s / x.shape[a] for s, a in zip(sizes, axes)] if by == "sizes" else factors
    coordinates = ("half_pixel", "half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel")
    return net.add("Interpolate", [x, net.integers(sizes), net.constant(scales), net.integers(axes)], opset=4,
                   mode=dice.pick(("linear_onnx", "linear_onnx", "linear")), shape_calculation_mode=by,
                   coordinate_transformation_mode=dice.pick(coordinates))


def read_by_several(net, x):
    """One to three quantizations, which may differ."""
    return [quantize(net, x) for _ in range(net.dice.pick((1, 1, 2, 3)))]


def resized(net, x):
    """A linear Interpolate of integers mostly, with or without something after it."""
    dice = net.dice
    y = linear(net, quantized(net, x, 0.9))
    if dice.chance(0.3):
        y = gate(net, y)
    elif dice.chance(0.4):
        y = followed(net, y)
    return read_by_several(net, y) if dice.chance(0.6) else quantized(net, y, 0.5)


def branch(net, x, sizes, channels):
    """A convolution to a smaller image, or none, resized to `sizes`."""
    dice, rank = net.dice, x.rank - 2
    step = dice.pick((1, 2, 2, 4))
    if any(n < step for n in x.shape[2:]):
        raise Rejected("a small image")
    x = quantized(net, x)
    w = weights(net, [channels, x.shape[1]] + [step] * rank, (0,), x.shape[1] * step ** rank)
    y = net.add("Convolution", [x, w], strides=[step] * rank, dilations=[1] * rank, pads_begin=[0] * rank,
                pads_end=[0] * rank)
    if dice.chance(0.7):
        y = net.add("Add", [y, per_channel(net, y, -0.5, 0.5)])
    y = quantized(net, y, 0.85)
    return y if step == 1 and dice.chance(0.7) else linear(net, y, sizes)


def branches(net, x):
    """Two to four branches of `x`, summed or joined, for one to three readers."""
    dice = net.dice
    sizes, channels = x.shape[2:], dice.pick((3, 8, 16, 17, 32))
    parts = [branch(net, x, sizes, channels) for _ in range(dice.number(2, 4))]
    if x.shape[1] == channels and dice.chance(0.5):
        parts.append(x)
    if dice.chance(0.25):
        return read_by_several(net, net.add("Concat", parts, axis=1))
    y = parts[0]
    for part in parts[1:]:
        y = net.add("Add", [y, part] if dice.chance(0.5) else [part, y])
        if dice.chance(0.15):
            y = quantize(net, y)
    if dice.chance(0.7):
        y = activation(net, y)
    return read_by_several(net, y)
