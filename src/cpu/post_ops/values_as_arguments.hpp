// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Scales as arguments of a primitive instead of values in its attributes: layers that differ in
// nothing else share one primitive of oneDNN's cache, whose code is generated once. Scales that are
// known only when a primitive runs would be the usual way; with them (DNNL_RUNTIME_F32_VAL) oneDNN
// 2.6.3 gives gemm:jit for an int8 matmul, where fixed scales give brg:avx512_core_vnni or
// brg:avx512_core_amx_int8 (asked for 128x768 by 768x768, one scale or one a column).
#pragma once

#include <optional>

#include "cpu/post_ops/emit.hpp"

namespace fuseq::post_ops {

// The emission with multiplications by constants in the place of the output scales, of the scales
// of activations, and additions in the place of shifts: the same floats, as each was one operation
// before. Nothing when there are none, or a sum with the dst buffer, which has its own scale.
std::optional<Emission> with_values_as_arguments(const Emission& emission);

}  // namespace fuseq::post_ops
