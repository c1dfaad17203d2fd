// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/eltwise/short_rounding.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "cpu/kernels/eltwise/rounding_steps.hpp"

namespace fuseq::kernels {
namespace {

// Half to even, without a call. |v| < 2^51.
double nearest(double v) {
    constexpr double kInteger = 0x1.8p52;  // its last bit counts ones
    return (v + kInteger) - kInteger;
}

// Whether value(sum) has all steps where they are.
template <class Value>
bool has_steps(const RoundingSteps& steps, const Value& value) {
    return steps.are_those_of([&](double sum, double byte) { return nearest(value(sum)) >= byte; });
}

constexpr double kHalf = 0.5;  // before its number a byte begins

// fma(f32(sum), scale, shift).
struct Fused {
    static double shift_of(double sum, double) { return sum; }
    static bool has(const RoundingSteps& steps, const ShortRounding& way) {
        // Nearly all that fail do so in doubles, which need no call.
        const auto nearly = [&](double sum) {
            return static_cast<double>(static_cast<float>(sum * static_cast<double>(way.scale) +
                                                          static_cast<double>(way.shift)));
        };
        const auto exactly = [&](double sum) {
            return static_cast<double>(std::fma(static_cast<float>(sum), way.scale, way.shift));
        };
        return has_steps(steps, nearly) && has_steps(steps, exactly);
    }
};

// (f32(sum) + shift) * scale.
struct BiasFirst {
    static double shift_of(double sum, double scale) { return sum / scale; }
    static bool has(const RoundingSteps& steps, const ShortRounding& way) {
        return has_steps(steps, [&](double sum) {
            const float biased = static_cast<float>(sum) + way.shift;
            return static_cast<double>(biased * way.scale);
        });
    }
};

template <class Form>
std::optional<ShortRounding> with_scale(const RoundingSteps& steps,
                                        float scale,
                                        const ShiftWindow& window) {
    const auto shift = first_shift(
        window, [&](double sum) { return Form::shift_of(sum, static_cast<double>(scale)); },
        [&](float value) {
            return Form::has(steps, {scale, value});
        });
    return shift ? std::optional(ShortRounding{scale, *shift}) : std::nullopt;
}

// All sums give one byte.
ShortWays constant(float byte) {
    constexpr float kSmall = 0x1p-30F;  // of a sum nothing is left
    return {.fused = ShortRounding{0.0F, byte}, .bias_first = ShortRounding{kSmall, byte / kSmall}};
}

template <class Form>
std::optional<ShortRounding> search(const RoundingSteps& steps, double multiplier) {
    for (int i = 0; i < kNeighbours; ++i) {
        const float scale = neighbour(multiplier, i);
        const ShiftWindow window = window_of(steps, static_cast<double>(scale), kHalf);
        if (!window.holds_shift()) {
            continue;
        }
        if (const auto way = with_scale<Form>(steps, scale, window)) {
            return way;
        }
    }
    return std::nullopt;
}

// All steps, and the byte of the zero point on both sides of the split.
bool has_steps(const SumRule& rule, const RoundingSteps& steps, const SplitRounding& way) {
    const auto value = [&](double sum) {
        const auto x = static_cast<float>(sum);
        return static_cast<double>(std::fma(x, way.scale, x < way.at ? way.below : way.shift));
    };
    const auto at = static_cast<double>(way.at);
    return nearest(value(at - 1)) <= rule.grid.zero_point &&
           nearest(value(at)) >= rule.grid.zero_point && has_steps(steps, value);
}

// Bytes above the zero point are those of positive sums with the bias, the others' of negative ones.
std::optional<SplitRounding> search_split(const SumRule& rule,
                                          const RoundingSteps& steps,
                                          double multiplier) {
    const RoundingSteps above = some_steps(steps, rule.grid.zero_point, false);
    const RoundingSteps below = some_steps(steps, rule.grid.zero_point, true);
    const auto at = static_cast<float>(-rule.bias);
    if (above.count == 0 || below.count == 0 || std::abs(at) > static_cast<float>(kMaxFloatSum)) {
        return std::nullopt;
    }
    for (int i = 0; i < kNeighbours; ++i) {
        const float scale = neighbour(multiplier, i);
        const auto shift_of = [&](const RoundingSteps& side) {
            const ShiftWindow window = window_of(side, static_cast<double>(scale), kHalf);
            return window.holds_shift() ? with_scale<Fused>(side, scale, window) : std::nullopt;
        };
        const auto shift = shift_of(above);
        const auto lower = shift ? shift_of(below) : std::nullopt;
        if (lower) {
            const SplitRounding way{scale, shift->shift, lower->shift, at};
            if (has_steps(rule, steps, way)) {
                return way;
            }
        }
    }
    return std::nullopt;
}

}  // namespace

std::int64_t round_sum(const SumRule& rule, std::int64_t sum) {
    return SumRounder(rule)(sum);
}

ShortWays short_ways(const SumRule& rule) {
    const double multiplier = multiplier_of(rule);
    const std::int64_t lowest = round_sum(rule, rule.min);
    if (lowest == round_sum(rule, rule.max)) {
        return constant(static_cast<float>(lowest));
    }
    if (!takes_floats(multiplier)) {
        return {};
    }
    const auto steps = steps_of(rule, multiplier);
    if (!steps) {
        return {};
    }
    ShortWays ways{.fused = search<Fused>(*steps, multiplier),
                   .bias_first = search<BiasFirst>(*steps, multiplier)};
    if (!ways.fused && rule.rounding == ProductRounding::kHalfAway) {
        ways.split = search_split(rule, *steps, multiplier);
    }
    return ways;
}

std::optional<MovedRounding> moved_way(const SumRule& rule) {
    const double multiplier = multiplier_of(rule);
    if (!takes_floats(multiplier)) {
        return std::nullopt;
    }
    const auto steps = steps_of(rule, multiplier);
    for (std::size_t i = 0; steps && i < std::size(kSumMoves); ++i) {
        const auto offset = offset_of(rule, multiplier, kSumMoves[i]);
        const auto way = offset ? search<Fused>(steps->moved(*offset), multiplier) : std::nullopt;
        if (way) {
            return MovedRounding{*way, *offset};
        }
    }
    return std::nullopt;
}

}  // namespace fuseq::kernels
