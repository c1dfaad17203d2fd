// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/quantized/rules/sigmoid_16.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/quantized/rules/fixed_point_16.hpp"
#include "ops/quantized/rules/power_of_two.hpp"

namespace fuseq::rules {
namespace {

constexpr int kFractionBits = 12;
constexpr std::int32_t kSteps = 3;  // of the source, a step of 2^-12
constexpr double kPerUnit = 24;     // sigmoids of the table

double sigmoid_at(double place) {
    return 65536.0 / (1.0 + std::exp(-place / kPerUnit));
}

SigmoidTable make_table() {
    SigmoidTable table;
    for (std::size_t i = 0; i < table.size(); ++i) {
        const auto at = static_cast<double>(i);
        const double line = (sigmoid_at(at) + sigmoid_at(at + 1)) / 2;
        const double missed = sigmoid_at(at + 0.5) - line;
        table[i] = static_cast<std::uint16_t>(std::round(sigmoid_at(at) + missed / 2));
    }
    table.back() = std::numeric_limits<std::uint16_t>::max();
    return table;
}

struct Place {
    std::uint32_t index;
    std::uint32_t rest;
};

Place place_of(std::int32_t steps, int bits) {
    const std::uint32_t magnitude =
        steps < 0 ? 0U - static_cast<std::uint32_t>(steps) : static_cast<std::uint32_t>(steps);
    return {magnitude >> bits, magnitude & ((1U << bits) - 1)};
}

// With `bits` more bits than the table. Precondition: place.index + 1 is in it
std::int32_t on_line(const SigmoidTable& table, Place place, int bits) {
    const std::int32_t from = table[place.index];
    const std::int32_t to = table[place.index + 1];
    return (from << bits) + static_cast<std::int32_t>(place.rest) * (to - from);
}

std::int32_t logistic(const SigmoidTable& table, std::int32_t steps) {
    constexpr int kBits = 9;
    constexpr int kDropped = kBits + 1;  // 2^16 to 2^15
    constexpr std::int32_t kHalf = 1 << (kDropped - 1);
    const Place place = place_of(steps, kBits);
    const std::int32_t value =
        place.index + 1 >= table.size() ? 0x7FFF << kDropped : on_line(table, place, kBits);
    return (steps >= 0 ? value + kHalf : (1 << (16 + kBits)) - value + kHalf - 1) >> kDropped;
}

std::int32_t tanh(const SigmoidTable& table, std::int32_t steps) {
    constexpr int kBits = 8;
    constexpr std::int32_t kHalf = 1 << (kBits - 1);
    constexpr std::int32_t kMiddle = 1 << (15 + kBits);
    const Place place = place_of(steps, kBits);
    const std::int32_t value =
        place.index + 1 >= table.size() ? 0xFFFF << kBits : on_line(table, place, kBits);
    return (steps >= 0 ? value - kMiddle + kHalf : kMiddle - value + kHalf - 1) >> kBits;
}

}  // namespace

const SigmoidTable& sigmoid_table() {
    static const SigmoidTable table = make_table();
    return table;
}

Sigmoid16::Sigmoid16(float input_scale, Form form) : form_(form), table_(sigmoid_table()) {
    const std::optional<int> exponent = power_of_two(input_scale);
    if (exponent) {
        const int shift = kFractionBits + *exponent;
        if (shift == 0 || (shift == 1 && form.tanh)) {
            left_shift_ = form.fixed_point ? std::optional(shift) : std::nullopt;
            multiplier_ = kSteps << shift;
            return;
        }
    }
    constexpr double kHalfOfLargest = 32767.0 / 2;
    constexpr int kMaxShift = 31;
    double multiplier = static_cast<double>(input_scale) * (1 << kFractionBits) * kSteps;
    while (multiplier <= kHalfOfLargest && right_shift_ < kMaxShift) {
        multiplier *= 2;
        ++right_shift_;
    }
    constexpr double kLargest = std::numeric_limits<std::int32_t>::max();
    multiplier_ = static_cast<std::int32_t>(std::min(multiplier, kLargest));
}

std::int32_t Sigmoid16::by_fixed_point(std::int32_t q) const {
    constexpr int kIntegerBits = 15 - kFractionBits;
    const std::int32_t raw = fixed_16::saturate(q * (1 << *left_shift_));
    return form_.tanh ? fixed_16::tanh(raw, kIntegerBits) : fixed_16::logistic(raw, kIntegerBits);
}

// Products of scales above 5.3 leave 32 bits and wrap.
std::int32_t Sigmoid16::by_table(std::int32_t q) const {
    const std::int64_t half = right_shift_ == 0 ? 0 : std::int64_t{1} << (right_shift_ - 1);
    const auto product =
        static_cast<std::int32_t>(static_cast<std::int64_t>(q) * multiplier_ + half);
    const std::int32_t steps = product >> right_shift_;
    return form_.tanh ? tanh(table_, steps) : logistic(table_, steps);
}

}  // namespace fuseq::rules
