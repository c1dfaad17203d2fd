// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/support/activation_limits.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "ops/fake_quantize.hpp"
#include "transformations/support/constants.hpp"

namespace fuseq {
namespace {

// A zero point computed from f32 limits of 256 levels is off by up to 256 units in the last place
// of its 8 bits; closer to a whole number than this it is taken as one. Zero points of fewer levels
// are smaller, and so is their noise.
constexpr double kZeroPointNoise = 1e-4 / 256;

struct Limits {
    ChannelValues il, ih, ol, oh;
    std::size_t channels() const { return std::max({il.size(), ih.size(), ol.size(), oh.size()}); }
};

std::optional<LimitsRefusal> read_limits(const Node& fq, Limits& limits) {
    const PartialShape& shape = fq.input(0).partial_shape();
    if (!shape.rank_is_static()) {
        return LimitsRefusal{"rank_unknown", "the rank of the input is not known"};
    }
    ChannelValues* const targets[] = {&limits.il, &limits.ih, &limits.ol, &limits.oh};
    static constexpr const char* kNames[] = {"input_low", "input_high", "output_low",
                                             "output_high"};
    for (std::size_t i = 0; i < 4; ++i) {
        if (!is_constant_expression(fq.input(i + 1))) {
            return LimitsRefusal{"limits_not_constant", fmt::format("{} is computed", kNames[i])};
        }
        const auto values = constant_channels(fq.input(i + 1), shape.rank());
        if (!values || (!values->per_tensor() && values->axis() != 1)) {
            return LimitsRefusal{
                "limits_not_per_channel",
                fmt::format("{} of shape {} is neither per tensor nor per channel", kNames[i],
                            to_string(fq.input(i + 1).partial_shape()))};
        }
        const auto finite = [](float v) { return std::isfinite(v); };
        if (!std::all_of(values->list().begin(), values->list().end(), finite)) {
            return LimitsRefusal{"limits_not_finite", fmt::format("{} is not finite", kNames[i])};
        }
        *targets[i] = *values;
    }
    return std::nullopt;
}

// Checks one channel. A channel whose output is always zero is dead: any integers will do.
std::optional<LimitsRefusal> check_channel(const Limits& limits, std::size_t c, bool& dead) {
    const float il = limits.il[c], ih = limits.ih[c], ol = limits.ol[c], oh = limits.oh[c];
    dead = false;
    if (ol == oh) {
        if (ol != 0 || limits.channels() == 1) {
            return LimitsRefusal{
                "degenerate_output_range",
                fmt::format("the output range is empty: output_low = output_high = {:g}", ol)};
        }
        dead = true;
        return std::nullopt;
    }
    if (il == ih) {
        return LimitsRefusal{
            "degenerate_input_range",
            fmt::format("the input range is empty: input_low = input_high = {:g}", il)};
    }
    if (ih < il) {
        return LimitsRefusal{"inverted_input_range",
                             fmt::format("input_high = {:g} is below input_low = {:g}", ih, il)};
    }
    return std::nullopt;
}

}  // namespace

std::vector<float> ActivationIntegers::zero_points(std::int64_t levels, std::int64_t lowest) const {
    const double noise = kZeroPointNoise * static_cast<double>(levels);
    std::vector<float> zero_point(zero.size(), 0.0f);
    for (std::size_t c = 0; c < zero_point.size(); ++c) {
        if (dead[c]) {
            continue;
        }
        const double z = zero[c] + static_cast<double>(lowest);
        const double whole = std::nearbyint(z);
        zero_point[c] = static_cast<float>(std::abs(z - whole) <= noise ? whole : z);
    }
    return zero_point;
}

std::optional<LimitsRefusal> read_activation_integers(const Node& fq,
                                                      ActivationIntegers& integers) {
    Limits limits;
    if (auto refusal = read_limits(fq, limits)) {
        return refusal;
    }
    const auto steps = static_cast<double>(fq.attrs<FakeQuantizeAttrs>().levels - 1);
    const std::size_t channels = limits.channels();
    std::vector<float> il(channels), ih(channels), scale(channels);
    integers.zero.assign(channels, 0.0);
    integers.dead.assign(channels, false);
    for (std::size_t c = 0; c < channels; ++c) {
        bool is_dead = false;
        if (auto refusal = check_channel(limits, c, is_dead)) {
            return refusal;
        }
        integers.dead[c] = is_dead;
        il[c] = is_dead ? 0.0f : limits.il[c];
        ih[c] = is_dead ? static_cast<float>(steps) : limits.ih[c];
        const double step = (static_cast<double>(limits.oh[c]) - limits.ol[c]) / steps;
        scale[c] = static_cast<float>(step);
        if (!is_dead) {
            integers.zero[c] = -static_cast<double>(limits.ol[c]) / step;
        }
    }
    integers.il = {il, 1};
    integers.ih = {ih, 1};
    integers.scale = {scale, 1};
    return std::nullopt;
}

}  // namespace fuseq
