#!/usr/bin/env python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of quantized operators: s8, u8, s16."""
import numpy as np

from case_model import case

S8, U8, S16, I, F = np.int8, np.uint8, np.int16, np.int32, np.float32


def integers(seed, dtype, *shape):
    limits = np.iinfo(dtype)
    return np.random.default_rng(seed).integers(limits.min, limits.max + 1, shape).astype(dtype)


def weights(seed, dtype, *shape):
    low = -127 if dtype == S8 else 0
    return np.random.default_rng(seed).integers(low, 128 if dtype == S8 else 256, shape).astype(dtype)


def channel_scales(seed, count):
    return np.random.default_rng(seed).uniform(0.001, 0.02, count).astype(F)


def with_bias(seed, count, input_scale, weight_scales):
    bias = np.random.default_rng(seed).integers(-3000, 3000, count).astype(I)
    return ("const", bias, (F(input_scale) * np.broadcast_to(weight_scales, np.shape(weight_scales)), 0))


def products():
    options = {"padding": "SAME", "stride_w": 1, "stride_h": 1}
    for name, dtype, zero in (("s8", S8, -7), ("u8", U8, 121)):
        x = integers(1, dtype, 1, 7, 6, 5)
        grid = (0.043, zero)
        for per_channel in (False, True):
            if per_channel and dtype == U8:
                continue
            scales = channel_scales(2, 4) if per_channel else F(0.0071)
            weight_zero = 0 if dtype == S8 else 131
            tag = name + ("_channels" if per_channel else "")
            for act in ("NONE", "RELU6"):
                yield case("conv_%s_%s" % (tag, act.lower()), "CONV_2D",
                           [(x, grid), ("const", weights(3, dtype, 4, 3, 3, 5), (scales, weight_zero, 0)),
                            with_bias(4, 4, 0.043, scales)], [((1, 7, 6, 4), dtype, (0.37, zero))],
                           ("Conv2DOptions", dict(options, fused_activation_function=act)), version=3)
            scales = channel_scales(5, 10) if per_channel else F(0.0093)
            yield case("depthwise_" + tag, "DEPTHWISE_CONV_2D",
                       [(x, grid), ("const", weights(6, dtype, 1, 3, 3, 10), (scales, weight_zero, 3)),
                        with_bias(7, 10, 0.043, scales)], [((1, 7, 6, 10), dtype, (0.11, zero))],
                       ("DepthwiseConv2DOptions", dict(options, depth_multiplier=2)), version=3)
            if per_channel or dtype == U8:
                scales = channel_scales(8, 3) if per_channel else F(0.0071)
                yield case("transpose_conv_" + tag, "TRANSPOSE_CONV",
                           [("const", np.array([1, 13, 11, 3], I)),
                            ("const", weights(9, dtype, 3, 3, 3, 5), (scales, weight_zero, 0)), (x, grid)],
                           [((1, 13, 11, 3), dtype, (0.21, zero))],
                           ("TransposeConvOptions", {"padding": "SAME", "stride_w": 2, "stride_h": 2}), version=2)
        yield case("fully_connected_" + name, "FULLY_CONNECTED",
                   [(integers(10, dtype, 3, 40), grid),
                    ("const", weights(11, dtype, 6, 40), (0.0083, 0 if dtype == S8 else 119)),
                    with_bias(12, 6, 0.043, F(0.0083))], [((3, 6), dtype, (0.23, zero))],
                   ("FullyConnectedOptions", {"fused_activation_function": "RELU"}), version=4)
        yield case("average_pool_" + name, "AVERAGE_POOL_2D", [(x, grid)], [((1, 7, 3, 5), dtype, grid)],
                   ("Pool2DOptions", {"padding": "SAME", "stride_w": 2, "stride_h": 1, "filter_width": 3,
                                      "filter_height": 2, "fused_activation_function": "RELU"}), version=2)
        yield case("max_pool_" + name, "MAX_POOL_2D", [(x, grid)], [((1, 3, 3, 5), dtype, grid)],
                   ("Pool2DOptions", {"padding": "VALID", "stride_w": 2, "stride_h": 2, "filter_width": 2,
                                      "filter_height": 2}), version=2)
    scales = channel_scales(13, 4)
    wide_bias = ("const", np.array([4000, -3000, 0, 99], np.int64), (F(0.0009) * scales, 0))
    yield case("conv_s16", "CONV_2D", [(integers(14, S16, 1, 5, 6, 4), (0.0009, 0)),
                                       ("const", weights(15, S8, 4, 3, 3, 4), (scales, 0, 0)), wide_bias],
               [((1, 5, 6, 4), S16, (0.0037, 0))], ("Conv2DOptions", options), version=4)
    yield from wide_products()
    yield case("batch_matmul_s8", "BATCH_MATMUL", [(integers(16, S8, 2, 3, 8), (0.03, 4)),
                                                   (integers(17, S8, 2, 8, 5), (0.02, -6))],
               [((2, 3, 5), S8, (0.19, 3))], ("BatchMatMulOptions", {}), version=2)


