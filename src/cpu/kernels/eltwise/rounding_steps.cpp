// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/eltwise/rounding_steps.hpp"

namespace fuseq::kernels {
namespace {

// The first sum of a byte, from an estimate. Nothing where it is far away.
std::optional<std::int64_t> first_sum(const SumRule& rule,
                                      const SumRounder& rounder,
                                      std::int64_t byte,
                                      double multiplier) {
    constexpr int kReach = 8;
    const double real = (static_cast<double>(byte - rule.grid.zero_point) - 0.5) / multiplier -
                        static_cast<double>(rule.bias);
    auto first = static_cast<std::int64_t>(std::ceil(
        std::clamp(real, static_cast<double>(rule.min), static_cast<double>(rule.max + 1))));
    const auto has = [&](std::int64_t sum) { return rounder(sum) >= byte; };
    for (int i = 0; i < kReach; ++i) {
        if (first > rule.min && has(first - 1)) {
            --first;
        } else if (first <= rule.max && !has(first)) {
            ++first;
        } else {
            return first;
        }
    }
    return std::nullopt;
}

}  // namespace

double multiplier_of(const SumRule& rule) {
    return is_fixed(rule.rounding)
               ? std::ldexp(static_cast<double>(rule.fixed.mantissa), rule.fixed.exponent - 31)
               : static_cast<double>(rule.real);
}

bool takes_floats(double multiplier) {
    constexpr double kMinMultiplier = 0x1p-31;
    return multiplier > kMinMultiplier && multiplier <= 1.0;
}

std::optional<RoundingSteps> steps_of(const SumRule& rule, double multiplier) {
    const SumRounder rounder(rule);
    RoundingSteps steps{.min = static_cast<double>(rule.min), .max = static_cast<double>(rule.max)};
    // The bytes beyond those of the first and the last sum only need not be reached.
    const auto lowest = static_cast<int>(rounder(rule.min));
    const int highest = std::min(static_cast<int>(rounder(rule.max)) + 1, rule.grid.highest);
    for (int byte = std::max(lowest, rule.grid.lowest + 1); byte <= highest; ++byte) {
        const auto first = first_sum(rule, rounder, byte, multiplier);
        if (!first) {
            return std::nullopt;
        }
        steps.byte[steps.count] = byte;
        steps.first[steps.count++] = static_cast<double>(*first);
    }
    return steps;
}

SumRule narrowed(const SumRule& rule, RoundingSteps& steps) {
    SumRule some = rule;
    if (steps.count != 0 && round_sum(rule, rule.min) == rule.grid.lowest) {
        some.min = static_cast<std::int64_t>(steps.first[0]) - 1;
    }
    if (steps.count != 0 && round_sum(rule, rule.max) == rule.grid.highest) {
        some.max = static_cast<std::int64_t>(steps.first[steps.count - 1]);
    }
    steps.min = static_cast<double>(some.min);
    steps.max = static_cast<double>(some.max);
    return some;
}

RoundingSteps some_steps(const RoundingSteps& all, std::int32_t zero_point, bool below) {
    RoundingSteps some{.min = all.min, .max = all.max};
    for (std::size_t i = 0; i < all.count; ++i) {
        if ((all.byte[i] <= zero_point) == below) {
            some.byte[some.count] = all.byte[i];
            some.first[some.count++] = all.first[i];
        }
    }
    return some;
}

ShiftWindow window_of(const RoundingSteps& steps, double scale, double before) {
    ShiftWindow window;
    for (std::size_t i = 0; i < steps.count; ++i) {
        const double begin = steps.byte[i] - before;
        const double first = steps.first[i];
        if (first <= steps.max) {
            window.low = std::max(window.low, begin - scale * first);
        }
        if (first > steps.min) {
            window.high = std::min(window.high, begin - scale * (first - 1));
        }
    }
    return window;
}

std::optional<std::int32_t> offset_of(const SumRule& rule, double multiplier, const SumMove& move) {
    constexpr auto kMax = static_cast<double>(kMaxFloatSum);
    const double steps = rule.grid.zero_point - move.byte;
    const double bias = std::nearbyint(-steps / multiplier) - move.sums;
    const double offset = rule.bias - bias;
    if (std::abs(bias) > kMax || std::abs(offset) > kMax ||
        static_cast<double>(rule.min) + offset < -kMax ||
        static_cast<double>(rule.max) + offset > kMax) {
        return std::nullopt;
    }
    return static_cast<std::int32_t>(offset);
}

}  // namespace fuseq::kernels
