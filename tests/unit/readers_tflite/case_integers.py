#!/usr/bin/env python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Operators whose integers TFLite computes in a way of its own: quotients, comparisons, products, extremes."""
import numpy as np

from case_model import case

I, S8, U8, S16 = np.int32, np.int8, np.uint8, np.int16


def integers(seed, dtype, *shape):
    limits = np.iinfo(dtype)
    return np.random.default_rng(seed).integers(limits.min, limits.max + 1, shape).astype(dtype)


def quotients():
    """Quotients far below 1 are shifted by more than 31 bits, which TFLite does not expect. It takes no divisor 0, nor
    the integer 0 for one."""
    a, b = integers(1, U8, 6, 50), integers(2, U8, 6, 50)
    for name, first, second, result, function in (("", (0.07, 20), (0.02, 0), (0.15, 30), "NONE"),
                                                  ("small", (0.01, 120), (0.03, 99), (0.02, 128), "NONE"),
                                                  ("relu6", (0.2, 3), (0.05, 251), (0.09, 5), "RELU6")):
        divisor = np.where((b == second[1]) | (b == 0), 7, b).astype(U8)
        yield case("div_u8_" + name, "DIV", [(a, first), (divisor, second)],
                   [(a.shape, U8, result)], ("DivOptions", {"fused_activation_function": function}), version=2)
    row = np.array([[1, 2, 3, 250]], U8)
    yield case("div_u8_row", "DIV", [(integers(3, U8, 7, 4), (0.05, 100)), (row, (0.1, 0))], [((7, 4), U8, (0.03, 90))],
               ("DivOptions", {}), version=2)


def comparisons():
    for dtype, name in ((S8, "s8"), (U8, "u8")):
        zero = 0 if dtype == S8 else 128
        a = integers(4, dtype, 2, 300)
        # The second is near the first on the other grid. Of a small scale several integers are one.
        for tag, first, second in (("", (0.011, 9 + zero), (0.0055, zero - 20)), ("small", (0.001, zero), (0.001, zero)),
                                   ("other", (0.3, zero - 5), (0.21, zero + 30))):
            near = (a.astype(int) - first[1]) * first[0] / second[0] + second[1]
            near += np.random.default_rng(5).integers(-1, 2, a.shape)
            b = np.clip(np.rint(near), np.iinfo(dtype).min, np.iinfo(dtype).max).astype(dtype)
            for op, kind in (("EQUAL", "EqualOptions"), ("NOT_EQUAL", "NotEqualOptions"), ("LESS", "LessOptions"),
                             ("LESS_EQUAL", "LessEqualOptions"), ("GREATER", "GreaterOptions"),
                             ("GREATER_EQUAL", "GreaterEqualOptions")):
                if tag in ("", "small") or op in ("EQUAL", "LESS"):
                    yield case("%s_%s%s" % (op.lower(), name, tag), op, [(a, first), (b, second)], [(a.shape, np.bool_)],
                               (kind, {}), version=2)
        for op in ("MAXIMUM", "MINIMUM"):
            yield case("%s_of_grids_%s" % (op.lower(), name), op,
                       [(a[:, :50], (0.1, zero)), (integers(6, dtype, 2, 50), (0.02, zero + 9))],
                       [((2, 50), dtype, (0.05, zero - 7))], ("MaximumMinimumOptions", {}), version=2)


def products():
    for axes, keep in (([1], False), ([0, 2], True), ([0], False)):
        for dtype, name, x, result in ((S8, "s8", (0.02, -9), (0.03, 20)), (S16, "s16", (0.0002, 0), (0.0004, 0))):
            a = integers(7, dtype, 4, 3, 5)
            shape = [1 if d in axes else n for d, n in enumerate(a.shape) if keep or d not in axes]
            yield case("reduce_prod_%s_%s" % ("".join(map(str, axes)), name), "REDUCE_PROD",
                       [(a, x), ("const", np.array(axes, I))], [(shape, dtype, result)], ("ReducerOptions", {"keep_dims": keep}),
                       version=2)
    # One element each: only the grid changes.
    yield case("reduce_prod_of_one", "REDUCE_PROD", [(integers(8, S8, 200, 1), (0.02, 7)), ("const", np.array([1], I))],
               [((200,), S8, (0.03, -11))], ("ReducerOptions", {}), version=2)


def cases():
    for group in (quotients, comparisons, products):
        yield from group()