def wide_products():
    """Of 16 bits, with each kind of bias that TFLite takes."""
    def bias(kind, seed, count, scale):
        values = np.random.default_rng(seed).integers(-900000, 900000, count)
        return [] if kind is None else [("const", values.astype(kind), (F(0.0009) * scale, 0))]

    window = {"padding": "SAME", "stride_w": 1, "stride_h": 1}
    x, scales = integers(21, S16, 1, 6, 7, 9), channel_scales(22, 8)
    for tag, kind in (("i32", I), ("i64", np.int64), ("none", None)):
        yield case("fully_connected_s16_bias_" + tag, "FULLY_CONNECTED",
                   [(integers(23, S16, 40, 30), (0.0009, 0)), ("const", weights(24, S8, 25, 30), (0.0083, 0)),
                    *bias(kind, 25, 25, F(0.0083))], [((40, 25), S16, (0.003, 0))],
                   ("FullyConnectedOptions", {}), version=4)
        yield case("transpose_conv_s16_bias_" + tag, "TRANSPOSE_CONV",
                   [("const", np.array([1, 11, 13, 8], I)), ("const", weights(26, S8, 8, 3, 3, 9), (scales, 0, 0)),
                    (x, (0.0009, 0)), *bias(kind, 27, 8, scales)], [((1, 11, 13, 8), S16, (0.003, 0))],
                   ("TransposeConvOptions", {"padding": "SAME", "stride_w": 2, "stride_h": 2}),
                   version=2 if kind is None else 3)
        if kind is not None:
            yield case("conv_s16_bias_" + tag, "CONV_2D",
                       [(x, (0.0009, 0)), ("const", weights(28, S8, 8, 3, 3, 9), (scales, 0, 0)), *bias(kind, 29, 8, scales)],
                       [((1, 6, 7, 8), S16, (0.005, 0))], ("Conv2DOptions", window), version=4)


