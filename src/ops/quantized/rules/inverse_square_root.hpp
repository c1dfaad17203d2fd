// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// 1 / sqrt(x) of an integer as TFLite's integer kernels have it: five steps of Newton from 1 with 28
// fractional bits, which leaves small errors where x is far from a power of four.
#pragma once

#include <bit>

#include "ops/quantized/rules/fixed_point.hpp"

namespace fuseq::rules {

// x * 2^exponent, saturated or rounded half away from zero.
inline std::int32_t times_power_of_two(std::int32_t x, int exponent) {
    return exponent >= 0 ? shift_left(x, exponent) : rounding_divide_by_pot(x, -exponent);
}

// x >= 0; of 0 as of 1. The mantissa may be below 2^30.
inline QuantizedMultiplier inverse_square_root(std::int32_t x) {
    if (x <= 1) {
        return {std::numeric_limits<std::int32_t>::max(), 0};
    }
    // x = m * 4^k with m in [2^27, 2^29): half of it has 3 integer bits.
    int shift = 11;
    while (x >= 1 << 29) {
        x /= 4;
        ++shift;
    }
    const int pairs = (std::countl_zero(static_cast<std::uint32_t>(x)) - 1) / 2 - 1;
    shift -= pairs;
    x <<= 2 * pairs;
    constexpr auto multiply = saturating_rounding_doubling_high_mul;
    constexpr std::int32_t kThreeHalves = (1 << 28) + (1 << 27);
    constexpr std::int32_t kHalfRootOfTwo = 1518500250;  // no integer bits
    const std::int32_t half = rounding_divide_by_pot(x >> 1, 1);
    std::int32_t root = 1 << 28;
    for (int i = 0; i < 5; ++i) {
        const std::int32_t cube = times_power_of_two(multiply(multiply(root, root), root), 6);
        const std::int32_t next = multiply(kThreeHalves, root) - multiply(half, cube);
        root = times_power_of_two(next, 3);
    }
    root = multiply(root, kHalfRootOfTwo);
    return shift < 0 ? QuantizedMultiplier{root * (1 << -shift), 0}
                     : QuantizedMultiplier{root, -shift};
}

}  // namespace fuseq::rules
