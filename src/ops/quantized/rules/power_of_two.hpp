// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <optional>

namespace fuseq::rules {

// The exponent of a scale that TFLite takes for a power of two: one within 0.07 %.
inline std::optional<int> power_of_two(float scale) {
    constexpr float kTolerance = 1e-3F;
    const float exponent = std::log(scale) * (1.0F / std::log(2.0F));
    const float whole = std::round(exponent);
    return std::abs(exponent - whole) < kTolerance ? std::optional(static_cast<int>(whole))
                                                   : std::nullopt;
}

}  // namespace fuseq::rules
