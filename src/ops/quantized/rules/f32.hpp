// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The rules with a multiplier of f32. The sum is rounded to f32 first, then the product.
#pragma once

#include <cmath>
#include <cstdint>

namespace fuseq::rules {

// Results are kept far inside of 64 bits; they are saturated to a type of 8 or 16 bits later.
inline std::int64_t to_integer(float value) {
    constexpr float kBound = 1.0e15F;
    if (!(value > -kBound)) {
        return static_cast<std::int64_t>(-kBound);  // NaN too
    }
    return static_cast<std::int64_t>(value < kBound ? value : kBound);
}

// F32: half to even, the zero point afterwards.
inline std::int64_t f32(std::int64_t sum, float multiplier, std::int64_t zero_point) {
    return to_integer(std::rint(static_cast<float>(sum) * multiplier)) + zero_point;
}

// The zero point is added before the rounding.
inline std::int64_t f32_zero_first(std::int64_t sum, float multiplier, std::int64_t zero_point) {
    const float scaled = static_cast<float>(sum) * multiplier;
    return to_integer(std::rint(scaled + static_cast<float>(zero_point)));
}

// Half away from zero, the zero point afterwards.
inline std::int64_t f32_half_away(std::int64_t sum, float multiplier, std::int64_t zero_point) {
    return to_integer(std::round(static_cast<float>(sum) * multiplier)) + zero_point;
}

// What a sum of two tensors begins with: zero_point - (a * zero_a + b * zero_b), a and b their scales
// by that of the result; the first product is not rounded, as in the kernels of ONNX Runtime.
inline float f32_sum_offset(
    float a, std::int64_t zero_a, float b, std::int64_t zero_b, std::int64_t zero_point) {
    const float products = std::fma(a, static_cast<float>(zero_a), b * static_cast<float>(zero_b));
    return static_cast<float>(zero_point) - products;
}

}  // namespace fuseq::rules
