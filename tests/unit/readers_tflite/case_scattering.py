#!/usr/bin/env python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Sparse tensors, segments, diagonals, boxes that do not overlap, and what else stands apart."""
import numpy as np

from case_model import case

F, I = np.float32, np.int32
CLOSE = 2e-6


def real(seed, *shape):
    return np.random.default_rng(seed).normal(size=shape).astype(F)


def whole(seed, low, high, *shape):
    return np.random.default_rng(seed).integers(low, high, shape).astype(I)


def sparse():
    def dense(name, places, shape, values, default, dtype, constant=True):
        values = np.asarray(values, dtype)
        return case("sparse_to_dense_" + name, "SPARSE_TO_DENSE",
                    [("const", np.array(places, I)) if constant else np.array(places, I), ("const", np.array(shape, I)),
                     values, ("const", np.array(default, dtype))], [(shape, dtype)], ("SparseToDenseOptions", {}))
    yield dense("matrix", [[0, 1], [2, 0], [0, 1]], (3, 2), [5, 6, 7], -1, F)
    yield dense("list", [1, 3], (5,), [9, 8], 2, I, False)
    yield dense("one", [2], (4,), 9, 0, I)
    table, ids = real(1, 4, 3), np.array([1, 3, 0, 1], I)
    places = np.array([[0, 0], [2, 0], [2, 1], [3, 0]], I)
    for combiner in ("SUM", "MEAN", "SQRTN"):
        yield case("embedding_sparse_" + combiner.lower(), "EMBEDDING_LOOKUP_SPARSE",
                   [ids, ("const", places), ("const", np.array([5, 2], I)), np.array([1, 2, 4, 0.5], F), table],
                   [((5, 3), F)], ("EmbeddingLookupSparseOptions", {"combiner": combiner}), tolerance=CLOSE)


# What segments without rows have: the kernels of TFLite 2.11.
FIRST = {"SUM": 0, "PROD": 1, "MAX": np.finfo(F).min, "MIN": np.finfo(F).max}
FOLD = {"SUM": np.add, "PROD": np.multiply, "MAX": np.maximum, "MIN": np.minimum}


def unsorted(kind, name, data, ids, count):
    """By numpy: the operators are newer than TFLite 2.9."""
    first = FIRST[kind] if data.dtype == F else {"MAX": -2**31, "MIN": 2**31 - 1}.get(kind, FIRST[kind])
    result = np.full((count, *data.shape[ids.ndim:]), first, data.dtype)
    for place in np.ndindex(*ids.shape):
        if ids[place] >= 0:
            result[ids[place]] = FOLD[kind](result[ids[place]], data[place])
    return case("unsorted_segment_%s_%s" % (kind.lower(), name), "UNSORTED_SEGMENT_" + kind,
                [data, ids, ("const", np.array(count, I))], [(result.shape, data.dtype)],
                ("UnsortedSegment%sOptions" % kind.capitalize(), {}), expected=[[result]])


def segments():
    ids = np.array([0, 0, 1, 2, 2, 2], I)
    yield case("segment_sum", "SEGMENT_SUM", [real(2, 6, 2, 3), ids], [((3, 2, 3), F)], ("SegmentSumOptions", {}),
               tolerance=CLOSE)
    yield case("segment_sum_constant", "SEGMENT_SUM", [whole(3, -9, 9, 6, 4), ("const", ids)], [((3, 4), I)],
               ("SegmentSumOptions", {}))
    for kind in FIRST:
        yield unsorted(kind, "rows", whole(4, -9, 9, 5, 3), np.array([3, 0, 3, -1, 0], I), 4)
        yield unsorted(kind, "matrix", whole(5, 1, 9, 2, 3).astype(F), np.array([[1, 0, 1], [3, 3, 1]], I), 4)


def diagonals():
    for dtype in (F, I, np.int8):
        x = whole(6, -9, 9, 2, 3).astype(dtype)
        tag = np.dtype(dtype).name
        yield case("matrix_diag_" + tag, "MATRIX_DIAG", [x], [((2, 3, 3), dtype)], ("MatrixDiagOptions", {}))
        for shape in ((2, 3, 4), (2, 4, 3), (2, 3, 3)):
            name = "matrix_set_diag_%s_%d_%d" % (tag, *shape[1:])
            yield case(name, "MATRIX_SET_DIAG", [whole(7, -99, 99, *shape).astype(dtype), x], [(shape, dtype)],
                       ("MatrixSetDiagOptions", {}))
    points = np.array([[1, 1, -1, -1], [0, -0.0, 0, 2]], F), np.array([[1, -1, -1, 1], [-1, -1, 1, 0]], F)
    yield case("atan2", "ATAN2", list(points), [((2, 4), F)], ("ATan2Options", {}), expected=[[np.arctan2(*points)]],
               tolerance=CLOSE)


