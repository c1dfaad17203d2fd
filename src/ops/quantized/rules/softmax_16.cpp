// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/quantized/rules/softmax_16.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "ops/quantized/rules/d1.hpp"
#include "ops/quantized/rules/d2.hpp"

namespace fuseq::rules {
namespace {

constexpr std::int32_t kLowest = std::numeric_limits<std::int16_t>::min();
constexpr std::int32_t kHighest = std::numeric_limits<std::int16_t>::max();
constexpr int kLineBits = 7;

// 512 places of a range and its end.
using Table = std::array<std::int16_t, 513>;

// Each value is moved by half of what the line to the next one misses in the middle; all are
// rounded, also what lies between.
template <class Function>
Table make_table(double from, double to, Function function) {
    constexpr double kOne = 32768.0;
    const auto rounded = [&](double x) { return std::round(function(x) * kOne); };
    const auto stored = [](double value) {
        return static_cast<std::int16_t>(std::clamp<double>(value, kLowest, kHighest));
    };
    Table table;
    const double step = (to - from) / static_cast<double>(table.size() - 1);
    for (std::size_t i = 0; i + 1 < table.size(); ++i) {
        const double at = from + static_cast<double>(i) * step;
        const double next = function(from + static_cast<double>(i + 1) * step) * kOne;
        const double line = std::round((next + rounded(at)) / 2);
        const double missed = line - rounded(at + step / 2);
        table[i] = stored(rounded(at) - std::round(missed / 2));
    }
    table.back() = stored(rounded(to));
    return table;
}

// i16 at the place of an i16 in the range.
std::int32_t look_up(const Table& table, std::int32_t place) {
    const auto index = static_cast<std::size_t>((place - kLowest) >> kLineBits);
    const std::int32_t rest = place & ((1 << kLineBits) - 1);
    const std::int32_t slope = table[index + 1] - table[index];
    return table[index] + ((slope * rest + (1 << (kLineBits - 1))) >> kLineBits);
}

std::int32_t clamped(std::int64_t value) {
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(value, kLowest, kHighest));
}

std::vector<std::int16_t> make_powers(const QuantizedMultiplier& multiplier, RoundingRule rule) {
    constexpr double kLeast = -10;  // e^-10 is one step
    constexpr std::int32_t kMaxDistance = 65535;
    const Table table = make_table(kLeast, 0, [](double x) { return std::exp(x); });
    std::vector<std::int16_t> powers;
    for (std::int32_t distance = 0; distance <= kMaxDistance; ++distance) {
        const std::int64_t scaled =
            rule == RoundingRule::kD1 ? d1(-distance, multiplier) : d2(-distance, multiplier);
        powers.push_back(static_cast<std::int16_t>(look_up(table, clamped(scaled + kHighest))));
        if (scaled + kHighest <= kLowest) {
            break;
        }
    }
    return powers;
}

}  // namespace

Reciprocal16 reciprocal_16(std::uint32_t sum) {
    static const Table table = make_table(0, 1, [](double x) { return 1 / (1 + x); });
    constexpr std::int64_t kHalf = 1 << 13;
    constexpr std::int64_t kMiddle = (1 << 16) + (1 << 15);  // of [1, 2] in steps of 2^-16
    const int zeros = std::countl_zero(sum) - 1;
    const std::int64_t mantissa = ((static_cast<std::int64_t>(sum) << zeros) + kHalf) >> 14;
    return {look_up(table, clamped(mantissa - kMiddle)), 30 - zeros};
}

Softmax16::Softmax16(float input_scale, float beta, RoundingRule rule)
    : powers_(make_powers(
          quantize_multiplier(static_cast<double>(input_scale * beta) / (10.0 / 65535.0)), rule)) {}

void Softmax16::operator()(const std::int32_t* src,
                           std::int64_t* dst,
                           std::size_t size,
                           std::size_t step) const {
    std::int32_t top = src[0];
    for (std::size_t i = 1; i < size; ++i) {
        top = std::max(top, src[i * step]);
    }
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < size; ++i) {
        const auto distance = static_cast<std::size_t>(top - src[i * step]);
        const std::int64_t power = powers_[std::min(distance, powers_.size() - 1)];
        dst[i * step] = power;
        sum += power;
    }
    // TFLite's sums have 32 bits; more than 65536 elements may be too many.
    constexpr std::int64_t kLargestSum = std::numeric_limits<std::int32_t>::max();
    const Reciprocal16 by = reciprocal_16(static_cast<std::uint32_t>(std::min(sum, kLargestSum)));
    const std::int64_t half = std::int64_t{1} << (by.shift - 1);
    for (std::size_t i = 0; i < size; ++i) {
        dst[i * step] =
            std::clamp<std::int64_t>((dst[i * step] * by.factor + half) >> by.shift, 0, kHighest);
    }
}

}  // namespace fuseq::rules
