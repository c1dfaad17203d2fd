// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// XNNPACK's sum of two tensors: both multipliers as integers under one shift, one rounding half up.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace fuseq::rules {

struct SharedShift {
    std::int64_t a = 0;
    std::int64_t b = 0;
    int shift = 1;

    // a * scale_a / scale_out + b * scale_b / scale_out
    static SharedShift of(float scale_a, float scale_b, float scale_out) {
        constexpr int kBits = 20;
        const float a = scale_a / scale_out;
        const float b = scale_b / scale_out;
        const int exponent = std::ilogb(std::max(a, b));
        const int shift = std::clamp(kBits - exponent, 1, 62);
        return {static_cast<std::int64_t>(std::rint(std::ldexp(static_cast<double>(a), shift))),
                static_cast<std::int64_t>(std::rint(std::ldexp(static_cast<double>(b), shift))),
                shift};
    }
    std::int64_t sum(std::int64_t x, std::int64_t y) const {
        return (x * a + y * b + (std::int64_t{1} << (shift - 1))) >> shift;
    }
};

}  // namespace fuseq::rules
