// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/eltwise/mirrored_rounding.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "cpu/kernels/eltwise/rounding_steps.hpp"

namespace fuseq::kernels {
namespace {

// What the integers above 0 want of sums with the bias that are positive, and what those below want
// of negative ones, both as steps of magnitudes.
struct Sides {
    RoundingSteps above;
    RoundingSteps below;
};

Sides sides_of(const RoundingSteps& steps, std::int32_t zero_point) {
    Sides sides{some_steps(steps, zero_point, false), some_steps(steps, zero_point, true)};
    for (std::size_t i = 0; i < sides.above.count; ++i) {
        sides.above.byte[i] -= zero_point;
    }
    RoundingSteps& below = sides.below;
    below.min = -steps.max;
    below.max = -steps.min;
    for (std::size_t i = 0; i < below.count; ++i) {  // the last sum of the byte below is the first
        below.byte[i] = zero_point + 1 - below.byte[i];
        below.first[i] = 1 - below.first[i];
    }
    return sides;
}

// The product of 24 bits by 24 is a double.
bool reaches(const MirroredRounding& way, double x, double integer) {
    return sum_reaches(x * static_cast<double>(way.scale), static_cast<double>(way.shift), integer);
}

bool has_steps(const Sides& sides, const MirroredRounding& way) {
    const auto has = [&](double x, double integer) { return reaches(way, x, integer); };
    return way.shift >= 0.0F && way.shift < 1.0F && sides.above.are_those_of(has) &&
           sides.below.are_those_of(has);
}

std::optional<MirroredRounding> search(const Sides& sides, double multiplier) {
    for (int i = 0; i < kNeighbours; ++i) {
        MirroredRounding way{.scale = neighbour(multiplier, i)};
        const auto scale = static_cast<double>(way.scale);
        const ShiftWindow above = window_of(sides.above, scale, 0);
        const ShiftWindow below = window_of(sides.below, scale, 0);
        const ShiftWindow window{std::max({above.low, below.low, 0.0}),
                                 std::min({above.high, below.high, 1.0})};
        if (!window.holds_shift()) {
            continue;
        }
        const auto shift = first_shift(
            window, [](double value) { return value; },
            [&](float value) {
                way.shift = value;
                return has_steps(sides, way);
            });
        if (shift) {
            way.shift = *shift;
            return way;
        }
    }
    return std::nullopt;
}

// All sums give one byte. The sums get the sign of its distance to the zero point.
std::optional<MirroredRounding> constant(const SumRule& rule, std::int64_t byte) {
    const std::int64_t distance = byte - rule.grid.zero_point;
    const std::int64_t offset = distance < 0 ? -1 - rule.max : -rule.min;
    if (rule.max - rule.min >= kMaxFloatSum || std::abs(offset) > kMaxFloatSum) {
        return std::nullopt;
    }
    return MirroredRounding{.shift = static_cast<float>(std::abs(distance)),
                            .offset = static_cast<std::int32_t>(offset)};
}

}  // namespace

std::optional<MirroredRounding> mirrored_way(const SumRule& rule) {
    const std::int64_t lowest = round_sum(rule, rule.min);
    if (lowest == round_sum(rule, rule.max)) {
        return constant(rule, lowest);
    }
    const double multiplier = multiplier_of(rule);
    if (rule.rounding != ProductRounding::kHalfAway || !takes_floats(multiplier) ||
        std::abs(std::int64_t{rule.bias}) > kMaxFloatSum) {
        return std::nullopt;
    }
    auto steps = steps_of(rule, multiplier);
    if (!steps) {
        return std::nullopt;
    }
    const SumRule some = narrowed(rule, *steps);
    const auto is_integer = [&](std::int64_t sum) {
        return std::abs(sum + rule.bias) <= kMaxFloatSum;
    };
    if (!is_integer(some.min) || !is_integer(some.max)) {
        return std::nullopt;
    }
    auto way = search(sides_of(steps->moved(rule.bias), rule.grid.zero_point), multiplier);
    if (way) {
        way->offset = rule.bias;
    }
    return way;
}

}  // namespace fuseq::kernels