def elementwise():
    for name, dtype, zero in (("s8", S8, 9), ("u8", U8, 117)):
        a, b = integers(1, dtype, 2, 3, 4, 20), integers(2, dtype, 2, 3, 4, 20)
        row = integers(3, dtype, 20)
        every = np.arange(256).astype(dtype).reshape(1, 16, 16)
        ga, gb, go = (0.031, zero), (0.017, zero - 20), (0.045, zero + 3)
        for op in ("ADD", "SUB", "MUL"):
            kind = op.capitalize() + "Options"
            out = go if op != "MUL" else (0.009, zero)
            yield case("%s_%s" % (op.lower(), name), op, [(a, ga), (b, gb)], [(a.shape, dtype, out)], (kind, {}),
                       version=2)
            yield case("%s_row_relu_%s" % (op.lower(), name), op, [(a, ga), ("const", row, gb)],
                       [(a.shape, dtype, out)], (kind, {"fused_activation_function": "RELU"}), version=2)
        unsigned = (1 / 256, -128 if dtype == S8 else 0)
        yield case("logistic_" + name, "LOGISTIC", [(every, ga)], [(every.shape, dtype, unsigned)], version=2)
        yield case("tanh_" + name, "TANH", [(every, ga)],
                   [(every.shape, dtype, (1 / 128, 0 if dtype == S8 else 128))], version=2)
        yield case("hard_swish_" + name, "HARD_SWISH", [(every, (0.05, zero))], [(every.shape, dtype, (0.027, zero))])
        yield case("hard_swish_coarse_" + name, "HARD_SWISH", [(every, (0.4, zero))],
                   [(every.shape, dtype, (0.41, zero))])
        yield case("leaky_relu_" + name, "LEAKY_RELU", [(every, ga)], [(every.shape, dtype, go)],
                   ("LeakyReluOptions", {"alpha": 0.3}), version=2)
        yield case("prelu_" + name, "PRELU", [(a, ga), ("const", row.reshape(1, 1, 20), (0.004, zero))],
                   [(a.shape, dtype, go)])
        for op, version in (("RELU", 2), ("RELU6", 2), ("RELU_N1_TO_1", 1)):
            yield case("%s_%s" % (op.lower(), name), op, [(every, ga)], [(every.shape, dtype, go)], version=version)
        yield case("softmax_" + name, "SOFTMAX", [(integers(4, dtype, 5, 12), (0.11, zero))],
                   [((5, 12), dtype, unsigned)], ("SoftmaxOptions", {"beta": 1.0}), version=2)
        yield case("quantize_" + name, "QUANTIZE", [np.linspace(-9, 9, 300).astype(F)], [((300,), dtype, ga)])
        yield case("requantize_" + name, "QUANTIZE", [(every, ga)], [(every.shape, dtype, go)])
        yield case("dequantize_" + name, "DEQUANTIZE", [(every, ga)], [(every.shape, F)], version=2, tolerance=1e-7)
        for axes in ([1, 2], [3]):
            for keep in (True, False):
                shape = [1 if d in axes else n for d, n in enumerate(a.shape)] if keep else \
                    [n for d, n in enumerate(a.shape) if d not in axes]
                yield case("mean_%s_%s_%s" % ("".join(map(str, axes)), keep, name), "MEAN",
                           [(a, ga), ("const", np.array(axes, I))], [(shape, dtype, (0.012, zero))],
                           ("ReducerOptions", {"keep_dims": keep}), version=2)
        for axes, keep in (([1, 2], True), ([1, 2], False), ([3], True)):
            shape = [1 if d in axes else n for d, n in enumerate(a.shape)] if keep else [2, 20]
            yield case("mean_one_grid_%s_%s_%s" % ("".join(map(str, axes)), keep, name), "MEAN",
                       [(a, ga), ("const", np.array(axes, I))], [(shape, dtype, ga)],
                       ("ReducerOptions", {"keep_dims": keep}), version=2)
        yield case("mean_from_end_" + name, "MEAN", [(a, ga), ("const", np.array([-3, -2], I))],
                   [([2, 1, 1, 20], dtype, ga)], ("ReducerOptions", {"keep_dims": True}), version=2)
        # Some sums lie beyond the grid: TFLite keeps their low bits.
        for tag, out in (("", (0.25, zero + 9)), ("one_grid_", ga)):
            yield case("sum_%s%s" % (tag, name), "SUM", [(a, ga), ("const", np.array([1, 2], I))],
                       [((2, 20), dtype, out)], ("ReducerOptions", {"keep_dims": False}), version=2)
        yield case("l2_normalization_" + name, "L2_NORMALIZATION", [(integers(9, dtype, 30, 12), ga)],
                   [((30, 12), dtype, (1 / 128, 0 if dtype == S8 else 128))], ("L2NormOptions", {}), version=2)
        if dtype == S8:
            yield case("abs_s8", "ABS", [(every, ga)], [(every.shape, dtype, go)], version=2)
            yield case("abs_one_grid_s8", "ABS", [(every, ga)], [(every.shape, dtype, ga)], version=2)
            yield case("squared_difference_s8", "SQUARED_DIFFERENCE", [(a, ga), (b, gb)],
                       [(a.shape, dtype, (0.11, zero))], ("SquaredDifferenceOptions", {}), version=2)
        yield case("concatenation_" + name, "CONCATENATION", [(a, ga), (b, ga)], [((2, 3, 4, 40), dtype, ga)],
                   ("ConcatenationOptions", {"axis": 3}), version=2)
        yield case("pad_" + name, "PAD", [(a, ga), ("const", np.array([[0, 0], [1, 0], [0, 2], [0, 0]], I))],
                   [((2, 4, 6, 20), dtype, ga)], version=2)
        yield case("maximum_" + name, "MAXIMUM", [(a, ga), (b, ga)], [(a.shape, dtype, ga)], version=2)
        yield case("space_to_batch_" + name, "SPACE_TO_BATCH_ND",
                   [(a, ga), ("const", np.array([2, 2], I)), ("const", np.array([[0, 1], [0, 0]], I))],
                   [((8, 2, 2, 20), dtype, ga)], version=2)
        for tag, size, options in (("up", (7, 9), {"half_pixel_centers": True}), ("corners", (5, 7), {"align_corners": True})):
            yield case("resize_bilinear_%s_%s" % (tag, name), "RESIZE_BILINEAR", [(a, ga), ("const", np.array(size, I))],
                       [((2, *size, 20), dtype, ga)], ("ResizeBilinearOptions", options), version=3)
        yield case("arg_max_" + name, "ARG_MAX", [(a, ga), ("const", I(3))], [((2, 3, 4), I)],
                   ("ArgMaxOptions", {"output_type": "INT32"}), version=2)
    yield case("concatenation_of_grids_u8", "CONCATENATION", [(integers(5, U8, 2, 30), (0.03, 100)),
                                                              (integers(6, U8, 2, 30), (0.05, 120))],
               [((2, 60), U8, (0.06, 110))], ("ConcatenationOptions", {"axis": 1}))
    yield case("elu_s8", "ELU", [(np.arange(-128, 128).astype(S8), (0.03, 5))], [((256,), S8, (0.02, -70))])
    yield case("log_softmax_s8", "LOG_SOFTMAX", [(integers(7, S8, 4, 9), (0.05, 3))], [((4, 9), S8, (16 / 256, 127))],
               version=2)
    yield case("log_softmax_u8", "LOG_SOFTMAX", [(integers(7, U8, 4, 300), (0.05, 3))], [((4, 300), U8, (16 / 256, 255))],
               version=2)
    a, b = integers(8, S16, 2, 300), integers(9, S16, 2, 300)
    yield case("leaky_relu_s16", "LEAKY_RELU", [(a, (0.0031, 0))], [((2, 300), S16, (0.0027, 0))],
               ("LeakyReluOptions", {"alpha": 0.3}), version=2)
    yield from wide_functions()
    yield case("requantize_s16_to_s32", "QUANTIZE", [(a, (0.00049, 0))], [(a.shape, I, (1.5e-7, 0))], version=2)
    for op in ("ADD", "SUB"):
        yield case(op.lower() + "_s16", op, [(a, (0.0031, 0)), (b, (0.0017, 0))], [((2, 300), S16, (0.0053, 0))],
                   (op.capitalize() + "Options", {"pot_scale_int16": False}), version=2)
        # Powers of two: one operand is shifted. Not quite powers of two count as such.
        for tag, first, second in (("a", 2.0**-11, 2.0**-9), ("b", 2.0**-9, 2.0**-12 * 1.0005)):
            yield case("%s_s16_shifts_%s" % (op.lower(), tag), op, [(a, (first, 0)), (b, (second, 0))],
                       [((2, 300), S16, (2.0**-9, 0))],
                       (op.capitalize() + "Options", {"pot_scale_int16": True, "fused_activation_function": "RELU6"}),
                       version=2)


