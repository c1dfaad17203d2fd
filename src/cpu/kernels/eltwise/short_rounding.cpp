// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/eltwise/short_rounding.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace fuseq::kernels {
namespace {

constexpr std::size_t kMaxSteps = 255;

double multiplier_of(const SumRule& rule) {
    return is_fixed(rule.rounding)
               ? std::ldexp(static_cast<double>(rule.fixed.mantissa), rule.fixed.exponent - 31)
               : static_cast<double>(rule.real);
}

// Where one byte ends and the next begins.
struct Steps {
    std::size_t count = 0;
    std::array<double, kMaxSteps> byte{};
    // The first sum of the byte; -kMaxFloatSum: all have it, kMaxFloatSum + 1: none has.
    std::array<double, kMaxSteps> first{};
};

// The first sum of a byte, from an estimate. Nothing where it is far away.
std::optional<std::int64_t> first_sum(const SumRule& rule, std::int64_t byte, double multiplier) {
    constexpr int kReach = 8;
    const double real = (static_cast<double>(byte - rule.grid.zero_point) - 0.5) / multiplier -
                        static_cast<double>(rule.bias);
    const auto limit = static_cast<double>(kMaxFloatSum);
    auto first = static_cast<std::int64_t>(std::ceil(std::clamp(real, -limit, limit + 1)));
    const auto has = [&](std::int64_t sum) { return round_sum(rule, sum) >= byte; };
    for (int i = 0; i < kReach; ++i) {
        if (first > -kMaxFloatSum && has(first - 1)) {
            --first;
        } else if (first <= kMaxFloatSum && !has(first)) {
            ++first;
        } else {
            return first;
        }
    }
    return std::nullopt;
}

std::optional<Steps> steps_of(const SumRule& rule, double multiplier) {
    Steps steps;
    for (int byte = rule.grid.lowest + 1; byte <= rule.grid.highest; ++byte) {
        const auto first = first_sum(rule, byte, multiplier);
        if (!first) {
            return std::nullopt;
        }
        steps.byte[steps.count] = byte;
        steps.first[steps.count++] = static_cast<double>(*first);
    }
    return steps;
}

// Whether value(sum) has all steps where they are.
template <class Value>
bool has_steps(const Steps& steps, const Value& value) {
    const auto limit = static_cast<double>(kMaxFloatSum);
    for (std::size_t i = 0; i < steps.count; ++i) {
        const double first = steps.first[i];
        if ((first <= limit && std::nearbyint(value(first)) < steps.byte[i]) ||
            (first > -limit && std::nearbyint(value(first - 1)) >= steps.byte[i])) {
            return false;
        }
    }
    return true;
}

// What may be added to scale * sum in real numbers.
struct Window {
    double low = std::numeric_limits<double>::lowest();
    double high = std::numeric_limits<double>::max();
};

Window window_of(const Steps& steps, double scale) {
    const auto limit = static_cast<double>(kMaxFloatSum);
    Window window;
    for (std::size_t i = 0; i < steps.count; ++i) {
        const double half = steps.byte[i] - 0.5;
        const double first = steps.first[i];
        if (first <= limit) {
            window.low = std::max(window.low, half - scale * first);
        }
        if (first > -limit) {
            window.high = std::min(window.high, half - scale * (first - 1));
        }
    }
    return window;
}

std::optional<ShortRounding> with_scale(const Steps& steps, float scale) {
    constexpr double kMaxShift = 1e6;  // products and shift stay within 32 bits
    const Window window = window_of(steps, static_cast<double>(scale));
    const double middle = window.low / 2 + window.high / 2;
    if (!(window.low < window.high) || std::abs(middle) > kMaxShift) {
        return std::nullopt;
    }
    const auto nearest = static_cast<float>(middle);
    const float infinity = std::numeric_limits<float>::infinity();
    for (const float shift :
         {nearest, std::nextafter(nearest, infinity), std::nextafter(nearest, -infinity)}) {
        // Nearly all that fail do so in doubles, which need no call.
        const auto nearly = [&](double sum) {
            return static_cast<float>(sum * static_cast<double>(scale) +
                                      static_cast<double>(shift));
        };
        const auto exactly = [&](double sum) {
            return std::fma(static_cast<float>(sum), scale, shift);
        };
        if (has_steps(steps, nearly) && has_steps(steps, exactly)) {
            return ShortRounding{scale, shift};
        }
    }
    return std::nullopt;
}

}  // namespace

std::int64_t round_sum(const SumRule& rule, std::int64_t sum) {
    const ByteGrid& grid = rule.grid;
    const std::int64_t x = sum + rule.bias;
    std::int64_t value = 0;
    if (is_fixed(rule.rounding)) {
        const ShiftedMultiplier m = shifted_multiplier(rule.fixed, rule.rounding);
        const std::int64_t high = ((x * (std::int64_t{1} << m.left)) * m.mantissa + m.nudge) >> 31;
        const std::int64_t nudged = high + (high < 0 ? m.away : 0);
        value = (((nudged >> m.right) + m.last) >> m.last) + grid.zero_point;
    } else {
        const bool zero_first = rule.rounding == ProductRounding::kRealZeroFirst;
        const float product = static_cast<float>(x) * rule.real;
        const float before = zero_first ? static_cast<float>(grid.zero_point) : 0.0F;
        const float limited = std::clamp(product + before, -1e6F, 1e6F);
        value =
            static_cast<std::int64_t>(std::nearbyint(limited)) + (zero_first ? 0 : grid.zero_point);
    }
    return std::clamp<std::int64_t>(value, grid.lowest, grid.highest);
}

std::optional<ShortRounding> short_rounding(const SumRule& rule) {
    constexpr double kMinMultiplier = 0x1p-11;
    const double multiplier = multiplier_of(rule);
    if (round_sum(rule, -kMaxFloatSum) == round_sum(rule, kMaxFloatSum)) {
        return ShortRounding{0.0F, static_cast<float>(round_sum(rule, 0))};
    }
    if (!(multiplier > kMinMultiplier) || multiplier > 1.0) {
        return std::nullopt;
    }
    const auto steps = steps_of(rule, multiplier);
    if (!steps) {
        return std::nullopt;
    }
    const auto nearest = static_cast<float>(multiplier);
    const float up = std::nextafter(nearest, 2.0F);
    const float down = std::nextafter(nearest, 0.0F);
    for (const float scale :
         {nearest, up, down, std::nextafter(up, 2.0F), std::nextafter(down, 0.0F)}) {
        if (const auto found = with_scale(*steps, scale)) {
            return found;
        }
    }
    return std::nullopt;
}

}  // namespace fuseq::kernels
