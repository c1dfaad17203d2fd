// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/onnx/ops/fake_quantize_limits.hpp"

#include <array>
#include <cmath>
#include <limits>

namespace fuseq::onnx_reader {
namespace {

// The float next to `value` and two on either side.
std::array<float, 5> neighbours(double value) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    std::array<float, 5> all{};
    all[2] = static_cast<float>(value);
    all[1] = std::nextafter(all[2], -kInfinity);
    all[0] = std::nextafter(all[1], -kInfinity);
    all[3] = std::nextafter(all[2], kInfinity);
    all[4] = std::nextafter(all[3], kInfinity);
    // 0 must stay the value of the zero point where it is a limit.
    return value == 0 ? std::array<float, 5>{} : all;
}

}  // namespace

Limits fake_quantize_limits(float scale, std::int64_t lowest, std::int64_t highest) {
    const auto steps = static_cast<double>(highest - lowest);
    Limits best;
    double smallest = std::numeric_limits<double>::infinity();
    for (const float low : neighbours(static_cast<double>(lowest) * scale)) {
        for (const float high : neighbours(static_cast<double>(highest) * scale)) {
            const double step = (static_cast<double>(high) - low) / steps;
            const double off_scale = std::abs(step / scale - 1);
            const double off_zero = std::abs(low / step - static_cast<double>(lowest));
            const bool other_scale = static_cast<float>(step) != scale;
            const double error = (other_scale ? 1e6 : 0) + off_zero + off_scale * steps;
            if (error < smallest) {
                smallest = error;
                best = {low, high};
            }
        }
    }
    return best;
}

}  // namespace fuseq::onnx_reader
