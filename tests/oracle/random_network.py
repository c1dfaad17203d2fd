# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""One random network from a seed."""
import numpy as np

import network_layers as layers
import network_movement as movement
import network_resize as resize
import network_tokens as tokens
import network_transformers as transformers
from network_builder import NetworkBuilder, Rejected

IMAGES = ((layers.convolution, 8), (layers.group_convolution, 4), (layers.deconvolution, 2),
          (layers.pool, 2), (layers.interpolate, 1), (resize.resized, 1), (resize.branches, 1.5), (layers.gate, 1),
          (movement.shuffle, 1),
          (layers.inverted_residual, 2), (tokens.length_norm, 0.3),
          (movement.space, 1), (tokens.layer_norm, 1), (tokens.softmax, 0.3),
          (layers.activation, 0.7), (layers.followed, 1), (tokens.product, 0.3),
          (tokens.fully_connected, 0.3), (transformers.formula, 0.7), (transformers.rms_norm, 0.3))
TOKENS = ((tokens.fully_connected, 8), (tokens.attention, 2), (tokens.product, 1),
          (tokens.layer_norm, 2), (tokens.length_norm, 0.3), (tokens.softmax, 0.7), (layers.plain_activation, 0.7),
          (layers.convolution, 1), (layers.followed, 1), (transformers.attention_operation, 3),
          (transformers.embedding, 1.5), (transformers.rms_norm, 1.5), (transformers.formula, 2),
          (transformers.rotated, 1))
ROWS = ((tokens.fully_connected, 8), (tokens.layer_norm, 1), (tokens.softmax, 0.5), (tokens.product, 1),
        (layers.plain_activation, 1), (transformers.formula, 1), (transformers.rms_norm, 1))
ANY = ((movement.residual, 4), (movement.concat, 2), (movement.cut, 1)) + tuple(
    (move, 0.4) for move in movement.MOVES)
WITH_OTHERS = (movement.residual, movement.concat)
MAX_TRIES = 200


def first_shape(dice):
    kind = dice.pick(("image",) * 6 + ("tokens",) * 3 + ("row", "line", "volume"))
    batch = dice.pick((1, 1, 1, 1, 2, 3))
    if kind == "image" and dice.chance(0.1):     # wide enough for fused tile groups
        return [1, dice.pick((3, 8, 16, 24)), dice.number(28, 60), dice.number(28, 80)]
    if kind == "image":
        size = dice.pick((1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 20, 24))
        return [batch, dice.pick((1, 2, 3, 3, 4, 8, 16, 17, 32)), size,
                size if dice.chance(0.6) else dice.number(1, 20)]
    if kind == "tokens":
        return [batch, dice.pick((1, 2, 3, 7, 12, 16, 33)), dice.pick(tokens.WIDTHS[2:])]
    if kind == "row":
        return [batch, dice.pick(tokens.WIDTHS)]
    if kind == "line":
        return [batch, dice.pick((1, 3, 8, 16)), dice.number(1, 40)]
    return [batch, dice.pick((1, 2, 3, 8)), dice.number(1, 5), dice.number(1, 7), dice.number(1, 7)]


def first_tensor(net, shape):
    dice = net.dice
    if dice.chance(0.1):
        x = net.parameter(dice.random.integers(0, 256, shape), "u8")
        x = net.add("Convert", [x], destination_type="f32")
        return net.add("Multiply", [x, net.constant(np.array(1 / 127))])
    value = dice.normal(shape) if dice.chance(0.6) else dice.random.uniform(0, 2, shape)
    x = net.parameter(value)
    if dice.chance(0.2):
        x = net.add("Subtract", [x, layers.per_channel(net, x, -0.5, 0.5)])
        x = net.add("Multiply", [x, layers.per_channel(net, x, 0.5, 1.5)])
    return x


def grow(net, tensors):
    """One more layer, or block of layers; it may be Rejected."""
    dice = net.dice
    x = tensors[-1] if dice.chance(0.7) else dice.pick(tensors)
    table = ANY + (ROWS if x.rank == 2 else IMAGES if x.rank > 3 or dice.chance(0.2) else TOKENS)
    chances = np.array([weight for _, weight in table])
    grower = table[int(dice.random.choice(len(table), p=chances / chances.sum()))][0]
    if grower in WITH_OTHERS:
        grown = grower(net, x, tensors)
    else:
        grown = grower(net, x)
    return grown if isinstance(grown, list) else [grown]


def random_network(ops, seed):
    """ops: the oracle's operations."""
    net = NetworkBuilder(ops, seed, 10 + seed % 2)
    dice = net.dice
    shape = first_shape(dice)
    tensors = [first_tensor(net, shape)]
    if dice.chance(0.15):
        tensors.append(first_tensor(net, shape))
    wanted = dice.number(2, 12)
    for _ in range(MAX_TRIES):
        snapshot = net.snapshot()
        try:
            tensors += grow(net, tensors)
            wanted -= 1
        except Rejected:
            net.go_back(snapshot)
        if wanted <= 0:
            break
    for tensor in tensors:
        if not tensor.uses or tensor is not tensors[0] and dice.chance(0.05):
            net.result(tensor)
    return net
