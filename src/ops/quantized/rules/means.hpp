// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Means of TFLite 2.9: the general one, in f32, or cut off to an integer where src and dst have one
// grid; that of u8 over height and width, whose zero points are a bias; and that of i8 and i16 over
// them. Held against its library (tests/unit/readers_tflite/cases).
#pragma once

#include <algorithm>
#include <cmath>

#include "ops/quantized/rules/d2.hpp"
#include "ops/quantized/rules/half_away.hpp"

namespace fuseq::rules {

struct MeanGrids {
    float input_scale = 1.0F;
    std::int64_t input_zero_point = 0;
    float output_scale = 1.0F;
    std::int64_t output_zero_point = 0;
};

// `sum`: of the integers as they are stored, `count` of them.
inline std::int64_t real_mean(const MeanGrids& g, std::int64_t sum, std::int64_t count) {
    if (g.input_scale == g.output_scale && g.input_zero_point == g.output_zero_point) {
        return sum / count;
    }
    const float scale = g.input_scale / g.output_scale;
    const float bias = static_cast<float>(-g.input_zero_point) * scale;
    const float mean = static_cast<float>(sum) / static_cast<float>(count);
    const float scaled = mean * scale;
    return static_cast<std::int64_t>(std::round(scaled + bias)) + g.output_zero_point;
}

inline std::int64_t raw_mean(const MeanGrids& g, std::int64_t sum, std::int64_t count) {
    const float product = static_cast<float>(g.input_zero_point) * g.input_scale;
    const float zero = product / g.output_scale;
    const auto moved = static_cast<std::int64_t>(std::trunc(zero > 0 ? zero + 0.5F : zero - 0.5F));
    const float steps = static_cast<float>(count) * g.output_scale;
    const QuantizedMultiplier m = quantize_multiplier(static_cast<double>(g.input_scale / steps));
    return d2(saturate_to_i32(sum), m) + g.output_zero_point - moved;
}

inline std::int64_t divided_mean(const MeanGrids& g, std::int64_t sum, std::int64_t count) {
    const QuantizedMultiplier m = quantize_multiplier(static_cast<double>(g.input_scale) /
                                                      static_cast<double>(g.output_scale));
    const std::int64_t centered = sum - count * g.input_zero_point;
    return divide_half_away(d2(saturate_to_i32(centered), m), count) + g.output_zero_point;
}

}  // namespace fuseq::rules
