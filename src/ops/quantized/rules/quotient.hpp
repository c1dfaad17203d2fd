// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// TFLite's quotient of two integers: the dividend, shifted to the left as far as it goes, by the reciprocal
// of the divisor in 31 fractional bits (three steps of Newton, as gemmlowp has them), then D2's product
// with a multiplier and all shifts at once.
#pragma once

#include <bit>

#include "ops/quantized/rules/fixed_point.hpp"

namespace fuseq::rules {

// 2^k / x in [1/2, 1) with 31 fractional bits where 2^k <= x < 2^(k + 1). x > 0
struct Reciprocal {
    std::int32_t mantissa = 0;
    int exponent = 0;  // k
};

inline Reciprocal reciprocal(std::int32_t x) {
    constexpr auto multiply = saturating_rounding_doubling_high_mul;
    constexpr std::int32_t kOne = std::numeric_limits<std::int32_t>::max();
    const int zeros = std::countl_zero(static_cast<std::uint32_t>(x));
    // x = 2^k (1 + a); half of 1 + a is the denominator.
    const auto a =
        static_cast<std::int64_t>((static_cast<std::uint32_t>(x) << zeros) & 0x7FFFFFFFU);
    const auto half = static_cast<std::int32_t>((a + kOne + 1) / 2);
    // With two integer bits: 48/17 - 32/17 half.
    std::int32_t y = 1515870810 + multiply(half, -1010580540);
    for (int i = 0; i < 3; ++i) {
        const std::int32_t error = (1 << 29) - multiply(half, y);
        y += shift_left(multiply(y, error), 2);
    }
    // Half of y, without integer bits.
    return {shift_left(y, 1), 31 - zeros};
}

// rounding_divide_by_pot() of any shift, as processors of 64 bits compute gemmlowp's: of the mask they keep
// 32 of 64 bits, and of the distance that x is shifted by the low five bits. From 32 on that is x shifted by 32
// less, and 1 more where x is not negative.
inline std::int32_t divide_by_any_pot(std::int32_t x, int shift) {
    if (shift >= 0 && shift <= 31) {
        return rounding_divide_by_pot(x, shift);
    }
    return (x >> (shift & 31)) + (x >= 0 ? 1 : 0);
}

// a / b * m, rounded. b is not 0. Quotients far below 1, and 0, are shifted by more than 31: TFLite has the
// largest integer for them, or the least, or 1.
inline std::int32_t quotient(std::int32_t a, std::int32_t b, const QuantizedMultiplier& m) {
    if (b < 0) {
        a = -a;
        b = -b;
    }
    const Reciprocal inverse = reciprocal(b);
    const int headroom =
        a == 0 ? 31 : std::countl_zero(static_cast<std::uint32_t>(a < 0 ? ~a : a)) - 1;
    const auto wide = static_cast<std::int64_t>(a) * (std::int64_t{1} << headroom);
    const std::int32_t scaled =
        saturating_rounding_doubling_high_mul(static_cast<std::int32_t>(wide), inverse.mantissa);
    return divide_by_any_pot(saturating_rounding_doubling_high_mul(scaled, m.mantissa),
                             headroom + inverse.exponent - m.exponent);
}

}  // namespace fuseq::rules
