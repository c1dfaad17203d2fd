// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// M16: sums of 64 bits (of which TFLite uses 48), the mantissa cut to 16 bits, one rounding half
// up.
#pragma once

#include "ops/quantized/rules/fixed_point.hpp"

namespace fuseq::rules {

struct M16Multiplier {
    std::int32_t mantissa = 0;
    int shift = 1;  // to 46
};
inline M16Multiplier m16_multiplier(const QuantizedMultiplier& m) {
    constexpr std::int32_t kSaturates = 0x7FFF0000;
    constexpr std::int32_t kLargest = 0x7FFF;
    constexpr std::int32_t kHalf = 1 << 15;
    return {.mantissa = m.mantissa < kSaturates ? (m.mantissa + kHalf) >> 16 : kLargest,
            .shift = 15 - std::min(m.exponent, 14)};
}

inline std::int64_t m16(std::int64_t sum, const QuantizedMultiplier& m) {
    const M16Multiplier by = m16_multiplier(m);
    return (sum * by.mantissa + (std::int64_t{1} << (by.shift - 1))) >> by.shift;
}

}  // namespace fuseq::rules
