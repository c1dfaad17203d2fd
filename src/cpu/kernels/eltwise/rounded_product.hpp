// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Multipliers in fixed point, as the kernels of quantized tensors take them:
// mantissa / 2^31 * 2^exponent, mantissa 0 or in [2^30, 2^31).
#pragma once

#include <cstdint>
#include <limits>

namespace fuseq::kernels {

struct FixedMultiplier {
    std::int32_t mantissa = 0;
    int exponent = 0;
};

// How a product with a multiplier is rounded.
enum class ProductRounding {
    kHalfAway,       // high half of the doubled product, then a shift, half away from zero
    kHalfUp,         // the same, the shift rounds half up
    kOnce,           // the product of 64 bits, one shift, half up
    kReal,           // rint(f32(x) * M) + zero point
    kRealZeroFirst,  // rint(f32(x) * M + zero point)
};

inline bool is_fixed(ProductRounding rounding) {
    return rounding == ProductRounding::kHalfAway || rounding == ProductRounding::kHalfUp ||
           rounding == ProductRounding::kOnce;
}

// Integers that a result is clamped to, and what is added to it: all within the type of the result,
// of 8 or 16 bits.
struct ByteGrid {
    std::int32_t zero_point = 0;
    std::int32_t lowest = 0;
    std::int32_t highest = 0;
};

// A fixed-point multiplier as vectors want it.
struct ShiftedMultiplier {
    std::int32_t mantissa = 0;
    std::int32_t left = 0;   // of x
    std::int32_t away = 0;   // -1: added to negative products
    std::int32_t right = 0;  // 0 to 30, all but the last
    std::int32_t last = 0;   // 1: a shift by one more, which rounds
    // Added to the product before its high half is taken: half of that, or nothing where the shift
    // alone rounds (kOnce).
    std::int32_t nudge = 1 << 30;
};

// Whether the product of such a multiplier with all |x| <= `largest`, a zero point added, is exact in
// 32 bits.
inline bool takes_multiplier(const FixedMultiplier& m, std::int64_t largest) {
    constexpr int kMaxExponent = 29;
    constexpr int kMinExponent = -31;
    const std::int64_t limit = m.exponent < 0 ? std::numeric_limits<std::int32_t>::max()
                                              : (std::int64_t{1} << 30) >> m.exponent;
    if (m.mantissa == 0) {
        return largest <= std::numeric_limits<std::int32_t>::max();
    }
    return m.exponent >= kMinExponent && m.exponent <= kMaxExponent && largest <= limit;
}

// Precondition: takes_multiplier() for every |x|.
inline ShiftedMultiplier shifted_multiplier(const FixedMultiplier& m, ProductRounding rounding) {
    ShiftedMultiplier shifted;
    shifted.mantissa = m.mantissa;
    shifted.left = m.exponent > 0 ? m.exponent : 0;
    shifted.last = m.exponent < 0 ? 1 : 0;
    shifted.right = m.exponent < 0 ? -m.exponent - 1 : 0;
    shifted.away = rounding == ProductRounding::kHalfAway ? -shifted.last : 0;
    if (rounding == ProductRounding::kOnce && shifted.last != 0) {
        shifted.nudge = 0;
    }
    return shifted;
}

}  // namespace fuseq::kernels
