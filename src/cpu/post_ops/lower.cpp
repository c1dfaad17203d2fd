// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/post_ops/lower.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include <fmt/core.h>

#include "fuseq/error.hpp"

namespace fuseq::post_ops {
namespace {

// Beyond this distance from zero, in steps, x * inv is a float with less than 13 bits for the
// fraction, and errors of more than 1e-4 step would follow.
constexpr double kFarFromZero = 512.0;
constexpr std::int64_t kMaxLevels = std::int64_t{1} << 24;  // integers a float can hold

Lowered refuse(std::string reason) {
    return {.ops = std::nullopt, .refused = std::move(reason)};
}

Lowered lowered(std::vector<BasicOp> ops) {
    return {.ops = std::move(ops), .refused = {}};
}

bool all_finite_floats(const std::vector<double>& values) {
    return std::all_of(values.begin(), values.end(),
                       [](double v) { return std::isfinite(static_cast<float>(v)); });
}

double at(const std::vector<double>& values, std::size_t channel) {
    return values.size() == 1 ? values[0] : values[channel];
}

// One value a channel out of several lists.
template <class F>
std::vector<double> per_channel(std::size_t channels, F&& value) {
    std::vector<double> out(channels);
    for (std::size_t c = 0; c < channels; ++c) {
        out[c] = value(c);
    }
    return out;
}

Values to_values(const std::vector<double>& values) {
    std::vector<float> out(values.size());
    std::transform(values.begin(), values.end(), out.begin(), [](double v) {
        return static_cast<float>(v) + 0.0f;  // no negative zero
    });
    return {std::move(out)};
}

// As they are in the graph.
Values as_floats(const std::vector<double>& values) {
    return {std::vector<float>(values.begin(), values.end())};
}

struct Named {
    const char* name;
    const std::vector<double>* values;
};

std::size_t channels_of(std::initializer_list<Named> lists) {
    std::size_t channels = 1;
    for (const Named& list : lists) {
        channels = std::max(channels, list.values->size());
    }
    return channels;
}

// Empty when the lists fit together; else the reason why not.
std::string check_lists(std::initializer_list<Named> lists) {
    const std::size_t channels = channels_of(lists);
    for (const Named& list : lists) {
        if (list.values->size() != 1 && list.values->size() != channels) {
            return fmt::format("{} has {} values, expected 1 or {}", list.name, list.values->size(),
                               channels);
        }
        if (!all_finite_floats(*list.values)) {
            return fmt::format("{} has a value that is not finite", list.name);
        }
    }
    return {};
}

std::string check_ranges(const FakeQuantizeLimits& limits, std::size_t channels) {
    for (std::size_t c = 0; c < channels; ++c) {
        const double low = at(limits.input_low, c);
        const double high = at(limits.input_high, c);
        if (low == high) {
            return fmt::format(
                "input range of channel {} is one point ({:g}): the result is a step function", c,
                low);
        }
        if (high < low) {
            return fmt::format(
                "input_high {:g} is below input_low {:g} in channel {}: outside the range the "
                "definition jumps to the opposite end",
                high, low, c);
        }
        const double inv = static_cast<double>(limits.levels - 1) / (high - low);
        if (!std::isfinite(static_cast<float>(inv)) ||
            !std::isfinite(static_cast<float>(low * inv))) {
            return fmt::format("input range [{:g}, {:g}] of channel {} is too narrow for a float",
                               low, high, c);
        }
    }
    return {};
}

}  // namespace

Lowered lower_fake_quantize(const FakeQuantizeLimits& limits) {
    if (limits.levels < 2 || limits.levels > kMaxLevels) {
        return refuse(fmt::format("levels is {}, expected 2 to {}", limits.levels, kMaxLevels));
    }
    const std::initializer_list<Named> lists = {{"input_low", &limits.input_low},
                                                {"input_high", &limits.input_high},
                                                {"output_low", &limits.output_low},
                                                {"output_high", &limits.output_high}};
    const std::size_t channels = channels_of(lists);
    std::string reason = check_lists(lists);
    if (reason.empty()) {
        reason = check_ranges(limits, channels);
    }
    if (!reason.empty()) {
        return refuse(std::move(reason));
    }
    const auto steps = static_cast<double>(limits.levels - 1);
    const auto low = [&](std::size_t c) { return at(limits.input_low, c); };
    const auto inv = [&](std::size_t c) { return steps / (at(limits.input_high, c) - low(c)); };
    const auto step = [&](std::size_t c) {
        return (at(limits.output_high, c) - at(limits.output_low, c)) / steps;
    };
    const auto offset = per_channel(channels, [&](std::size_t c) { return -low(c) * inv(c); });
    const bool far_from_zero = std::any_of(offset.begin(), offset.end(),
                                           [](double v) { return std::abs(v) > kFarFromZero; });
    const Scale in_scale{to_values(per_channel(channels, inv))};
    std::vector<BasicOp> ops;
    if (far_from_zero) {
        const auto minus_low = per_channel(channels, [&](std::size_t c) { return -low(c); });
        ops = {Shift{to_values(minus_low)}, in_scale};
    } else {
        ops = {in_scale, Shift{to_values(offset)}};
    }
    ops.emplace_back(Round{});
    ops.emplace_back(Clip{.low = 0.0f, .high = static_cast<float>(steps)});
    ops.emplace_back(Scale{to_values(per_channel(channels, step))});
    ops.emplace_back(Shift{to_values(limits.output_low)});
    return lowered(std::move(ops));
}

Lowered lower_add(const std::vector<double>& values) {
    std::string reason = check_lists({{"the addend", &values}});
    return reason.empty() ? lowered({Shift{as_floats(values)}}) : refuse(std::move(reason));
}

Lowered lower_subtract(const std::vector<double>& values) {
    return lower_add(per_channel(values.size(), [&](std::size_t c) { return -values[c]; }));
}

Lowered lower_subtract_from(const std::vector<double>& values) {
    Lowered out = lower_add(values);
    if (out) {
        out.ops->insert(out.ops->begin(), Scale{-1.0f});
    }
    return out;
}

Lowered lower_multiply(const std::vector<double>& values) {
    std::string reason = check_lists({{"the factor", &values}});
    return reason.empty() ? lowered({Scale{as_floats(values)}}) : refuse(std::move(reason));
}

Lowered lower_divide(const std::vector<double>& values) {
    for (std::size_t c = 0; c < values.size(); ++c) {
        if (!all_finite_floats({1.0 / values[c]})) {
            return refuse(fmt::format(
                "the divisor of channel {} is {:g}, of which a float holds no reciprocal", c,
                values[c]));
        }
    }
    return lower_multiply(
        per_channel(values.size(), [&](std::size_t c) { return 1.0 / values[c]; }));
}

Lowered lower_bounds(const std::vector<double>& low, const std::vector<double>& high) {
    const std::size_t channels = channels_of({{"low", &low}, {"high", &high}});
    for (const auto* list : {&low, &high}) {
        if (list->size() != 1 && list->size() != channels) {
            return refuse(
                fmt::format("bounds for {} channels, expected 1 or {}", list->size(), channels));
        }
    }
    for (std::size_t c = 0; c < channels; ++c) {
        if (!(at(low, c) <= at(high, c))) {
            return refuse(fmt::format("clamp to [{:g}, {:g}]: expected low <= high", at(low, c),
                                      at(high, c)));
        }
    }
    return lowered({Clip{.low = as_floats(low), .high = as_floats(high)}});
}

Lowered lower_clamp(double low, double high) {
    return lower_bounds({low}, {high});
}

Lowered lower_relu(double negative_slope) {
    return lower_activation(EltwiseKind::kRelu, negative_slope);
}

Lowered lower_prelu(const std::vector<double>& slope) {
    std::string reason = check_lists({{"slope", &slope}});
    if (!reason.empty()) {
        return refuse(std::move(reason));
    }
    Values values = as_floats(slope);
    if (values.per_tensor()) {
        return lower_relu(values[0]);
    }
    return lowered({Prelu{std::move(values)}});
}

Lowered lower_activation(EltwiseKind kind, double alpha, double beta) {
    if (!all_finite_floats({alpha, beta})) {
        return refuse("a parameter of the activation is not finite");
    }
    return lowered({Eltwise{.kind = kind,
                            .alpha = static_cast<float>(alpha),
                            .beta = static_cast<float>(beta),
                            .scale = 1.0f}});
}

Lowered lower_hard_sigmoid(double alpha, double beta) {
    if (!all_finite_floats({alpha, beta})) {
        return refuse("a parameter of the activation is not finite");
    }
    return lowered({Scale{static_cast<float>(alpha)}, Shift{static_cast<float>(beta)},
                    Clip{.low = 0.0f, .high = 1.0f}});
}

Lowered lower_power(double exponent) {
    if (exponent == 2.0) {
        return lower_activation(EltwiseKind::kSquare);
    }
    if (exponent == 0.5) {
        return lower_activation(EltwiseKind::kSqrt);
    }
    return lower_activation(EltwiseKind::kPower, 1.0, exponent);
}

Lowered lower_residual(const ResidualInput& residual) {
    switch (residual.type) {
        case ElementType::u8:
        case ElementType::i8:
        case ElementType::i32:
        case ElementType::f32: break;
        default:
            return refuse(fmt::format("residual input #{} is {}, expected u8, i8, i32 or f32",
                                      residual.input, to_string(residual.type)));
    }
    const auto scale = static_cast<float>(residual.scale);
    if (!std::isfinite(scale) || scale == 0.0f || !all_finite_floats({residual.zero_point})) {
        return refuse(
            fmt::format("residual input #{} has scale {:g} and zero point {:g}, expected finite "
                        "values and a scale that is not zero",
                        residual.input, residual.scale, residual.zero_point));
    }
    return lowered({Binary{.kind = residual.kind,
                           .input = residual.input,
                           .type = residual.type,
                           .scale = scale,
                           .zero_point = static_cast<float>(residual.zero_point),
                           .per_plane = residual.per_plane,
                           .per_pixel = residual.per_pixel}});
}

}  // namespace fuseq::post_ops
