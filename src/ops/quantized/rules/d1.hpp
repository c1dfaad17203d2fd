// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// D1: one rounding of the whole product, half up.
#pragma once

#include "ops/quantized/rules/fixed_point.hpp"

namespace fuseq::rules {

// 1 to 62
inline int d1_shift(const QuantizedMultiplier& m) {
    constexpr int kMantissaBits = 31;
    constexpr int kMaxExponent = 30;
    return kMantissaBits - std::min(m.exponent, kMaxExponent);
}

inline std::int32_t d1(std::int32_t sum, const QuantizedMultiplier& m) {
    const int shift = d1_shift(m);
    const std::int64_t half = std::int64_t{1} << (shift - 1);
    return saturate_to_i32((static_cast<std::int64_t>(sum) * m.mantissa + half) >> shift);
}

}  // namespace fuseq::rules
