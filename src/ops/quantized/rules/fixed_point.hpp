// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Fixed-point arithmetic of gemmlowp and TFLite, on which the rules stand.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace fuseq::rules {

// real = mantissa / 2^31 * 2^exponent, mantissa in [2^30, 2^31).
struct QuantizedMultiplier {
    std::int32_t mantissa = 0;
    int exponent = 0;
};

// TFLite's QuantizeMultiplier: the mantissa is rounded half away from zero; below 2^-32 all is 0.
inline QuantizedMultiplier quantize_multiplier(double real) {
    if (real == 0.0) {
        return {};
    }
    constexpr std::int64_t kOne = std::int64_t{1} << 31;
    constexpr int kMaxShift = 31;
    int exponent = 0;
    const double fraction = std::frexp(real, &exponent);
    auto mantissa = static_cast<std::int64_t>(std::round(fraction * static_cast<double>(kOne)));
    if (mantissa == kOne) {
        mantissa /= 2;
        ++exponent;
    }
    if (exponent < -kMaxShift) {
        return {};
    }
    return {static_cast<std::int32_t>(mantissa), exponent};
}

inline std::int32_t saturate_to_i32(std::int64_t value) {
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(
        value, std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()));
}

// x * 2^left in 32 bits, saturated (the frameworks leave an overflow undefined).
inline std::int32_t shift_left(std::int32_t x, int left) {
    constexpr int kMaxShift = 31;
    return saturate_to_i32(static_cast<std::int64_t>(x) *
                           (std::int64_t{1} << std::min(left, kMaxShift)));
}

// SRDHM: the high half of 2 * a * b, half away from zero.
inline std::int32_t saturating_rounding_doubling_high_mul(std::int32_t a, std::int32_t b) {
    constexpr std::int32_t kLowest = std::numeric_limits<std::int32_t>::min();
    if (a == kLowest && b == kLowest) {
        return std::numeric_limits<std::int32_t>::max();
    }
    const std::int64_t product = static_cast<std::int64_t>(a) * b;
    constexpr std::int64_t kHalf = std::int64_t{1} << 30;
    const std::int64_t nudge = product >= 0 ? kHalf : 1 - kHalf;
    return static_cast<std::int32_t>((product + nudge) / (std::int64_t{1} << 31));
}

// x / 2^shift, half away from zero. 0 <= shift <= 31
inline std::int32_t rounding_divide_by_pot(std::int32_t x, int shift) {
    const std::int64_t mask = (std::int64_t{1} << shift) - 1;
    const std::int64_t rest = x & mask;
    const std::int64_t threshold = (mask >> 1) + (x < 0 ? 1 : 0);
    return (x >> shift) + (rest > threshold ? 1 : 0);
}

// x / 2^shift, half up. 0 <= shift <= 31
inline std::int32_t rounding_divide_by_pot_up(std::int32_t x, int shift) {
    if (shift == 0) {
        return x;
    }
    return static_cast<std::int32_t>(
        (static_cast<std::int64_t>(x) + (std::int64_t{1} << (shift - 1))) >> shift);
}

}  // namespace fuseq::rules
