// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/eltwise/short_rounding.hpp"

#include <algorithm>
#include <array>
#include <bit>
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

// Half to even, without a call. |v| < 2^51.
double nearest(double v) {
    constexpr double kInteger = 0x1.8p52;  // its last bit counts ones
    return (v + kInteger) - kInteger;
}

// Where one byte ends and the next begins. Bytes that no sum has, and the lowest one, have no place.
struct Steps {
    double min = 0;  // of the sums
    double max = 0;
    std::size_t count = 0;
    std::array<double, kMaxSteps> byte{};
    // The first sum of the byte; `min`: all have it, max + 1: none has.
    std::array<double, kMaxSteps> first{};
};

// The first sum of a byte, from an estimate. Nothing where it is far away.
std::optional<std::int64_t> first_sum(const SumRule& rule, std::int64_t byte, double multiplier) {
    constexpr int kReach = 8;
    const double real = (static_cast<double>(byte - rule.grid.zero_point) - 0.5) / multiplier -
                        static_cast<double>(rule.bias);
    auto first = static_cast<std::int64_t>(std::ceil(
        std::clamp(real, static_cast<double>(rule.min), static_cast<double>(rule.max + 1))));
    const auto has = [&](std::int64_t sum) { return round_sum(rule, sum) >= byte; };
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

std::optional<Steps> steps_of(const SumRule& rule, double multiplier) {
    Steps steps{.min = static_cast<double>(rule.min), .max = static_cast<double>(rule.max)};
    // The bytes beyond those of the first and the last sum only need not be reached.
    const auto lowest = static_cast<int>(round_sum(rule, rule.min));
    const int highest =
        std::min(static_cast<int>(round_sum(rule, rule.max)) + 1, rule.grid.highest);
    for (int byte = std::max(lowest, rule.grid.lowest + 1); byte <= highest; ++byte) {
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
    for (std::size_t i = 0; i < steps.count; ++i) {
        const double first = steps.first[i];
        if ((first <= steps.max && nearest(value(first)) < steps.byte[i]) ||
            (first > steps.min && nearest(value(first - 1)) >= steps.byte[i])) {
            return false;
        }
    }
    return true;
}

// What may be added to scale * sum in real numbers.
struct Window {
    double low = std::numeric_limits<double>::lowest();
    double high = std::numeric_limits<double>::max();
    double middle() const { return low / 2 + high / 2; }
    bool holds_shift() const {
        constexpr double kMax = 1e6;  // products and shift stay within 32 bits
        return low < high && std::abs(middle()) <= kMax;
    }
};

Window window_of(const Steps& steps, double scale) {
    Window window;
    for (std::size_t i = 0; i < steps.count; ++i) {
        const double half = steps.byte[i] - 0.5;
        const double first = steps.first[i];
        if (first <= steps.max) {
            window.low = std::max(window.low, half - scale * first);
        }
        if (first > steps.min) {
            window.high = std::min(window.high, half - scale * (first - 1));
        }
    }
    return window;
}

// fma(f32(sum), scale, shift).
struct Fused {
    static double shift_of(double sum, double) { return sum; }
    static bool has(const Steps& steps, const ShortRounding& way) {
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
    static bool has(const Steps& steps, const ShortRounding& way) {
        return has_steps(steps, [&](double sum) {
            const float biased = static_cast<float>(sum) + way.shift;
            return static_cast<double>(biased * way.scale);
        });
    }
};

// The floats within the window, from its middle outwards: there are few where floats are too coarse
// for the nearest one to do. What lies beside the window in real numbers may fit after rounding.
template <class Form>
std::optional<ShortRounding> with_scale(const Steps& steps, float scale, const Window& window) {
    constexpr int kShifts = 8;
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    const auto shift_of = [&](double sum) {
        return static_cast<float>(Form::shift_of(sum, static_cast<double>(scale)));
    };
    const float lowest = std::nextafter(shift_of(window.low), -kInfinity);
    const float highest = std::nextafter(shift_of(window.high), kInfinity);
    float above = shift_of(window.middle());
    float below = std::nextafter(above, -kInfinity);
    for (int i = 0; i < kShifts && (above <= highest || below >= lowest); ++i) {
        if (above <= highest && Form::has(steps, {scale, above})) {
            return ShortRounding{scale, above};
        }
        if (below >= lowest && Form::has(steps, {scale, below})) {
            return ShortRounding{scale, below};
        }
        above = std::nextafter(above, kInfinity);
        below = std::nextafter(below, -kInfinity);
    }
    return std::nullopt;
}

// All sums give one byte.
ShortWays constant(float byte) {
    constexpr float kSmall = 0x1p-30F;  // of a sum nothing is left
    return {.fused = ShortRounding{0.0F, byte}, .bias_first = ShortRounding{kSmall, byte / kSmall}};
}

// Of a multiplier, the nearest first.
constexpr int kNeighbours = 6;
float neighbour(float multiplier, int number) {
    const int ulps = number % 2 == 0 ? number / 2 : -(number / 2 + 1);
    return std::bit_cast<float>(std::bit_cast<std::int32_t>(multiplier) + ulps);
}

template <class Form>
std::optional<ShortRounding> search(const Steps& steps, double multiplier) {
    for (int i = 0; i <= 2 * kNeighbours; ++i) {
        const float scale = neighbour(static_cast<float>(multiplier), i);
        const Window window = window_of(steps, static_cast<double>(scale));
        if (!window.holds_shift()) {
            continue;
        }
        if (const auto way = with_scale<Form>(steps, scale, window)) {
            return way;
        }
    }
    return std::nullopt;
}

constexpr double kMinMultiplier = 0x1p-31;
bool takes_floats(double multiplier) {
    return multiplier > kMinMultiplier && multiplier <= 1.0;
}

// The bytes up to that of a sum of 0 with its bias, or those above it.
Steps some_steps(const Steps& all, std::int32_t zero_point, bool below) {
    Steps some{.min = all.min, .max = all.max};
    for (std::size_t i = 0; i < all.count; ++i) {
        if ((all.byte[i] <= zero_point) == below) {
            some.byte[some.count] = all.byte[i];
            some.first[some.count++] = all.first[i];
        }
    }
    return some;
}

// All steps, and the byte of the zero point on both sides of the split.
bool has_steps(const SumRule& rule, const Steps& steps, const SplitRounding& way) {
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
                                          const Steps& steps,
                                          float multiplier) {
    const Steps above = some_steps(steps, rule.grid.zero_point, false);
    const Steps below = some_steps(steps, rule.grid.zero_point, true);
    const auto at = static_cast<float>(-rule.bias);
    if (above.count == 0 || below.count == 0 || std::abs(at) > static_cast<float>(kMaxFloatSum)) {
        return std::nullopt;
    }
    for (int i = 0; i <= 2 * kNeighbours; ++i) {
        const float scale = neighbour(multiplier, i);
        const auto shift_of = [&](const Steps& side) {
            const Window window = window_of(side, static_cast<double>(scale));
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

struct SumMove {
    int byte;
    int sums;
};
struct MovedSumRule {
    SumRule rule;
    std::int32_t offset;
};
// The same rule of sum + offset. Nothing where floats do not hold that.
std::optional<MovedSumRule> moved_rule(const SumRule& rule,
                                       double multiplier,
                                       const SumMove& move) {
    constexpr auto kMax = static_cast<double>(kMaxFloatSum);
    const double steps = rule.grid.zero_point - move.byte;
    const double bias = std::nearbyint(-steps / multiplier) - move.sums;
    const double offset = rule.bias - bias;
    if (std::abs(bias) > kMax || std::abs(offset) > kMax ||
        static_cast<double>(rule.min) + offset < -kMax ||
        static_cast<double>(rule.max) + offset > kMax) {
        return std::nullopt;
    }
    MovedSumRule moved{.rule = rule, .offset = static_cast<std::int32_t>(offset)};
    moved.rule.bias = static_cast<std::int32_t>(bias);
    moved.rule.min += moved.offset;
    moved.rule.max += moved.offset;
    return moved;
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
        ways.split = search_split(rule, *steps, static_cast<float>(multiplier));
    }
    return ways;
}

std::optional<MovedRounding> moved_way(const SumRule& rule) {
    const double multiplier = multiplier_of(rule);
    if (!takes_floats(multiplier)) {
        return std::nullopt;
    }
    // The shift is about this byte: that of the zero point where floats have most bits, in places
    // where they round otherwise, then others.
    constexpr SumMove kMoves[] = {{0, 0}, {0, -1}, {0, 1},   {0, -2},  {0, 2},   {0, -3},
                                  {0, 3}, {64, 0}, {-64, 0}, {127, 0}, {-128, 0}};
    for (const SumMove& move : kMoves) {
        const auto moved = moved_rule(rule, multiplier, move);
        const auto steps = moved ? steps_of(moved->rule, multiplier) : std::nullopt;
        const auto way = steps ? search<Fused>(*steps, multiplier) : std::nullopt;
        if (way) {
            return MovedRounding{*way, moved->offset};
        }
    }
    return std::nullopt;
}

}  // namespace fuseq::kernels
