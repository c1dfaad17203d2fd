// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The limits of the FakeQuantize of an activation, and the integers that they mean.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fuseq/model.hpp"
#include "transformations/support/channel_values.hpp"

namespace fuseq {

// Why an FQ cannot give integers: the code and text of a Remark.
struct LimitsRefusal {
    std::string code;
    std::string text;
};

// Integers from 0 to levels - 1: q = round((x - il) / (ih - il) * (levels - 1)), and what they
// mean, (q - zero) * scale. Values are per tensor or one a channel (dimension 1).
struct ActivationIntegers {
    ChannelValues il, ih;
    ChannelValues scale;
    std::vector<double> zero;  // real, one a channel
    std::vector<bool> dead;    // channels whose output is always zero: any integers will do

    // The zero points of integers moved by `lowest`. Closer to a whole number than the noise of
    // limits in f32, they are taken as one.
    std::vector<float> zero_points(std::int64_t levels, std::int64_t lowest) const;
};

// Refuses limits that are not constant (limits_not_constant), vary along another dimension than 1
// (limits_not_per_channel) or are not finite (limits_not_finite), an empty input range
// (degenerate_input_range), an empty output range other than [0, 0] of single channels
// (degenerate_output_range), input_high < input_low (inverted_input_range).
std::optional<LimitsRefusal> read_activation_integers(const Node& fq, ActivationIntegers& integers);

}  // namespace fuseq
