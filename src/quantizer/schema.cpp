// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/schema.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/core.h>

#include "fuseq/error.hpp"

namespace fuseq::quantizer {
namespace {

using Schema = QuantizationSchema;

// What a range of nothing but zeros gets.
constexpr double kScaleOfZeros = 0.1;

// Extends one end so that zero lies on the integer 0.
RealRange symmetric(RealRange range, const IntegerRange& integers) {
    const double from_min = static_cast<double>(range.min) / static_cast<double>(integers.min);
    const double from_max = static_cast<double>(range.max) / static_cast<double>(integers.max);
    if (from_min > from_max) {
        range.max = static_cast<float>(from_min * static_cast<double>(integers.max));
    } else {
        range.min = static_cast<float>(from_max * static_cast<double>(integers.min));
    }
    return range;
}

// From the end where rounding moves less.
std::int32_t zero_point(double min, double max, double scale, const IntegerRange& integers) {
    const auto low = static_cast<double>(integers.min);
    const auto high = static_cast<double>(integers.max);
    const double from_min = low - min / scale;
    const double from_max = high - max / scale;
    const double error_from_min = std::abs(low) + std::abs(min / scale);
    const double error_from_max = std::abs(high) + std::abs(max / scale);
    const double exact = error_from_min < error_from_max ? from_min : from_max;
    return static_cast<std::int32_t>(std::clamp(std::round(exact), low, high));
}

}  // namespace

float magnitude(const RealRange& range) {
    return std::max(std::abs(range.min), std::abs(range.max));
}

IntegerRange integer_range(QuantizationPrecision precision) {
    switch (precision) {
        case QuantizationPrecision::kInt8: return {-128, 127};
        case QuantizationPrecision::kInt16: return {-32768, 32767};
        case QuantizationPrecision::kInt32: break;
    }
    return {std::numeric_limits<std::int32_t>::min() >> 2,
            std::numeric_limits<std::int32_t>::max() >> 2};
}

RealRange ScaleAndOffset::limits() const {
    return {dequantize(integers.min), dequantize(integers.max)};
}

std::int64_t ScaleAndOffset::quantize(float value) const {
    const float q = std::nearbyint(value / scale + static_cast<float>(offset));
    // The ends of 30-bit ranges are no f32: compared in double.
    return static_cast<std::int64_t>(std::clamp(static_cast<double>(q),
                                                static_cast<double>(integers.min),
                                                static_cast<double>(integers.max)));
}

float ScaleAndOffset::dequantize(std::int64_t q) const {
    return static_cast<float>(static_cast<double>(q - offset) * static_cast<double>(scale));
}

ScaleAndOffset choose_scale(RealRange range, Schema schema, const IntegerRange& integers) {
    if (!std::isfinite(range.min) || !std::isfinite(range.max) || range.min > range.max) {
        throw Error("quantize",
                    fmt::format("no scale holds the range [{:g}, {:g}]", range.min, range.max));
    }
    range.min = std::min(range.min, 0.0f);
    range.max = std::max(range.max, 0.0f);
    const bool unsigned_range = schema == Schema::kSymmetricWithUint8 && range.min >= 0;
    const bool centred = schema != Schema::kAsymmetric && !unsigned_range;
    if (centred) {
        range = symmetric(range, integers);
    }
    const double min = range.min;
    const double max = range.max;
    double scale = (max - min) / static_cast<double>(integers.max - integers.min);
    // Below the smallest normal f32: values of channels that a batch norm has switched off.
    if (scale < static_cast<double>(std::numeric_limits<float>::min())) {
        scale = kScaleOfZeros;
    }
    ScaleAndOffset result{0.0f, centred ? 0 : zero_point(min, max, scale, integers), integers};
    if (schema == Schema::kSymmetricWithPower2Scale) {
        scale = std::exp2(std::ceil(std::log2(scale)));
    }
    result.scale = static_cast<float>(scale);
    return result;
}

}  // namespace fuseq::quantizer
