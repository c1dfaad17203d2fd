#!/usr/bin/env python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""The cases of make_cases.py: float operators here, quantized ones in case_quantized.py."""
import numpy as np

import case_detection
import case_quantized
import case_free
import case_integers
import case_lstm
import case_lstm_integer
import case_scattering
import case_state
import case_variables
from case_model import ModelJson, case

F, I, B = np.float32, np.int32, np.bool_
CLOSE = 2e-6  # of the largest magnitude


def real(seed, *shape):
    return np.random.default_rng(seed).normal(size=shape).astype(F)


def whole(seed, low, high, *shape):
    return np.random.default_rng(seed).integers(low, high, shape).astype(I)


def elementwise():
    a, b, row = real(1, 2, 3, 4, 5), real(2, 2, 3, 4, 5), real(3, 5)
    positive = np.abs(a) + F(0.1)
    for name in ("ABS", "CEIL", "COS", "ELU", "EXP", "FLOOR", "HARD_SWISH", "LOGISTIC", "NEG", "RELU", "RELU6",
                 "RELU_N1_TO_1", "ROUND", "SIN", "SQUARE", "TANH"):
        yield case(name.lower(), name, [a * F(3)], [(a.shape, F)], tolerance=CLOSE)
    yield case("relu_0_to_1", "RELU_0_TO_1", [a], [(a.shape, F)], expected=[[np.clip(a, F(0), F(1))]])
    yield case("sign", "SIGN", [a], [(a.shape, F)], expected=[[np.sign(a)]])
    yield case("bitwise_xor", "BITWISE_XOR", [np.array([5, -1], I), np.array([3, 7], I)], [((2,), I)],
               expected=[[np.array([6, -8], I)]])
    yield case("right_shift", "RIGHT_SHIFT", [np.array([21, -9], I), np.array([2, 1], I)], [((2,), I)],
               expected=[[np.array([5, -5], I)]])
    for name in ("LOG", "RSQRT", "SQRT"):
        yield case(name.lower(), name, [positive], [(a.shape, F)], tolerance=CLOSE)
    for name in ("ADD", "SUB", "MUL", "DIV"):
        kind = name.capitalize() + "Options"
        yield case(name.lower(), name, [a, b], [(a.shape, F)], (kind, {}), tolerance=CLOSE)
        yield case(name.lower() + "_row_relu", name, [a, ("const", row)], [(a.shape, F)],
                   (kind, {"fused_activation_function": "RELU"}), tolerance=CLOSE)
    yield case("add_relu6", "ADD", [a * F(4), b], [(a.shape, F)], ("AddOptions", {"fused_activation_function": "RELU6"}),
               tolerance=CLOSE)
    yield case("add_i32", "ADD", [whole(4, -9, 9, 3, 4), whole(5, -9, 9, 4)], [((3, 4), I)], ("AddOptions", {}))
    yield case("add_n", "ADD_N", [a, b, a], [(a.shape, F)], tolerance=CLOSE)
    for name in ("MAXIMUM", "MINIMUM", "SQUARED_DIFFERENCE"):
        yield case(name.lower(), name, [a, b], [(a.shape, F)], tolerance=CLOSE)
    yield case("pow", "POW", [positive, b], [(a.shape, F)], tolerance=CLOSE)
    yield case("floor_div", "FLOOR_DIV", [whole(6, -20, 20, 8), whole(7, 1, 6, 8)], [((8,), I)])
    yield case("floor_div_f32", "FLOOR_DIV", [a, b], [(a.shape, F)], version=2)
    yield case("floor_mod", "FLOOR_MOD", [whole(6, -20, 20, 8), whole(7, 1, 6, 8)], [((8,), I)])
    p, q = whole(8, 0, 4, 3, 4), whole(9, 0, 4, 3, 4)
    for name in ("EQUAL", "NOT_EQUAL", "LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL"):
        yield case(name.lower(), name, [p, q], [((3, 4), B)])
    yield case("less_f32_broadcast", "LESS", [a, ("const", row)], [(a.shape, B)])
    for name in ("LOGICAL_AND", "LOGICAL_OR"):
        yield case(name.lower(), name, [p > 1, q > 1], [((3, 4), B)])
    yield case("logical_not", "LOGICAL_NOT", [p > 1], [((3, 4), B)])
    yield case("select", "SELECT", [a > 0, a, b], [(a.shape, F)])
    yield case("select_rows", "SELECT", [p[:, 0] > 1, p, q], [((3, 4), I)])
    yield case("select_v2", "SELECT_V2", [p[:, :1] > 1, p, q[:1]], [((3, 4), I)])
    yield case("zeros_like", "ZEROS_LIKE", [a], [(a.shape, F)])
    yield case("leaky_relu", "LEAKY_RELU", [a], [(a.shape, F)], ("LeakyReluOptions", {"alpha": 0.2}), tolerance=CLOSE)
    yield case("prelu", "PRELU", [a, ("const", np.abs(real(10, 1, 1, 5)))], [(a.shape, F)], tolerance=CLOSE)
    yield case("gelu", "GELU", [a], [(a.shape, F)], ("GeluOptions", {"approximate": False}), tolerance=CLOSE)
    yield case("gelu_tanh", "GELU", [a], [(a.shape, F)], ("GeluOptions", {"approximate": True}), tolerance=CLOSE)
    yield case("softmax", "SOFTMAX", [real(11, 3, 7)], [((3, 7), F)], ("SoftmaxOptions", {"beta": 1.5}), tolerance=CLOSE)
    yield case("log_softmax", "LOG_SOFTMAX", [real(11, 3, 7)], [((3, 7), F)], tolerance=CLOSE)
    yield case("cast_to_i32", "CAST", [a * F(9)], [(a.shape, I)], ("CastOptions", {"in_data_type": "FLOAT32",
                                                                                  "out_data_type": "INT32"}))
    yield case("cast_to_f32", "CAST", [p], [(p.shape, F)], ("CastOptions", {"in_data_type": "INT32",
                                                                           "out_data_type": "FLOAT32"}))
    yield case("fake_quant", "FAKE_QUANT", [a * F(2)], [(a.shape, F)], ("FakeQuantOptions", {"min": -1.3, "max": 2.1,
                                                                                            "num_bits": 8}),
               tolerance=CLOSE)
    yield case("dequantize_f16", "DEQUANTIZE", [a.astype(np.float16)], [(a.shape, F)], version=3)
    yield case("l2_normalization", "L2_NORMALIZATION", [a], [(a.shape, F)], ("L2NormOptions", {}), tolerance=CLOSE)
    yield case("local_response", "LOCAL_RESPONSE_NORMALIZATION", [a], [(a.shape, F)],
               ("LocalResponseNormalizationOptions", {"radius": 1, "bias": 1.0, "alpha": 0.3, "beta": 0.75}),
               tolerance=1e-5)


