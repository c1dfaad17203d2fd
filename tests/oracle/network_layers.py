# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Random layers of images, [N, C, ...]: convolutions, pooling, activations, resizing.

Every function takes the network and a tensor and gives a tensor; Rejected where the layer does not
go with the tensor.
"""
import numpy as np

from network_builder import Rejected
from network_quantizers import quantize, weights

CHANNELS = (1, 2, 3, 4, 5, 8, 8, 12, 16, 16, 17, 24, 32, 32, 33, 48, 64, 96)
MAX_PRODUCTS = 4e6


def quantized(net, tensor, probability=0.9, axis=None):
    """The tensor itself where it is quantized already, mostly."""
    if tensor.quantized and not net.dice.chance(0.05) or not net.dice.chance(probability):
        return tensor
    return quantize(net, tensor, axis)


def per_channel(net, tensor, low, high, axis=1):
    """A constant: a number, or one a channel."""
    if net.dice.chance(0.3):
        return net.constant(np.full(net.dice.pick(((), (1,) * tensor.rank)), net.dice.real(low, high)))
    shape = [n if i == axis else 1 for i, n in enumerate(tensor.shape)]
    return net.constant(net.dice.random.uniform(low, high, shape))


def slope(net, tensor):
    values = net.dice.random.uniform(-0.3 if net.dice.chance(0.2) else 0.0, 0.5, tensor.shape[1])
    form = net.dice.pick(("one", "vector", "full rank"))
    if form == "one":
        return net.constant(values[:1])
    return net.constant(values if form == "vector" else values.reshape((1, -1) + (1,) * (tensor.rank - 2)))


def activation(net, x):
    dice = net.dice
    kind = dice.pick(("ReLU",) * 6 + ("PReLU",) * 2 + ("Clamp",) * 2 + (
        "Swish", "HSwish", "Elu", "Sigmoid", "Tanh", "Gelu", "HSigmoid", "HardSigmoid", "Abs",
        "Negative", "Swish by hand", "HSwish by hand", "Exp", "Erf", "Sqrt", "Power"))
    if kind == "PReLU":
        return net.add(kind, [x, slope(net, x)])
    if kind == "Clamp":
        low, high = dice.pick(((0, 6), (0, 1), (-1, 1), (-0.5, 2.5), (0.25, 3)))
        return net.add(kind, [x], min=low, max=high)
    if kind == "Swish":
        beta = [net.constant(np.array(dice.real(0.5, 2)))] if dice.chance(0.4) else []
        return net.add(kind, [x, *beta], opset=4)
    if kind == "Sqrt":     # steep next to zero
        return net.add(kind, [net.add("Add", [net.add("ReLU", [x]), net.constant(np.array(0.1))])])
    if kind == "Power":
        return net.add(kind, [x, net.constant(np.array(2.0))])
    if kind == "Elu":
        return net.add(kind, [x], alpha=dice.real(0.2, 1.5))
    if kind == "Gelu":
        if dice.chance(0.5):
            return net.add(kind, [x], opset=2)
        return net.add(kind, [x], opset=7, approximation_mode=dice.pick(("ERF", "TANH")))
    if kind == "HardSigmoid":
        return net.add(kind, [x, net.constant(np.array(0.2)), net.constant(np.array(0.5))])
    if kind == "Swish by hand":
        return net.add("Multiply", [x, net.add("Sigmoid", [x])])
    if kind == "HSwish by hand":
        gate = net.add("Clamp", [net.add("Add", [x, net.constant(np.array(3.0))])], min=0, max=6)
        return net.add("Multiply", [net.add("Multiply", [x, gate]), net.constant(np.array(1 / 6))])
    return net.add(kind, [x], opset={"HSwish": 4, "HSigmoid": 5}.get(kind, 1))


def followed(net, x, axis=1):
    """What stands between a product and the next quantizer: bias, scale, activation, in any number."""
    dice = net.dice
    if dice.chance(0.7):
        x = net.add("Add", [x, per_channel(net, x, -0.5, 0.5, axis)])
    if dice.chance(0.15):
        low = -0.5 if dice.chance(0.2) else 0.5
        x = net.add(dice.pick(("Multiply", "Multiply", "Divide")), [x, per_channel(net, x, low, 2.0, axis)])
        x = net.add(dice.pick(("Add", "Subtract")), [x, per_channel(net, x, -0.5, 0.5, axis)])
    if dice.chance(0.6):
        x = activation(net, x) if axis == 1 else plain_activation(net, x)
    if dice.chance(0.05):
        x = activation(net, x) if axis == 1 else plain_activation(net, x)
    return quantized(net, x, 0.6, axis) if dice.chance(0.6) else x


def plain_activation(net, x):
    kind = net.dice.pick(("ReLU", "Gelu", "Tanh", "Sigmoid", "Swish"))
    return net.add(kind, [x], opset={"Gelu": 7, "Swish": 4}.get(kind, 1))


def window(net, sizes, largest=5):
    """kernel, strides, dilations of a window over an image of these sizes."""
    dice = net.dice
    square = dice.pick((1, 1, 2, 3, 3, 3, 5))
    kernel = [min(square if dice.chance(0.8) else dice.number(1, largest), largest) for _ in sizes]
    stride = dice.pick((1, 1, 1, 2, 2, 3))
    strides = [stride if dice.chance(0.9) else dice.number(1, 2) for _ in sizes]
    dilations = [dice.pick((1, 1, 1, 1, 1, 1, 2)) if dice.chance(0.5) else 1 for _ in sizes]
    return kernel, strides, dilations


def padding(net, sizes, kernel, dilations):
    """Attributes; Rejected where the window is larger than the padded image."""
    dice = net.dice
    zeros = [0] * len(sizes)
    mode = dice.pick(("explicit",) * 5 + ("same_upper", "same_lower", "valid"))
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilations)]
    begin, end = zeros, zeros
    if mode == "explicit":
        begin = [r // 2 if dice.chance(0.7) else dice.number(0, r - 1) for r in reach]
        end = begin if dice.chance(0.7) else [dice.number(0, r - 1) for r in reach]
    if not mode.startswith("same") and any(
            n + b + e < r for n, b, e, r in zip(sizes, begin, end, reach)):
        raise Rejected("a window larger than the image")
    return {"pads_begin": begin, "pads_end": end, "auto_pad": mode}


def check_products(out, w):
    """Of a convolution, so that the oracle stays fast."""
    if out.value.size * np.prod(w.shape[1:], dtype=float) > MAX_PRODUCTS * (w.rank - out.rank + 1):
        raise Rejected("too many products")


def convolution(net, x):
    dice = net.dice
    x = quantized(net, x)
    channels, sizes = x.shape[1], x.shape[2:]
    kernel, strides, dilations = window(net, sizes)
    attributes = {"strides": strides, "dilations": dilations, **padding(net, sizes, kernel, dilations)}
    out = dice.pick(CHANNELS)
    w = weights(net, [out, channels, *kernel], (0,), channels * np.prod(kernel))
    y = net.add("Convolution", [x, w], name="conv", **attributes)
    check_products(y, w)
    return followed(net, y)


def group_convolution(net, x):
    dice = net.dice
    x = quantized(net, x, axis=1)
    channels, sizes = x.shape[1], x.shape[2:]
    kernel, strides, dilations = window(net, sizes)
    attributes = {"strides": strides, "dilations": dilations, **padding(net, sizes, kernel, dilations)}
    groups = channels
    if dice.chance(0.3):
        groups = dice.pick([g for g in range(1, channels + 1) if channels % g == 0])
    inside = channels // groups
    out = dice.pick((1, 1, 2)) if inside == 1 else dice.pick((1, 2, inside))
    w = weights(net, [groups, out, inside, *kernel], (0, 1), inside * np.prod(kernel))
    y = net.add("GroupConvolution", [x, w], name="group_conv", **attributes)
    return followed(net, y)


def deconvolution(net, x):
    dice = net.dice
    x = quantized(net, x)
    channels, sizes = x.shape[1], x.shape[2:]
    kernel = [dice.number(1, 4) for _ in sizes]
    strides = [dice.pick((1, 2, 2, 3)) for _ in sizes]
    dilations = [dice.number(1, 2) if dice.chance(0.1) else 1 for _ in sizes]
    attributes = {"strides": strides, "dilations": dilations}
    full = [(n - 1) * s + (k - 1) * d + 1 for n, s, k, d in zip(sizes, strides, kernel, dilations)]
    shape = []
    if dice.chance(0.3):
        shape = [net.integers([dice.number(max(f - k + 1, 1), f) for f, k in zip(full, kernel)])]
        attributes["auto_pad"] = dice.pick(("same_upper", "same_lower"))
    else:
        begin = [dice.number(0, k // 2) for k in kernel]
        end = begin if dice.chance(0.7) else [dice.number(0, k // 2) for k in kernel]
        attributes |= {"pads_begin": begin, "pads_end": end, "auto_pad": "explicit"}
        if dice.chance(0.4):
            attributes["output_padding"] = [dice.number(0, s - 1) for s in strides]
        extra = attributes.get("output_padding", [0] * len(sizes))
        if any(f + e - a - b < 1 for f, e, a, b in zip(full, extra, begin, end)):
            raise Rejected("nothing is left")
    if dice.chance(0.3):
        groups = dice.pick([g for g in range(1, channels + 1) if channels % g == 0])
        w = weights(net, [groups, channels // groups, dice.pick((1, 2)), *kernel], (0, 2),
                    channels // groups * np.prod(kernel))
        return followed(net, net.add("GroupConvolutionBackpropData", [x, w, *shape], **attributes))
    w = weights(net, [channels, dice.pick(CHANNELS), *kernel], (1,), channels * np.prod(kernel))
    y = net.add("ConvolutionBackpropData", [x, w, *shape], name="deconv", **attributes)
    check_products(y, w)
    return followed(net, y)


def pool(net, x):
    dice = net.dice
    sizes = x.shape[2:]
    kernel, strides, _ = window(net, sizes, 3)
    attributes = {"kernel": kernel, "strides": strides, **padding(net, sizes, kernel, [1] * len(sizes))}
    opset = dice.pick((1, 14))
    attributes["rounding_type"] = dice.pick(("floor", "ceil", "ceil_torch") if opset == 14 else ("floor", "ceil"))
    kind = dice.pick(("MaxPool", "AvgPool"))
    if kind == "AvgPool":
        attributes["exclude_pad"] = dice.chance(0.5)
    y = net.add(kind, [quantized(net, x, 0.5)], opset, **attributes)
    if kind == "MaxPool" and x.quantized:
        y.quantized = True
    return quantized(net, y, 0.4)


def interpolate(net, x):
    dice = net.dice
    axes = list(range(2, x.rank))
    factors = [dice.pick((0.5, 1, 1.5, 2, 2, 3)) for _ in axes]
    sizes = [max(1, int(x.shape[a] * f)) for a, f in zip(axes, factors)]
    by = dice.pick(("sizes", "scales"))
    scales = [s / x.shape[a] for s, a in zip(sizes, axes)] if by == "sizes" else factors
    inputs = [x, net.integers(sizes), net.constant(scales), net.integers(axes)]
    return net.add("Interpolate", inputs, opset=4, mode="nearest", shape_calculation_mode=by,
                   coordinate_transformation_mode=dice.pick(("asymmetric", "half_pixel", "align_corners")),
                   nearest_mode=dice.pick(("floor", "round_prefer_floor", "round_prefer_ceil", "simple")))


def inverted_residual(net, x):
    """A wider 1x1, a depthwise 3x3, a 1x1 back, and the sum."""
    dice, rank = net.dice, x.rank - 2
    first = x = quantized(net, x)
    plain = {"strides": [1] * rank, "dilations": [1] * rank, "pads_begin": [0] * rank, "pads_end": [0] * rank}
    wide = dice.pick((8, 16, 24, 48, 64, 96))
    y = net.add("Convolution", [x, weights(net, [wide, x.shape[1]] + [1] * rank, (0,), x.shape[1])], **plain)
    y = net.add("Add", [y, per_channel(net, y, -0.5, 0.5)])
    y = quantize(net, activation(net, y), 1)
    size = dice.pick((3, 3, 5))
    same = plain | {"pads_begin": [size // 2] * rank, "pads_end": [size // 2] * rank}
    w = weights(net, [wide, 1, 1] + [size] * rank, (0, 1), size ** rank)
    y = net.add("GroupConvolution", [y, w], **same)
    y = net.add("Add", [y, per_channel(net, y, -0.5, 0.5)])
    y = quantize(net, activation(net, y))
    y = net.add("Convolution", [y, weights(net, [x.shape[1], wide] + [1] * rank, (0,), wide)], **plain)
    y = net.add("Add", [y, per_channel(net, y, -0.5, 0.5)])
    y = net.add("Add", [quantized(net, y, 0.8), first])
    return quantized(net, y, 0.8)


def gate(net, x):
    """Squeeze and excite: a factor for every channel, from its mean."""
    dice = net.dice
    axes = net.integers(list(range(2, x.rank)))
    mean = net.add("ReduceMean", [x, axes], keep_dims=True)
    ones = {"strides": [1] * (x.rank - 2), "dilations": [1] * (x.rank - 2),
            "pads_begin": [0] * (x.rank - 2), "pads_end": [0] * (x.rank - 2)}
    hidden = dice.pick((2, 3, 8))
    for out, last in ((hidden, False), (x.shape[1], True)):
        mean = quantized(net, mean)
        w = weights(net, [out, mean.shape[1]] + [1] * (x.rank - 2), (0,), mean.shape[1])
        mean = net.add("Convolution", [mean, w], name="conv", **ones)
        mean = net.add("Add", [mean, per_channel(net, mean, -0.5, 0.5)])
        mean = net.add("Sigmoid" if last else "ReLU", [mean])
    return net.add("Multiply", [quantized(net, x, 0.5), quantized(net, mean, 0.5)])
