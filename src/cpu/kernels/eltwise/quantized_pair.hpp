// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Sums and products of two quantized tensors, a and b of one type, bytes or i16, to a grid of the same
// type. x = a - zero_a, y = b - zero_b; those of i16 are 0:
//
//   kThreeProducts  P(sum): P_a(x << left) + sign * P_b(y << left), by multipliers in fixed point
//   kSharedShift    (x * shift_a + y * shift_b + half) >> shift
//   kReal           rint(fma(a, real_a, fma(b, real_b, offset))), the zero point within `offset`
//   kProduct        P(x * y), P by any rounding
//   kShiftedSum     (x >> shift_a) + sign * (y >> shift_b), shifts rounded half away from zero
//
// The same integers on every instruction set. No allocation.
#pragma once

#include <cstddef>

#include "cpu/kernels/eltwise/rounded_product.hpp"
#include "fuseq/element_type.hpp"

namespace fuseq::kernels {

enum class PairKind { kThreeProducts, kSharedShift, kReal, kProduct, kShiftedSum };

struct PairParams {
    PairKind kind = PairKind::kProduct;
    ElementType type = ElementType::u8;  // u8, i8, i16
    std::int32_t zero_a = 0;
    std::int32_t zero_b = 0;
    ByteGrid grid{};
    // kThreeProducts, and kProduct of a rounding in fixed point with `of_sum`
    ShiftedMultiplier of_a{};
    ShiftedMultiplier of_b{};
    ShiftedMultiplier of_sum{};
    int left = 20;
    std::int32_t sign = 1;
    // kSharedShift: results within 32 bits; kShiftedSum: 0 to 31 each
    std::int32_t shift_a = 0;
    std::int32_t shift_b = 0;
    int shift = 1;
    // kReal; real_a is the multiplier of kProduct
    float real_a = 0.0F;
    float real_b = 0.0F;
    float offset = 0.0F;
    ProductRounding rounding = ProductRounding::kHalfAway;  // kProduct
};

// `count` elements at any addresses.
void quantized_pair(
    const PairParams& params, const void* a, const void* b, void* dst, std::size_t count);

}  // namespace fuseq::kernels
