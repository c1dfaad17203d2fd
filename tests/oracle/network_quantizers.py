# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""FakeQuantize layers of activations, and quantized weights, in the spellings that IRs have."""
import numpy as np


def limits_of(net, low, high):
    """(input low, input high, levels) of a quantizer for values from low to high; arrays."""
    dice = net.dice
    levels = dice.pick((256,) * 12 + (255,) * 3 + (16,) * 2 + (2, 5, 128, 257, 1024))
    factor = dice.real(0.6, 1.15)
    low, high = low * factor, high * factor
    wide = np.maximum(np.abs(low), np.abs(high))
    kind = dice.pick(("unsigned", "symmetric", "asymmetric", "whole zero point", "above zero"))
    if kind == "unsigned" and high.min() > 0:
        return np.zeros_like(low), high, levels
    if kind == "symmetric" or kind == "unsigned":
        return -wide * (levels // 2) / max((levels - 1) // 2, 1), wide, levels
    if kind == "above zero":     # a range that need not hold zero
        return low, high, levels
    low, high = np.minimum(low, 0), np.maximum(high, 0)
    if kind == "whole zero point":
        step = (high - low) / (levels - 1)
        low = np.rint(low / step) * step
        high = low + step * (levels - 1)
    return low, high, levels


def channel_ranges(net, tensor, axis):
    """Smallest and largest value, of the tensor or of every channel, in shapes that broadcast."""
    value = tensor.value
    if axis is not None:
        axes = tuple(i for i in range(value.ndim) if i != axis)
        low, high = value.min(axis=axes, keepdims=True), value.max(axis=axes, keepdims=True)
    else:
        shape = net.dice.pick(((), (1,), (1,) * value.ndim))
        low, high = np.full(shape, value.min()), np.full(shape, value.max())
    return low, np.where(high - low < 1e-2, low + 1.0, high)


def stored_limits(net, values):
    """The constants of a quantizer; v11 spells f16 as Const -> Convert."""
    kind = "f16" if net.dice.chance(0.1) else "f32"
    result = []
    for value in values:
        constant = net.constant(value, kind)
        result.append(net.add("Convert", [constant], destination_type="f32")
                      if kind == "f16" and net.version == 11 else constant)
    return result


def quantize(net, tensor, axis=None, plain=False):
    """A FakeQuantize of the tensor; per channel of `axis` now and then. plain: the output range is
    the input range."""
    dice = net.dice
    if axis is not None and (not dice.chance(0.2) or tensor.shape[axis] > 64):
        axis = None
    low, high, levels = limits_of(net, *channel_ranges(net, tensor, axis))
    if dice.chance(0.01):
        low, high = high, low
    kind = dice.pick(("same",) * 14 + ("scaled", "moved", "scaled by channel", "integer", "integer"))
    if plain or kind == "same":
        limits = stored_limits(net, [low, high])
        return _fake_quantize(net, tensor, limits + limits, levels)
    if kind == "integer" and levels <= 256:
        return _integer_output(net, tensor, low, high, levels)
    out_low, out_high = low, high
    if kind == "scaled":
        factor = dice.real(0.25, 2.0)
        out_low, out_high = low * factor, high * factor
    elif kind == "scaled by channel" and tensor.rank > 1:
        axis = 1 if axis is None else axis
        factor = dice.random.uniform(0.25, 2.0, [n if i == axis else 1 for i, n in enumerate(tensor.shape)])
        out_low, out_high = low * factor, high * factor
    else:
        offset = dice.real(-0.3, 0.3) * (high - low)
        out_low, out_high = low + offset, high + offset
    return _fake_quantize(net, tensor, stored_limits(net, [low, high, out_low, out_high]), levels)


def _fake_quantize(net, tensor, limits, levels):
    result = net.add("FakeQuantize", [tensor, *limits], levels=levels, auto_broadcast="numpy", name="fq")
    result.quantized = True
    return result


def _integer_output(net, tensor, low, high, levels):
    """Quantizes to whole numbers, and back by Subtract and Multiply."""
    dice = net.dice
    first = -(levels // 2) if dice.chance(0.5) else 0
    ends = net.constant(np.array(first)), net.constant(np.array(first + levels - 1))
    whole = _fake_quantize(net, tensor, [*stored_limits(net, [low, high]), *ends], levels)
    step = (high - low) / (levels - 1)
    zero = first - low / step
    if dice.chance(0.7):
        zero = np.clip(np.rint(zero), -128, 255)
    if dice.chance(0.5):
        kind = "u8" if first == 0 else "i8"
        whole = net.add("Convert", [whole], destination_type=kind)
        if dice.chance(0.1):
            net.result(whole)
        whole = net.add("Convert", [whole], destination_type="f32")
    if np.any(zero != 0):
        whole = net.add("Subtract", [whole, net.constant(zero)])
    result = net.add("Multiply", [whole, net.constant(step)])
    result.quantized = True
    return result


def channel_scales(net, shape, axes, deviation):
    """Steps of weights: one for all, or one for every channel along the axes."""
    dice = net.dice
    if dice.chance(0.03):     # not of output channels: such weights stay in float
        axes = (dice.number(0, len(shape) - 1),)
    dims = [n if i in axes else 1 for i, n in enumerate(shape)]
    if dice.chance(0.3):
        dims = [1] * len(shape)
    scales = deviation * 3 / 127 * dice.random.uniform(0.5, 1.5, dims)
    if dice.chance(0.1):
        scales *= dice.random.choice([-1.0, 1.0], dims)    # after a folded batch norm
    if dice.chance(0.05):
        scales[dice.random.random(dims) < 0.2] *= 1e-3     # channels that are nearly off
    return scales.astype(np.float32).astype(np.float64)


def weights(net, shape, axes, fan_in):
    """Weights of a random spelling, or those of another layer. axes: those of the output channels."""
    others = [t for t in net.weights if t.shape == tuple(shape)]
    if others and net.dice.chance(0.1):
        return net.dice.pick(others)
    net.weights.append(_new_weights(net, shape, axes, fan_in))
    return net.weights[-1]


def _new_weights(net, shape, axes, fan_in):
    dice = net.dice
    deviation = 1 / np.sqrt(max(fan_in, 1))
    spelling = dice.pick(("i8", "i8", "i8", "i8 subtract", "f32", "f32", "u8", "float"))
    scale = channel_scales(net, shape, axes, deviation)
    steps = np.clip(np.rint(dice.normal(shape, 40)), -127, 127)
    if spelling == "float":
        return net.constant(steps * scale)
    if spelling.startswith("i8"):
        value = net.add("Convert", [net.constant(steps, "i8", "weights")], destination_type="f32")
        if spelling == "i8 subtract":
            value = net.add("Subtract", [value, net.constant(_subtrahend(net, scale.shape))])
        return net.add("Multiply", [value, net.constant(scale)])
    scale = np.abs(scale)
    ends = [net.constant(-127 * scale), net.constant(127 * scale)]
    attributes = {"levels": 255, "auto_broadcast": "numpy", "name": "weights_fq"}
    if spelling == "u8":
        value = net.add("Convert", [net.constant(steps + 127, "u8", "weights")], destination_type="f32")
        bytes_ = [net.constant(np.array(0.0)), net.constant(np.array(254.0))]
        return net.add("FakeQuantize", [value, *bytes_, *ends], **attributes)
    # Not near the middle of two steps: f32 could not decide it.
    noise = dice.random.uniform(-0.4, 0.4, shape)
    value = net.constant((steps + noise) * scale, name="weights")
    return net.add("FakeQuantize", [value, *ends, *ends], **attributes)


def _subtrahend(net, shape):
    """Noise next to zero as old model optimizers wrote it, or a zero point."""
    if net.dice.chance(0.6):
        return net.dice.random.choice([0.0, 7.6e-6, -7.6e-6], shape)
    if net.dice.chance(0.5):
        return np.rint(net.dice.normal(shape, 5))
    return net.dice.normal(shape, 3)
