// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "fuseq/attributes.hpp"
#include "ops/for_each_task.hpp"
#include "ops/op_spec.hpp"
#include "ops/quantized/rules/rule.hpp"

namespace fuseq {

template <>
struct EnumNames<RoundingRule> {
    static constexpr const char* kNames[] = {"d1",
                                             "d2",
                                             "d2_up",
                                             "m16",
                                             "f32",
                                             "f32_zero_first",
                                             "f32_half_away",
                                             "shared_shift",
                                             "real_half_away",
                                             "real_half_even",
                                             "real_zero_first",
                                             "raw_half_away",
                                             "table",
                                             "fixed_10",
                                             "real_mean",
                                             "raw_mean",
                                             "divided_mean",
                                             "raw_real",
                                             "refused"};
};
template <>
struct EnumNames<MultiplierForm> {
    static constexpr const char* kNames[] = {"double", "f32_product", "f32"};
};

// The end of a product of integers.
struct RequantizeSumsAttrs final : AttributesOf<RequantizeSumsAttrs> {
    RoundingRule rule = RoundingRule::kF32;
    MultiplierForm multiplier = MultiplierForm::kF32;
    std::string rule_name;  // rule_text() of the layer
    float input_scale = 1.0F;
    std::vector<float> weight_scales;  // one, or one a channel
    float output_scale = 1.0F;
    std::int64_t output_zero_point = 0;
    ElementType output_type = ElementType::u8;
    std::int64_t lowest = 0;  // of the result
    std::int64_t highest = 0;
    // Then the sums have one more column, the sum of the source itself, and weight_shifts[c] times
    // that belongs to each: for weights that are i8 only less another number than their zero point.
    std::vector<std::int64_t> weight_shifts;
    // How far the sums of each channel reach; empty: at most 2^24.
    std::vector<std::int64_t> sum_min;
    std::vector<std::int64_t> sum_max;
    void visit(AttributeVisitor& v) override {
        v.optional("rule", rule);
        v.optional("multiplier", multiplier);
        v.optional("rule_name", rule_name);
        v.optional("input_scale", input_scale);
        v.optional("weight_scales", weight_scales);
        v.optional("output_scale", output_scale);
        v.optional("output_zero_point", output_zero_point);
        v.optional("output_type", output_type);
        v.optional("lowest", lowest);
        v.optional("highest", highest);
        v.optional("weight_shifts", weight_shifts);
        v.optional("sum_min", sum_min);
        v.optional("sum_max", sum_max);
    }
};

// Its row, which stands beside that of Requantize.
OpSpec requantize_sums_row();

// The kernel, rows spread over tasks.
void run_requantize_sums(EvalContext& context, ForEachTask for_each_task);

}  // namespace fuseq