def windows():
    x = real(1, 1, 7, 6, 4)
    for padding in ("SAME", "VALID"):
        for stride, dilation in ((1, 1), (2, 1), (1, 2)):
            span = 1 + 2 * dilation
            size = [-(-(n - (span - 1 if padding == "VALID" else 0)) // stride) for n in (7, 6)]
            options = {"padding": padding, "stride_w": stride, "stride_h": stride, "dilation_w_factor": dilation,
                       "dilation_h_factor": dilation}
            name = "%s_%d_%d" % (padding.lower(), stride, dilation)
            yield case("conv_" + name, "CONV_2D", [x, ("const", real(2, 3, 3, 3, 4)), ("const", real(3, 3))],
                       [((1, *size, 3), F)], ("Conv2DOptions", dict(options, fused_activation_function="RELU6")),
                       tolerance=CLOSE)
            yield case("depthwise_" + name, "DEPTHWISE_CONV_2D",
                       [x, ("const", real(4, 1, 3, 3, 8)), ("const", real(5, 8))], [((1, *size, 8), F)],
                       ("DepthwiseConv2DOptions", dict(options, depth_multiplier=2)), version=2, tolerance=CLOSE)
        pool = {"padding": padding, "stride_w": 2, "stride_h": 1, "filter_width": 2, "filter_height": 3}
        size = (7, 3) if padding == "SAME" else (5, 3)
        for op in ("AVERAGE_POOL_2D", "MAX_POOL_2D", "L2_POOL_2D"):
            yield case(op.lower() + "_" + padding.lower(), op, [x], [((1, *size, 4), F)], ("Pool2DOptions", pool),
                       tolerance=CLOSE)
        wanted = (1, 13 if padding == "SAME" else 15, 12 if padding == "SAME" else 13, 3)
        yield case("transpose_conv_" + padding.lower(), "TRANSPOSE_CONV",
                   [("const", np.array(wanted, I)), ("const", real(6, 3, 3, 3, 4)), x], [(wanted, F)],
                   ("TransposeConvOptions", {"padding": padding, "stride_w": 2, "stride_h": 2}), tolerance=CLOSE)
    volume = real(9, 1, 4, 5, 6, 3)
    yield case("conv_3d", "CONV_3D", [volume, ("const", real(10, 2, 2, 2, 3, 4))], [((1, 4, 5, 6, 4), F)],
               ("Conv3DOptions", {"padding": "SAME", "stride_d": 1, "stride_w": 1, "stride_h": 1}), tolerance=CLOSE)
    fc = ("FullyConnectedOptions", {})
    yield case("fully_connected", "FULLY_CONNECTED", [real(11, 3, 8), ("const", real(12, 5, 8)), ("const", real(13, 5))],
               [((3, 5), F)], ("FullyConnectedOptions", {"fused_activation_function": "RELU"}), tolerance=CLOSE)
    yield case("fully_connected_of_image", "FULLY_CONNECTED", [real(14, 2, 2, 2, 4), ("const", real(15, 5, 16)), None],
               [((2, 5), F)], fc, tolerance=CLOSE)
    yield case("fully_connected_keeps_dims", "FULLY_CONNECTED", [real(14, 2, 3, 4), ("const", real(15, 5, 4)), None],
               [((2, 3, 5), F)], ("FullyConnectedOptions", {"keep_num_dims": True}), version=5, tolerance=CLOSE)
    yield case("batch_matmul", "BATCH_MATMUL", [real(16, 2, 3, 4), real(17, 1, 5, 4)], [((2, 3, 5), F)],
               ("BatchMatMulOptions", {"adj_y": True}), tolerance=CLOSE)
    for name, size, options in (("twice", (14, 12), {}), ("corners", (5, 9), {"align_corners": True}),
                                ("centers", (9, 4), {"half_pixel_centers": True})):
        yield case("resize_bilinear_" + name, "RESIZE_BILINEAR", [x, ("const", np.array(size, I))], [((1, *size, 4), F)],
                   ("ResizeBilinearOptions", options), version=3, tolerance=CLOSE)
        yield case("resize_nearest_" + name, "RESIZE_NEAREST_NEIGHBOR", [x, ("const", np.array(size, I))],
                   [((1, *size, 4), F)], ("ResizeNearestNeighborOptions", options), version=3)
    # Row 11 lies at 7 exactly, in f32 below it.
    yield case("resize_nearest_places_in_f32", "RESIZE_NEAREST_NEIGHBOR",
               [real(18, 1, 14, 1, 1), ("const", np.array((23, 1), I))], [((1, 23, 1, 1), F)],
               ("ResizeNearestNeighborOptions", {"half_pixel_centers": True}), version=3)


def movement():
    x, m = real(1, 2, 3, 4, 6), whole(2, -50, 50, 4, 5)
    shape = x.shape

    def ints(*values):
        return ("const", np.array(values, I))
    yield case("reshape", "RESHAPE", [x, ints(2, -1)], [((2, 72), F)], ("ReshapeOptions", {"new_shape": [2, 72]}))
    yield case("squeeze", "SQUEEZE", [x[:1]], [((3, 4, 6), F)], ("SqueezeOptions", {"squeeze_dims": [0]}))
    yield case("squeeze_all", "SQUEEZE", [x[:1, :, :1]], [((3, 6), F)], ("SqueezeOptions", {}))
    yield case("expand_dims", "EXPAND_DIMS", [m, ints(-1)], [((4, 5, 1), I)])
    yield case("transpose", "TRANSPOSE", [x, ints(0, 3, 1, 2)], [((2, 6, 3, 4), F)])
    yield case("shape", "SHAPE", [x], [((4,), I)], ("ShapeOptions", {"out_type": "INT32"}))
    yield case("rank", "RANK", [x], [((), I)])
    yield case("fill", "FILL", [ints(2, 3), ("const", F(1.5))], [((2, 3), F)])
    yield case("range", "RANGE", [("const", I(2)), ("const", I(11)), ("const", I(3))], [((3,), I)])
    yield case("broadcast_to", "BROADCAST_TO", [m, ints(3, 4, 5)], [((3, 4, 5), I)], version=2)
    yield case("broadcast_args", "BROADCAST_ARGS", [ints(4, 1, 3), ints(5, 1)], [((3,), I)])
    yield case("tile", "TILE", [m, ints(2, 3)], [((8, 15), I)])
    yield case("pack", "PACK", [m, m + 1], [((4, 2, 5), I)], ("PackOptions", {"values_count": 2, "axis": 1}))
    yield case("unpack", "UNPACK", [m], [((4,), I)] * 5, ("UnpackOptions", {"num": 5, "axis": -1}))
    yield case("concatenation", "CONCATENATION", [x, x[..., :2]], [((2, 3, 4, 8), F)],
               ("ConcatenationOptions", {"axis": -1}))
    yield case("split", "SPLIT", [ints(3), x], [((2, 3, 4, 2), F)] * 3, ("SplitOptions", {"num_splits": 3}))
    yield case("split_v", "SPLIT_V", [x, ints(1, 3), ints(2)], [((2, 3, 1, 6), F), ((2, 3, 3, 6), F)],
               ("SplitVOptions", {"num_splits": 2}))
    yield case("slice", "SLICE", [x, ints(0, 1, 2, 3), ints(-1, 2, 1, -1)], [((2, 2, 1, 3), F)])
    yield case("strided_slice", "STRIDED_SLICE", [x, ints(0, 2, 1, 5), ints(2, 0, 4, 0), ints(1, -1, 2, -2)],
               [((2, 2, 2, 3), F)], ("StridedSliceOptions", {}))
    yield case("strided_slice_masks", "STRIDED_SLICE", [x, ints(1, 1, 0), ints(2, 3, 5), ints(1, 1, 2)],
               [((3, 2, 6), F)], ("StridedSliceOptions", {"begin_mask": 4, "shrink_axis_mask": 1, "end_mask": 2}))
    yield case("pad", "PAD", [x, ("const", np.array([[0, 0], [1, 2], [0, 1], [2, 0]], I))], [((2, 6, 5, 8), F)])
    yield case("pad_v2", "PADV2", [m, ("const", np.array([[1, 0], [0, 2]], I)), ("const", I(-7))], [((5, 7), I)])
    for mode in ("REFLECT", "SYMMETRIC"):
        yield case("mirror_pad_" + mode.lower(), "MIRROR_PAD", [m, ("const", np.array([[1, 2], [2, 1]], I))],
                   [((7, 8), I)], ("MirrorPadOptions", {"mode": mode}))
    yield case("gather", "GATHER", [x, ("const", np.array([[2, 0], [1, 1]], I))], [((2, 2, 2, 4, 6), F)],
               ("GatherOptions", {"axis": 1}))
    yield case("gather_nd", "GATHER_ND", [m, ("const", np.array([[0, 1], [3, 4]], I))], [((2,), I)])
    yield case("embedding_lookup", "EMBEDDING_LOOKUP", [np.array([2, 0, 2], I), ("const", real(3, 4, 5))], [((3, 5), F)])
    yield case("one_hot", "ONE_HOT", [np.array([1, -1, 3], I), ("const", I(4)), ("const", F(2)), ("const", F(-1))],
               [((3, 4), F)], ("OneHotOptions", {"axis": -1}))
    yield case("topk", "TOPK_V2", [whole(4, 0, 6, 3, 8), ("const", I(3))], [((3, 3), I), ((3, 3), I)])
    yield case("where", "WHERE", [m > 10], [((0, 2), np.int64)])
    yield case("scatter_nd", "SCATTER_ND", [np.array([[1], [3], [1]], I), m[:3], ints(6, 5)], [((6, 5), I)])
    yield case("bucketize", "BUCKETIZE", [real(5, 9)], [((9,), I)], ("BucketizeOptions", {"boundaries": [-1, 0, 0.5]}))
    yield case("unique", "UNIQUE", [np.array([4, 2, 4, 7, 2], I)], [((3,), I), ((5,), I)],
               ("UniqueOptions", {"idx_out_type": "INT32"}))
    yield case("reverse", "REVERSE_V2", [x, ints(2)], [(shape, F)])
    yield case("reverse_sequence", "REVERSE_SEQUENCE", [m, np.array([1, 3, 5, 2], I)], [((4, 5), I)],
               ("ReverseSequenceOptions", {"seq_dim": 1, "batch_dim": 0}))
    yield case("space_to_depth", "SPACE_TO_DEPTH", [real(6, 1, 4, 6, 3)], [((1, 2, 3, 12), F)],
               ("SpaceToDepthOptions", {"block_size": 2}))
    yield case("depth_to_space", "DEPTH_TO_SPACE", [real(7, 1, 2, 3, 12)], [((1, 4, 6, 3), F)],
               ("DepthToSpaceOptions", {"block_size": 2}))
    yield case("space_to_batch", "SPACE_TO_BATCH_ND", [real(8, 1, 3, 4, 2), ints(2, 2),
                                                       ("const", np.array([[0, 1], [2, 0]], I))], [((4, 2, 3, 2), F)])
    yield case("batch_to_space", "BATCH_TO_SPACE_ND", [real(9, 4, 2, 3, 2), ints(2, 2),
                                                       ("const", np.array([[0, 1], [2, 0]], I))], [((1, 3, 4, 2), F)])
    yield case("dynamic_update_slice", "DYNAMIC_UPDATE_SLICE", [m, m[:2, :2] + 100, np.array([1, 4], I)], [((4, 5), I)])


def reductions():
    x, m = real(1, 2, 3, 4, 5), whole(2, -9, 9, 3, 4)
    for name, op in (("mean", "MEAN"), ("sum", "SUM"), ("reduce_max", "REDUCE_MAX"), ("reduce_min", "REDUCE_MIN"),
                     ("reduce_prod", "REDUCE_PROD")):
        for keep in (False, True):
            yield case(name + ("_kept" if keep else ""), op, [x, ("const", np.array([1, 2], I))],
                       [((2, 1, 1, 5) if keep else (2, 5), F)], ("ReducerOptions", {"keep_dims": keep}), tolerance=CLOSE)
    yield case("mean_of_channels", "MEAN", [x, ("const", np.array([-1], I))], [((2, 3, 4), F)], ("ReducerOptions", {}),
               tolerance=CLOSE)
    for op in ("REDUCE_ANY", "REDUCE_ALL"):
        yield case(op.lower(), op, [m > -5, ("const", np.array([1], I))], [((3,), B)], ("ReducerOptions", {}))
    for op in ("ARG_MAX", "ARG_MIN"):
        kind = "ArgMaxOptions" if op == "ARG_MAX" else "ArgMinOptions"
        yield case(op.lower(), op, [m, ("const", np.array([1], I))], [((3,), np.int64)], (kind, {"output_type": "INT64"}))
    yield case("cumsum", "CUMSUM", [m, ("const", I(1))], [((3, 4), I)], ("CumsumOptions", {"exclusive": True}))
    yield case("cumsum_reverse", "CUMSUM", [m, ("const", I(0))], [((3, 4), I)], ("CumsumOptions", {"reverse": True}))


def control():
    """A condition picks x + y or x * y; a loop adds y until the counter is 5."""
    x, y = real(1, 2, 3), real(2, 2, 3)
    for flag in (True, False):
        model = ModelJson()
        main = model.graph()
        inputs = [main.input(np.array([flag])), main.input(x), main.input(y)]
        result = main.tensor((2, 3), F)
        main.op("IF", inputs, [result], ("IfOptions", {"then_subgraph_index": 1, "else_subgraph_index": 2}))
        main.outputs = [result]
        for op in ("ADD", "MUL"):
            body = model.graph()
            operands = [body.input(x), body.input(y)]
            body.outputs = [body.tensor((2, 3), F)]
            body.op(op, operands, body.outputs, (op.capitalize() + "Options", {}))
        yield dict(name="if_%s" % flag, model=model.json(), runs=[[np.array([flag]), x, y]], tolerance=CLOSE)
    model = ModelJson()
    main = model.graph()
    counter = np.array([2], I)
    inputs = [main.input(counter), main.input(x), main.input(y)]
    results = [main.tensor((1,), I), main.tensor((2, 3), F), main.tensor((2, 3), F)]
    main.op("WHILE", inputs, results, ("WhileOptions", {"cond_subgraph_index": 1, "body_subgraph_index": 2}))
    main.outputs = results
    cond = model.graph()
    operands = [cond.input(counter), cond.input(x), cond.input(y)]
    cond.outputs = [cond.tensor((1,), B)]
    cond.op("LESS", [operands[0], cond.const(np.array([5], I))], cond.outputs)
    body = model.graph()
    operands = [body.input(counter), body.input(x), body.input(y)]
    body.outputs = [body.tensor((1,), I), body.tensor((2, 3), F), operands[2]]
    body.op("ADD", [operands[0], body.const(np.array([1], I))], body.outputs[:1], ("AddOptions", {}))
    body.op("ADD", operands[1:], body.outputs[1:2], ("AddOptions", {}))
    yield dict(name="while", model=model.json(), runs=[[counter, x, y]], tolerance=CLOSE)


def sparse_levels(*levels):
    """A size is dense; a pair (segments, indices) is sparse."""
    made = []
    for level in levels:
        if isinstance(level, int):
            made.append({"format": "DENSE", "dense_size": level})
        else:
            made.append({"format": "SPARSE_CSR", "array_segments_type": "Uint8Vector",
                         "array_segments": {"values": level[0]}, "array_indices_type": "Uint8Vector",
                         "array_indices": {"values": level[1]}})
    return made


def sparse():
    """x + a constant without its zeros: by rows, by columns, in blocks of 2 x 2 and of 1 x 4."""
    forms = {"rows": ([0, 1], [], (4, ([0, 3, 4, 5, 6], [0, 2, 3, 1, 2, 3]))),
             "columns": ([1, 0], [], (4, ([0, 1, 2, 4, 6], [0, 1, 0, 2, 0, 3]))),
             "blocks": ([0, 1, 2, 3], [0, 1], (2, ([0, 2, 3], [0, 1, 1]), 2, 2)),
             "blocks_of_columns": ([1, 0, 3, 2], [0, 1], (2, ([0, 1, 3], [0, 0, 1]), 2, 2)),
             "rows_of_four": ([0, 1, 2], [1], (4, ([0, 1, 1, 1, 2], [0, 0]), 4))}
    for name, (order, blocks, levels) in forms.items():
        count = 12 if "blocks" in name else 8 if "four" in name else 6
        model = ModelJson()
        main = model.graph()
        x = real(30, 4, 4)
        at = main.input(x)
        wei = main.tensor((4, 4), F, None, np.arange(1, count + 1, dtype=F))
        main.tensors[wei]["sparsity"] = {"traversal_order": order, "block_map": blocks,
                                         "dim_metadata": sparse_levels(*levels)}
        dense, result = main.tensor((4, 4), F), main.tensor((4, 4), F)
        main.op("DENSIFY", [wei], [dense])
        main.op("ADD", [at, dense], [result], ("AddOptions", {}))
        main.outputs = [result]
        yield dict(name="densify_" + name, model=model.json(), runs=[[x]], tolerance=CLOSE)


def families():
    made = {"sparse": sparse(), "elementwise": elementwise(), "windows": windows(), "movement": movement(), "reductions": reductions(),
            "control": control(), "state": case_state.cases(), "lstm": case_lstm.cases(), "lstm_integer": case_lstm_integer.cases(),
            "free": case_free.cases(), "variables": case_variables.cases(),
            "scattering": case_scattering.cases(), "integers": case_integers.cases(),
            "detection": case_detection.cases()}
    made.update(case_quantized.families())
    return made
