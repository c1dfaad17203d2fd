// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Sum of two quantized tensors of one size with a re-scale of each:
//
//   v   = fma(float(a), a_scale, fma(float(b), b_scale, shift))
//   v   = min(max(v, low), high)
//   dst = v, or v rounded half to even and saturated (u8, i8)
//
// For x = (q - zero_point) * scale on all three sides: a_scale = a.scale / dst.scale, b_scale the
// same, shift = dst.zero_point - a.zero_point * a_scale - b.zero_point * b_scale; a relu is low =
// dst.zero_point. The same bytes on every instruction set and for every split. No allocation.
#pragma once

#include <limits>

#include "cpu/kernels/common/range.hpp"
#include "fuseq/element_type.hpp"

namespace fuseq::kernels {

struct ResidualAddParams {
    ElementType a_type = ElementType::u8;  // u8, i8, f32
    ElementType b_type = ElementType::u8;
    ElementType dst_type = ElementType::u8;
    float a_scale = 1.0f;
    float b_scale = 1.0f;
    float shift = 0.0f;
    float low = -std::numeric_limits<float>::infinity();
    float high = std::numeric_limits<float>::infinity();
};

// Throws fuseq::Error for other types; residual_add() does not check again.
void check_residual_add(const ResidualAddParams& params);

// Elements of dense tensors, in any one order of dimensions. dst may be a or b when the types have
// the same size.
void residual_add(
    const ResidualAddParams& params, const void* a, const void* b, void* dst, Range elements);

}  // namespace fuseq::kernels
