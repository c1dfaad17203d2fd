// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/eltwise/floored_rounding.hpp"

#include <cmath>
#include <iterator>

#include "cpu/kernels/eltwise/rounding_steps.hpp"

namespace fuseq::kernels {
namespace {

// Whether a + b >= limit, exactly: the limit is a float, so that rounding a sum does not move it to
// the other side, and the rounding error of a sum is a double.
bool reaches(double a, double b, double limit) {
    const double sum = a + b;
    if (sum != limit) {
        return sum > limit;
    }
    const double part = sum - a;
    return (a - (sum - part)) + (b - part) >= 0;
}

bool has_steps(const RoundingSteps& steps, const FloorRounding& way) {
    return steps.are_those_of([&](double sum, double byte) {
        const double product = sum * static_cast<double>(way.scale);  // exact: 24 bits by 24
        const float rest = std::fma(static_cast<float>(sum), way.rest, way.shift);
        return reaches(product, static_cast<double>(rest), byte);
    });
}

std::optional<FloorRounding> search(const RoundingSteps& steps, double multiplier) {
    FloorRounding way{.scale = static_cast<float>(multiplier)};
    if (static_cast<double>(way.scale) > multiplier) {
        way.scale = std::nextafter(way.scale, 0.0F);
    }
    way.rest = static_cast<float>(multiplier - static_cast<double>(way.scale));
    const ShiftWindow window = window_of(steps, multiplier, 0);
    if (!window.holds_shift()) {
        return std::nullopt;
    }
    const auto shift = first_shift(
        window, [](double sum) { return sum; },
        [&](float value) {
            way.shift = value;
            return has_steps(steps, way);
        });
    return shift ? std::optional(way) : std::nullopt;
}

}  // namespace

std::optional<FloorRounding> floored_way(const SumRule& rule) {
    const std::int64_t lowest = round_sum(rule, rule.min);
    if (lowest == round_sum(rule, rule.max)) {
        return FloorRounding{.shift = static_cast<float>(lowest)};
    }
    const double multiplier = multiplier_of(rule);
    if (!takes_floats(multiplier)) {
        return std::nullopt;
    }
    const auto steps = steps_of(rule, multiplier);
    auto way = steps ? search(*steps, multiplier) : std::nullopt;
    for (std::size_t i = 0; steps && !way && i < std::size(kSumMoves); ++i) {
        if (const auto offset = offset_of(rule, multiplier, kSumMoves[i])) {
            way = search(steps->moved(*offset), multiplier);
            if (way) {
                way->offset = *offset;
            }
        }
    }
    return way;
}

}  // namespace fuseq::kernels
