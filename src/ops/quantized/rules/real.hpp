// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Quantization of a value of f32, the end of every rule "dequantize, operation, quantize".
#pragma once

#include "ops/quantized/rules/f32.hpp"
#include "ops/quantized/rules/rule.hpp"

namespace fuseq::rules {

inline std::int64_t quantize_real(RoundingRule rule,
                                  float value,
                                  float scale,
                                  std::int64_t zero_point) {
    const float steps = value / scale;
    if (rule == RoundingRule::kRealZeroFirst) {
        return to_integer(std::rint(steps + static_cast<float>(zero_point)));
    }
    return to_integer(rule == RoundingRule::kRealHalfAway ? std::round(steps) : std::rint(steps)) +
           zero_point;
}

}  // namespace fuseq::rules
