// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/quantized/requantizer.hpp"

#include <fmt/core.h>

#include "fuseq/error.hpp"
#include "ops/quantized/rules/d1.hpp"
#include "ops/quantized/rules/d2.hpp"
#include "ops/quantized/rules/d2_up.hpp"
#include "ops/quantized/rules/f32.hpp"
#include "ops/quantized/rules/m16.hpp"

namespace fuseq {
namespace {

double multiplier(MultiplierForm form, const RequantizeScales& scales, float weight) {
    const auto count = static_cast<double>(scales.count);
    const double output = static_cast<double>(scales.output) * count;
    switch (form) {
        case MultiplierForm::kF32Product:
            return static_cast<double>(scales.input * weight) / output;
        case MultiplierForm::kF32: {
            const float product = scales.input * weight;
            return static_cast<double>(
                product / (scales.count == 1 ? scales.output
                                             : scales.output * static_cast<float>(scales.count)));
        }
        case MultiplierForm::kDouble: break;
    }
    return static_cast<double>(scales.input) * static_cast<double>(weight) / output;
}

}  // namespace

bool is_fixed_point(RoundingRule rule) {
    return rule == RoundingRule::kD1 || rule == RoundingRule::kD2 || rule == RoundingRule::kD2Up ||
           rule == RoundingRule::kM16;
}

bool is_f32_product(RoundingRule rule) {
    return rule == RoundingRule::kF32 || rule == RoundingRule::kF32ZeroFirst ||
           rule == RoundingRule::kF32HalfAway;
}

Requantizer::Requantizer(RuleChoice choice, const RequantizeScales& scales)
    : rule_(choice.rule), zero_point_(scales.output_zero_point) {
    if (!is_fixed_point(rule_) && !is_f32_product(rule_)) {
        throw Error("compile", fmt::format("the rule '{}' has no multiplier", to_string(choice)));
    }
    static constexpr float kOne = 1.0F;
    const std::span<const float> weights =
        scales.weights.empty() ? std::span<const float>(&kOne, 1) : scales.weights;
    for (const float weight : weights) {
        const double real = multiplier(choice.multiplier, scales, weight);
        if (is_fixed_point(rule_)) {
            fixed_.push_back(rules::quantize_multiplier(real));
        } else {
            real_.push_back(static_cast<float>(real));
        }
    }
}

std::int64_t Requantizer::operator()(std::int64_t sum, std::size_t channel) const {
    const std::size_t fixed = fixed_.size() > 1 ? channel : 0;
    const std::size_t real = real_.size() > 1 ? channel : 0;
    switch (rule_) {
        case RoundingRule::kD1:
            return rules::d1(rules::saturate_to_i32(sum), fixed_[fixed]) + zero_point_;
        case RoundingRule::kD2:
            return rules::d2(rules::saturate_to_i32(sum), fixed_[fixed]) + zero_point_;
        case RoundingRule::kD2Up:
            return rules::d2_up(rules::saturate_to_i32(sum), fixed_[fixed]) + zero_point_;
        case RoundingRule::kM16: return rules::m16(sum, fixed_[fixed]) + zero_point_;
        case RoundingRule::kF32: return rules::f32(sum, real_[real], zero_point_);
        case RoundingRule::kF32ZeroFirst:
            return rules::f32_zero_first(sum, real_[real], zero_point_);
        default: return rules::f32_half_away(sum, real_[real], zero_point_);
    }
}

}  // namespace fuseq
