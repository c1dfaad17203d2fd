// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/eltwise/floored_rounding.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "cpu/kernels/eltwise/rounding_steps.hpp"

namespace fuseq::kernels {
namespace {

// a * b + c, rounded down. |a| is an integer of 24 bits: in doubles the product is exact.
float fma_down(double a, float b, float c) {
    const double product = a * static_cast<double>(b);
    const auto value = static_cast<float>(product + static_cast<double>(c));
    const bool is_below = sum_reaches(product, static_cast<double>(c), static_cast<double>(value));
    return is_below ? value : std::nextafter(value, std::numeric_limits<float>::lowest());
}

bool reaches(const FloorRounding& way, double sum, double byte) {
    const double product = sum * static_cast<double>(way.scale);  // exact: 24 bits by 24
    const float low = fma_down(sum, way.rest, sum < 0 ? way.below : way.shift);
    return sum_reaches(product, static_cast<double>(low), byte);
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

// One line with one multiply-add.
std::optional<FloorRounding> search_one(const RoundingSteps& steps, double multiplier) {
    for (int i = 0; i < kNeighbours; ++i) {
        const FloorRounding way{.scale = neighbour(multiplier, i)};
        const ShiftWindow window = window_of(steps, static_cast<double>(way.scale), 0);
        if (window.holds_shift()) {
            if (const auto found = with_scale(steps, window, way)) {
                return found;
            }
        }
    }
    return std::nullopt;
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

// One line of moved sums: search(steps, multiplier).
template <class Search>
std::optional<FloorRounding> search_moved(const SumRule& some,
                                          const RoundingSteps& steps,
                                          double multiplier,
                                          const Search& search) {
    for (const SumMove& move : kSumMoves) {
        if (const auto offset = offset_of(some, multiplier, move)) {
            if (auto way = search(steps.moved(*offset), multiplier)) {
                way->offset = *offset;
                return way;
            }
        }
    }
    return std::nullopt;
}

// search(rule, steps, multiplier) of the sums at steps; all sums may have one byte.
template <class Search>
std::optional<FloorRounding> search_rule(const SumRule& rule, const Search& search) {
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
    return steps ? search(narrowed(rule, *steps), *steps, multiplier) : std::nullopt;
}

std::optional<FloorRounding> search_all(const SumRule& some,
                                        const RoundingSteps& steps,
                                        double multiplier) {
    auto way = search(steps, multiplier);
    if (!way && some.rounding == ProductRounding::kHalfAway) {
        way = search_two(some, steps, multiplier);
    }
    return way ? way : search_moved(some, steps, multiplier, search);
}

}  // namespace

std::optional<FloorRounding> floored_way(const SumRule& rule) {
    return search_rule(rule, search_all);
}

std::optional<FloorRounding> one_floor_way(const SumRule& rule) {
    return search_rule(rule,
                       [](const SumRule& some, const RoundingSteps& steps, double multiplier) {
                           return search_moved(some, steps, multiplier, search_one);
                       });
}

}  // namespace fuseq::kernels
