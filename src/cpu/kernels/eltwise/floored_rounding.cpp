// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/eltwise/floored_rounding.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <limits>

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

// a * b + c, rounded down. |a| is an integer of 24 bits: in doubles the product is exact.
float fma_down(double a, float b, float c) {
    const double product = a * static_cast<double>(b);
    const auto value = static_cast<float>(product + static_cast<double>(c));
    const bool is_below = reaches(product, static_cast<double>(c), static_cast<double>(value));
    return is_below ? value : std::nextafter(value, std::numeric_limits<float>::lowest());
}

bool reaches(const FloorRounding& way, double sum, double byte) {
    const double product = sum * static_cast<double>(way.scale);  // exact: 24 bits by 24
    const float low = fma_down(sum, way.rest, sum < 0 ? way.below : way.shift);
    return reaches(product, static_cast<double>(low), byte);
}

bool has_steps(const RoundingSteps& steps, const FloorRounding& way) {
    return steps.are_those_of([&](double sum, double byte) { return reaches(way, sum, byte); });
}

// The two parts of the scale.
FloorRounding parts_of(double multiplier) {
    FloorRounding way{.scale = static_cast<float>(multiplier)};
    if (static_cast<double>(way.scale) > multiplier) {
        way.scale = std::nextafter(way.scale, 0.0F);
    }
    way.rest = static_cast<float>(multiplier - static_cast<double>(way.scale));
    return way;
}

std::optional<FloorRounding> with_scale(const RoundingSteps& steps,
                                        const ShiftWindow& window,
                                        FloorRounding way) {
    const auto shift = first_shift(
        window, [](double sum) { return sum; },
        [&](float value) {
            way.shift = way.below = value;
            return has_steps(steps, way);
        });
    return shift ? std::optional(way) : std::nullopt;
}

// One line. Rounded down, the rest of a sum below 0 takes away all of a float's last bit, which may be
// many sums: then without it.
std::optional<FloorRounding> search(const RoundingSteps& steps, double multiplier) {
    FloorRounding way = parts_of(multiplier);
    const ShiftWindow window = window_of(steps, multiplier, 0);
    if (!window.holds_shift()) {
        return std::nullopt;
    }
    if (const auto found = with_scale(steps, window, way)) {
        return found;
    }
    way.rest = 0.0F;
    return with_scale(steps, window, way);
}

// The rule of the sums at steps. All others have the first byte of the grid or the last one, which
// larger floats have too, or stay.
SumRule at_steps(const SumRule& rule, const RoundingSteps& steps) {
    SumRule some = rule;
    if (steps.count != 0 && round_sum(rule, rule.min) == rule.grid.lowest) {
        some.min = static_cast<std::int64_t>(steps.first[0]) - 1;
    }
    if (steps.count != 0 && round_sum(rule, rule.max) == rule.grid.highest) {
        some.max = static_cast<std::int64_t>(steps.first[steps.count - 1]);
    }
    return some;
}

// Of sums with the bias, which so have the sign that divides the lines.
std::optional<FloorRounding> search_two(const SumRule& rule,
                                        const RoundingSteps& all,
                                        double multiplier) {
    const auto is_integer = [&](std::int64_t sum) {
        return std::abs(sum + rule.bias) <= kMaxFloatSum;
    };
    if (std::abs(std::int64_t{rule.bias}) > kMaxFloatSum || !is_integer(rule.min) ||
        !is_integer(rule.max)) {
        return std::nullopt;
    }
    const double zero_point = rule.grid.zero_point;
    const RoundingSteps steps = all.moved(rule.bias);
    const RoundingSteps sides[] = {some_steps(steps, rule.grid.zero_point, false),
                                   some_steps(steps, rule.grid.zero_point, true)};
    if (sides[0].count == 0 || sides[1].count == 0) {
        return std::nullopt;
    }
    const auto above = search(sides[0], multiplier);
    const auto below = above ? search(sides[1], multiplier) : std::nullopt;
    if (!below || below->rest != above->rest) {
        return std::nullopt;
    }
    FloorRounding way = *above;
    way.below = below->shift;
    way.offset = rule.bias;
    // The byte of the zero point on both sides.
    return !reaches(way, -1, zero_point + 1) && reaches(way, 0, zero_point) && has_steps(steps, way)
               ? std::optional(way)
               : std::nullopt;
}

}  // namespace

std::optional<FloorRounding> floored_way(const SumRule& rule) {
    const std::int64_t lowest = round_sum(rule, rule.min);
    if (lowest == round_sum(rule, rule.max)) {
        return FloorRounding{.shift = static_cast<float>(lowest),
                             .below = static_cast<float>(lowest)};
    }
    const double multiplier = multiplier_of(rule);
    if (!takes_floats(multiplier)) {
        return std::nullopt;
    }
    auto steps = steps_of(rule, multiplier);
    if (!steps) {
        return std::nullopt;
    }
    const SumRule some = at_steps(rule, *steps);
    steps->min = static_cast<double>(some.min);
    steps->max = static_cast<double>(some.max);
    auto way = search(*steps, multiplier);
    if (!way && rule.rounding == ProductRounding::kHalfAway) {
        way = search_two(some, *steps, multiplier);
    }
    for (std::size_t i = 0; !way && i < std::size(kSumMoves); ++i) {
        if (const auto offset = offset_of(some, multiplier, kSumMoves[i])) {
            way = search(steps->moved(*offset), multiplier);
            if (way) {
                way->offset = *offset;
            }
        }
    }
    return way;
}

}  // namespace fuseq::kernels