def boxes(count):
    """Many that overlap, corners in either order, scores of which no two are equal."""
    rng = np.random.default_rng(8)
    corners, sizes = rng.uniform(0, 3, (count, 2)), rng.uniform(0.5, 2, (count, 2)) * rng.choice([-1, 1], (count, 2))
    return np.concatenate([corners, corners + sizes], 1).astype(F), rng.permutation(np.linspace(0.05, 0.95, count)).astype(F)


def suppression():
    values, scores = boxes(40)

    def four(name, most, overlap, least):
        return case("nms4_" + name, "NON_MAX_SUPPRESSION_V4",
                    [values, scores, ("const", I(most)), ("const", F(overlap)), ("const", F(least))],
                    [((most,), I), ((), I)], ("NonMaxSuppressionV4Options", {}))

    def five(name, most, overlap, least, sigma):
        return case("nms5_" + name, "NON_MAX_SUPPRESSION_V5",
                    [values, scores, ("const", I(most)), ("const", F(overlap)), ("const", F(least)), ("const", F(sigma))],
                    [((most,), I), ((most,), F), ((), I)], ("NonMaxSuppressionV5Options", {}), tolerance=CLOSE)
    yield four("few", 5, 0.5, 0.1)
    yield four("all", 40, 0.3, 0.2)
    yield four("none", 3, 0.5, 0.99)
    yield five("hard", 20, 0.4, 0.1, 0.0)
    yield five("soft", 40, 1.0, 0.1, 0.5)
    yield five("soft_and_hard", 12, 0.6, 0.2, 0.3)


def others():
    for padding, size in (("SAME", (4, 6, 3)), ("VALID", (5, 7, 3))):
        # With a bias TFLite 2.9 takes as many channels of the input as of the result only.
        channels = 2 if padding == "SAME" else 3
        x, wei = real(9, 1, 2, 3, 2 if padding == "VALID" else 3, channels), real(10, 3, 3, 2, 2, channels)
        inputs = [("const", np.array([1, *size, 2], I)), ("const", wei), x] + [("const", real(11, 2))] * (padding == "SAME")
        yield case("conv_3d_transpose_" + padding.lower(), "CONV_3D_TRANSPOSE", inputs, [((1, *size, 2), F)],
                   ("Conv3DOptions", {"padding": padding, "stride_d": 2, "stride_h": 2, "stride_w": 1}), tolerance=CLOSE)
    for merged in (False, True):
        # Apart, TFLite 2.9 gives the backward result another shape than its values have where the steps come first.
        for major in (False, True) if merged else (False,):
            runs = [[real(20 + i, *((3, 2) if major else (2, 3)), 4)] for i in range(2)]
            way = [[("const", real(30 + i, 5, 4)), ("const", real(40 + i, 5, 5) * F(0.4)), ("const", real(50 + i, 5)),
                    ("state", (2, 5), F)] for i in range(2)]
            shape = runs[0][0].shape[:2]
            outputs = [((*shape, 10), F)] if merged else [((*shape, 5), F)] * 2
            name = "rnn_both_%s%s" % ("merged" if merged else "apart", "_time_major" if major else "")
            yield case(name, "BIDIRECTIONAL_SEQUENCE_RNN", [runs[0][0]] + way[0] + way[1] + [None] * 3, outputs,
                       ("BidirectionalSequenceRNNOptions", {"fused_activation_function": "TANH", "time_major": major,
                                                            "merge_outputs": merged}), runs=runs, tolerance=CLOSE)


def deconvolved(x, wei, bias, padding, strides):
    """MediaPipe's kernel, element by element."""
    sizes = list(zip(x.shape[1:3], wei.shape[1:3], strides))
    pads = [max(0, k - (n - 1) % s - 1) if padding == 1 else 0 for n, k, s in sizes]
    result = np.zeros((x.shape[0], *[s * (n - 1) + k for n, k, s in sizes], wei.shape[0]))
    for row, column in np.ndindex(*x.shape[1:3]):
        top, left = row * strides[0], column * strides[1]
        result[:, top:top + wei.shape[1], left:left + wei.shape[2]] += np.einsum("bi,ohwi->bhwo", x[:, row, column], wei)
    first = [p // 2 for p in pads]
    last = [n - (p - p // 2) for n, p in zip(result.shape[1:3], pads)]
    return (result[:, first[0]:last[0], first[1]:last[1]] + bias).astype(F)


def mediapipe():
    for padding, strides, kernel in ((1, (2, 2), (2, 2)), (1, (2, 3), (4, 3)), (2, (2, 1), (3, 3)), (1, (1, 1), (3, 3))):
        x, wei, bias = real(60, 2, 4, 5, 3), real(61, 4, *kernel, 3), real(62, 4)
        result = deconvolved(x, wei, bias, padding, strides)
        options = np.array([padding, strides[1], strides[0]], "<i4").tobytes()
        yield case("transpose_bias_%d_%d%d_%d%d" % (padding, *strides, *kernel), "Convolution2DTransposeBias",
                   [x, ("const", wei), ("const", bias)], [(result.shape, F)], custom_options=list(options),
                   expected=[[result]], tolerance=CLOSE)


def cases():
    for group in (sparse, segments, diagonals, suppression, others, mediapipe):
        yield from group()
