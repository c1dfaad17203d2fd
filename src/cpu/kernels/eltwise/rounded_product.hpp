// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Multipliers in fixed point, as the kernels of quantized tensors take them:
// mantissa / 2^31 * 2^exponent, mantissa 0 or in [2^30, 2^31).
#pragma once

#include <cstdint>

namespace fuseq::kernels {

struct FixedMultiplier {
    std::int32_t mantissa = 0;
    int exponent = 0;
};

// How a product with a multiplier is rounded.
enum class ProductRounding {
    kHalfAway,       // high half of the doubled product, then a shift, half away from zero
    kHalfUp,         // the same, the shift rounds half up
    kReal,           // rint(f32(x) * M) + zero point
    kRealZeroFirst,  // rint(f32(x) * M + zero point)
};

inline bool is_fixed(ProductRounding rounding) {
    return rounding == ProductRounding::kHalfAway || rounding == ProductRounding::kHalfUp;
}

// Integers that a result is clamped to, and what is added to it: all within u8 or i8.
struct ByteGrid {
    std::int32_t zero_point = 0;
    std::int32_t lowest = 0;
    std::int32_t highest = 0;
};

// A fixed-point multiplier as vectors want it.
struct ShiftedMultiplier {
    std::int32_t mantissa = 0;
    std::int32_t left = 1;   // of x, one for the doubling among it
    std::int32_t half = 0;   // of the shift to the right
    std::int32_t away = 0;   // -1: added to negative products
    std::int32_t right = 0;  // 0 to 31
};

// Whether the product of such a multiplier with all |x| <= `largest` is exact in 32 bits.
inline bool takes_multiplier(const FixedMultiplier& m, std::int64_t largest) {
    constexpr int kMaxExponent = 29;
    constexpr int kMinExponent = -31;
    constexpr std::int64_t kMaxShifted = std::int64_t{1} << 29;
    return m.exponent >= kMinExponent && m.exponent <= kMaxExponent &&
           largest <= kMaxShifted >> (m.exponent > 0 ? m.exponent : 0);
}

// Precondition: takes_multiplier(): |x| * 2^exponent <= 2^29 for every x.
inline ShiftedMultiplier shifted_multiplier(const FixedMultiplier& m, ProductRounding rounding) {
    ShiftedMultiplier shifted;
    shifted.mantissa = m.mantissa;
    shifted.left = m.exponent > 0 ? m.exponent + 1 : 1;
    shifted.right = m.exponent < 0 ? -m.exponent : 0;
    shifted.half = shifted.right == 0 ? 0 : std::int32_t{1} << (shifted.right - 1);
    shifted.away = rounding == ProductRounding::kHalfAway && shifted.right != 0 ? -1 : 0;
    return shifted;
}

}  // namespace fuseq::kernels