def wide_functions():
    """Sigmoid, tanh, softmax and means of 16 bits."""
    unit = (1 / 32768, 0)
    every = np.arange(-32768, 32768, 149).astype(S16).reshape(1, -1)
    for tag, scale in (("", 0.0007), ("_fine", 0.0000123), ("_coarse", 0.31), ("_wraps", 6.0), ("_pot", 2.0**-12),
                       ("_near_pot", 2.0**-12 * 1.0006), ("_pot_doubled", 2.0**-11)):
        for op in ("LOGISTIC", "TANH"):
            yield case(op.lower() + "_s16" + tag, op, [(every, (scale, 0))], [(every.shape, S16, unit)], version=2)
    for tag, scale, beta, shape in (("", 0.0003, 1.0, (6, 50)), ("_flat", 0.000004, 1.0, (2, 3, 70)),
                                    ("_steep", 0.02, 0.7, (5, 11)), ("_one", 0.001, 1.0, (4, 1))):
        yield case("softmax_s16" + tag, "SOFTMAX", [(integers(10, S16, *shape), (scale, 0))], [(shape, S16, unit)],
                   ("SoftmaxOptions", {"beta": beta}), version=3)
    for axes in ([1, 2], [-3, -2], [3]):
        shape = [1 if d in axes or d - 4 in axes else n for d, n in enumerate((2, 3, 5, 16))]
        for tag, grid in (("", (0.0012, 0)), ("_one_grid", (0.0017, 0))):
            yield case("mean_s16_%s%s" % ("".join(map(str, axes)), tag), "MEAN",
                       [(integers(12, S16, 2, 3, 5, 16), (0.0017, 0)), ("const", np.array(axes, I))],
                       [(shape, S16, grid)], ("ReducerOptions", {"keep_dims": True}), version=2)
    yield case("sum_s16", "SUM", [(integers(13, S16, 3, 4, 9), (0.003, 0)), ("const", np.array([1], I))],
               [((3, 9), S16, (0.003, 0))], ("ReducerOptions", {"keep_dims": False}), version=2)
    for name, dtype, zero in (("s8", S8, 9), ("u8", U8, 117)):
        yield case("softmax_%s_to_s16" % name, "SOFTMAX", [(integers(11, dtype, 4, 33), (0.05, zero))],
                   [((4, 33), S16, unit)], ("SoftmaxOptions", {"beta": 1.0}), version=3)


def hybrid():
    """Float operators with weights of 8 bits: TFLite quantizes the input at run time, Fuseq does not."""
    x = np.random.default_rng(1).normal(size=(1, 6, 5, 8)).astype(F)
    yield case("embedding_lookup_s8", "EMBEDDING_LOOKUP", [np.array([1, 0, 3], I),
                                                          ("const", weights(2, S8, 5, 6), (0.02, 0))],
               [((3, 6), F)], version=2, tolerance=1e-6)
    yield case("fully_connected_hybrid", "FULLY_CONNECTED", [x.reshape(30, 8), ("const", weights(3, S8, 4, 8), (0.01, 0)),
                                                             ("const", np.zeros(4, F))],
               [((30, 4), F)], ("FullyConnectedOptions", {}), version=3, tolerance=0.02)


def families():
    return {"quantized_products": products(), "quantized_elementwise": elementwise(), "hybrid": hybrid()}
