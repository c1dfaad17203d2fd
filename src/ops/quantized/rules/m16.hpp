// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// M16: sums of 64 bits (of which TFLite uses 48), the mantissa cut to 16 bits, one rounding half
// up.
#pragma once

#include "ops/quantized/rules/fixed_point.hpp"

namespace fuseq::rules {

inline std::int64_t m16(std::int64_t sum, const QuantizedMultiplier& m) {
    constexpr std::int32_t kSaturates = 0x7FFF0000;
    constexpr std::int32_t kLargest = 0x7FFF;
    constexpr std::int32_t kHalf = 1 << 15;
    const std::int32_t mantissa = m.mantissa < kSaturates ? (m.mantissa + kHalf) >> 16 : kLargest;
    const int shift = 15 - std::min(m.exponent, 14);  // 1 to 46
    return (sum * mantissa + (std::int64_t{1} << (shift - 1))) >> shift;
}

}  // namespace fuseq::rules
