// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A rounding rule as the sums at which its byte changes: what the searches for floats check. Private
// to them.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "cpu/kernels/eltwise/short_rounding.hpp"

namespace fuseq::kernels {

// Whether a + b >= limit, exactly: the limit is a float, so that rounding a sum does not move it to
// the other side, and the rounding error of a sum is a double.
inline bool sum_reaches(double a, double b, double limit) {
    const double sum = a + b;
    if (sum != limit) {
        return sum > limit;
    }
    const double part = sum - a;
    return (a - (sum - part)) + (b - part) >= 0;
}

double multiplier_of(const SumRule& rule);
// Whether floats have steps for it.
bool takes_floats(double multiplier);

// round_sum() for many sums of a rule.
class SumRounder {
public:
    explicit SumRounder(const SumRule& rule) : rule_(rule) {
        if (is_fixed(rule.rounding)) {
            multiplier_ = shifted_multiplier(rule.fixed, rule.rounding);
        }
    }
    std::int64_t operator()(std::int64_t sum) const {
        const std::int64_t x = sum + rule_.bias;
        const std::int64_t value = is_fixed(rule_.rounding) ? by_fixed(x) : by_real(x);
        return std::clamp<std::int64_t>(value, rule_.grid.lowest, rule_.grid.highest);
    }

private:
    std::int64_t by_fixed(std::int64_t x) const {
        const ShiftedMultiplier& m = multiplier_;
        const std::int64_t high = ((x * (std::int64_t{1} << m.left)) * m.mantissa + m.nudge) >> 31;
        const std::int64_t nudged = high + (high < 0 ? m.away : 0);
        return (((nudged >> m.right) + m.last) >> m.last) + rule_.grid.zero_point;
    }
    std::int64_t by_real(std::int64_t x) const {
        const bool zero_first = rule_.rounding == ProductRounding::kRealZeroFirst;
        const float product = static_cast<float>(x) * rule_.real;
        const float before = zero_first ? static_cast<float>(rule_.grid.zero_point) : 0.0F;
        const float limited = std::clamp(product + before, -1e6F, 1e6F);
        return static_cast<std::int64_t>(std::nearbyint(limited)) +
               (zero_first ? 0 : rule_.grid.zero_point);
    }

    SumRule rule_;
    ShiftedMultiplier multiplier_;
};

// Where one byte ends and the next begins. Bytes that no sum has, and the lowest one, have no place.
struct RoundingSteps {
    static constexpr std::size_t kMax = 255;

    double min = 0;  // of the sums
    double max = 0;
    std::size_t count = 0;
    std::array<double, kMax> byte{};
    // The first sum of the byte; `min`: all have it, max + 1: none has.
    std::array<double, kMax> first{};

    // Those of sum + offset.
    RoundingSteps moved(std::int32_t offset) const {
        RoundingSteps result = *this;
        result.min += offset;
        result.max += offset;
        for (std::size_t i = 0; i < count; ++i) {
            result.first[i] += offset;
        }
        return result;
    }

    // Whether reaches(sum, byte), which rises with the sum, has all steps where they are.
    template <class Reaches>
    bool are_those_of(const Reaches& reaches) const {
        for (std::size_t i = 0; i < count; ++i) {
            if ((first[i] <= max && !reaches(first[i], byte[i])) ||
                (first[i] > min && reaches(first[i] - 1, byte[i]))) {
                return false;
            }
        }
        return true;
    }
};
// Nothing where the multiplier does not lead to them.
std::optional<RoundingSteps> steps_of(const SumRule& rule, double multiplier);
// The rule of the sums at the steps, which become those of it. All others have the first byte of the
// grid or the last one, which larger floats have too, or stay.
SumRule narrowed(const SumRule& rule, RoundingSteps& steps);
// Those of the bytes up to the zero point, or of those above it: halves away from zero have one line
// for each, of sums with the bias below 0 and of others.
RoundingSteps some_steps(const RoundingSteps& all, std::int32_t zero_point, bool below);

// Floats beside a multiplier, the nearest first.
inline constexpr int kNeighbours = 13;
inline float neighbour(double multiplier, int number) {
    const int ulps = number % 2 == 0 ? number / 2 : -(number / 2 + 1);
    return std::bit_cast<float>(std::bit_cast<std::int32_t>(static_cast<float>(multiplier)) + ulps);
}

// What may be added to scale * sum in real numbers.
struct ShiftWindow {
    double low = std::numeric_limits<double>::lowest();
    double high = std::numeric_limits<double>::max();
    double middle() const { return low / 2 + high / 2; }
    bool holds_shift() const {
        constexpr double kMax = 1e6;  // products and shift stay within 32 bits
        return low < high && std::abs(middle()) <= kMax;
    }
};
// A byte begins `before` below its number: half where the nearest integer is taken, 0 where floor().
ShiftWindow window_of(const RoundingSteps& steps, double scale, double before);

// Calls has(shift) for floats within the window, from its middle outwards, until one is true: there
// are few where floats are too coarse for the nearest one to do. What lies beside the window in real
// numbers may fit after rounding. to_shift: from the window to shifts.
template <class ToShift, class Has>
std::optional<float> first_shift(const ShiftWindow& window,
                                 const ToShift& to_shift,
                                 const Has& has) {
    constexpr int kShifts = 8;
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    const auto shift_of = [&](double sum) { return static_cast<float>(to_shift(sum)); };
    const float lowest = std::nextafter(shift_of(window.low), -kInfinity);
    const float highest = std::nextafter(shift_of(window.high), kInfinity);
    float above = shift_of(window.middle());
    float below = std::nextafter(above, -kInfinity);
    for (int i = 0; i < kShifts && (above <= highest || below >= lowest); ++i) {
        if (above <= highest && has(above)) {
            return above;
        }
        if (below >= lowest && has(below)) {
            return below;
        }
        above = std::nextafter(above, kInfinity);
        below = std::nextafter(below, -kInfinity);
    }
    return std::nullopt;
}

// How sums are moved by an offset: one of 0 becomes about this byte, less some sums.
struct SumMove {
    int byte = 0;
    int sums = 0;
};
// Nothing where floats do not hold the moved sums.
std::optional<std::int32_t> offset_of(const SumRule& rule, double multiplier, const SumMove& move);
// First that of the zero point, where floats have most bits, in places where they round otherwise,
// then others.
inline constexpr SumMove kSumMoves[] = {{0, 0}, {0, -1}, {0, 1},   {0, -2},  {0, 2},   {0, -3},
                                        {0, 3}, {64, 0}, {-64, 0}, {127, 0}, {-128, 0}};

}  // namespace fuseq::kernels
