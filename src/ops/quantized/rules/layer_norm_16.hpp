// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Normalization of a gate of TFLite's integer LSTM: values of 16 bits less their mean, by their standard
// deviation, in integers with ten fractional bits; then a weight and a bias, and D2 to steps of 2^-12.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "ops/quantized/rules/d2.hpp"
#include "ops/quantized/rules/fixed_point_16.hpp"
#include "ops/quantized/rules/inverse_square_root.hpp"

namespace fuseq::rules::layer_norm_16 {

// (q * 2^10 - mean) * scale, the scale being 1 / deviation.
struct Moments {
    std::int32_t mean = 0;  // 2^10 times
    QuantizedMultiplier inverse_deviation;
};

// `least`: the variance where that of the values is below 1.
inline Moments moments(std::span<const std::int16_t> values, std::int32_t least) {
    std::int64_t sum = 0;
    std::int64_t squares = 0;
    for (const std::int64_t value : values) {
        sum += value;
        squares += value * value;
    }
    constexpr std::int64_t kOne = 1 << 20;  // the square of 2^10
    const auto count = static_cast<std::int64_t>(values.size());
    Moments result;
    result.mean = static_cast<std::int32_t>(sum * 1024 / count);
    const std::int64_t squared_mean = static_cast<std::int64_t>(result.mean) * result.mean;
    const std::int64_t variance = (squares * (kOne / count) - squared_mean) / kOne;
    const std::int32_t taken = variance < 1 ? least : saturate_to_i32(variance);
    result.inverse_deviation = inverse_square_root(taken);
    return result;
}

// Of one value with its weight and bias; `to_steps`: the weights' scale times 2^12.
inline std::int16_t normalized(std::int16_t value,
                               const Moments& of,
                               std::int32_t weight,
                               std::int32_t bias,
                               const QuantizedMultiplier& to_steps) {
    const std::int64_t scaled = d2(value * 1024 - of.mean, of.inverse_deviation);
    const std::int64_t weighted = scaled * weight + bias;
    const std::int64_t rounded = (weighted + (weighted > 0 ? 512 : -512)) / 1024;
    return static_cast<std::int16_t>(fixed_16::saturate(d2(saturate_to_i32(rounded), to_steps)));
}

}  // namespace fuseq::rules::layer_norm_16
