// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// From integer sums to the integers of dst, by a rule with a multiplier.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ops/quantized/rules/fixed_point.hpp"
#include "ops/quantized/rules/rule.hpp"

namespace fuseq {

struct RequantizeScales {
    float input = 1.0F;
    std::span<const float> weights;  // none: 1; one; or one a channel
    float output = 1.0F;
    std::int64_t output_zero_point = 0;
    std::int64_t count = 1;  // the sum of so many values stands for their mean
};

class Requantizer {
public:
    // Throws Error where the rule has no multiplier.
    Requantizer(RuleChoice choice, const RequantizeScales& scales);
    // A rule in fixed point with its multiplier.
    Requantizer(RoundingRule rule, rules::QuantizedMultiplier multiplier, std::int64_t zero_point)
        : rule_(rule), zero_point_(zero_point), fixed_{multiplier} {}

    // The zero point is added, nothing is clamped.
    std::int64_t operator()(std::int64_t sum, std::size_t channel = 0) const;

    RoundingRule rule() const { return rule_; }
    // One value, or one a channel. Those of the fixed-point rules.
    const std::vector<rules::QuantizedMultiplier>& fixed() const { return fixed_; }
    // Those of the rules in f32.
    const std::vector<float>& real() const { return real_; }

private:
    RoundingRule rule_;
    std::int64_t zero_point_;
    std::vector<rules::QuantizedMultiplier> fixed_;
    std::vector<float> real_;
};

// Whether the rule multiplies in fixed point, or in f32.
bool is_fixed_point(RoundingRule rule);
bool is_f32_product(RoundingRule rule);

}  // namespace fuseq
