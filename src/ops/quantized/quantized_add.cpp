// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// QuantizedAdd, QuantizedSubtract: a + b, a - b, broadcast as numpy does.
//
// D1, D2, D2-up: three steps, (a - za) << left by sa / (2 max), the same of b, their sum by
// 2 max / (2^left so), max the larger scale; left is 20, of 16 bits 15. A difference negates b. With
// `shifts` the operand of the smaller scale is shifted to the other one's.
// Shared shift: XNNPACK. F32, zero point first: a * ra + (b * rb + (zy - (ra * za + rb * zb))) in
// f32, fused, ra = sa / so (ONNX Runtime). The others: in real values.
#include <algorithm>
#include <cmath>
#include <optional>

#include "ops/op_list.hpp"
#include "ops/quantized/pair.hpp"
#include "ops/quantized/rules/real.hpp"
#include "ops/quantized/rules/shared_shift.hpp"
#include "ops/quantized/rules/shifted_sum.hpp"

namespace fuseq::quantized_add_ops {
namespace {

std::optional<rules::ShiftedSum> shifted_sum_of(const RequantizeAttrs& attrs) {
    const bool centered = attrs.input_zero_point(0) == 0 && attrs.input_zero_point(1) == 0 &&
                          attrs.output_zero_point == 0;
    return centered ? rules::ShiftedSum::of(attrs.input_scales[0], attrs.input_scales[1],
                                            attrs.output_scale)
                    : std::nullopt;
}

void infer(InferContext& context) {
    const auto& attrs = context.attrs<RequantizeAttrs>();
    context.require(is_grid_type(attrs.output_type), "output_type is ",
                    to_string(attrs.output_type), ", expected u8, i8, u16 or i16");
    check_grids(context, attrs, 2);
    if (attrs.shifts) {
        context.require(context.type(0) == ElementType::i16 &&
                            context.type(1) == ElementType::i16 &&
                            attrs.output_type == ElementType::i16,
                        "shifts is of i16");
        context.require(shifted_sum_of(attrs).has_value(),
                        "shifts takes scales that are powers of two, the larger one that of the "
                        "result, and zero points of 0");
    }
    context.set_output(0, attrs.output_type,
                       broadcast_shapes(context, context.shape(0), context.shape(1)));
}

bool is_wide(ElementType type) {
    return type == ElementType::i16 || type == ElementType::u16;
}

void three_steps(EvalContext& context, RoundingRule rule, int sign) {
    const auto& attrs = context.attrs<RequantizeAttrs>();
    const int left = is_wide(context.input(0).get_element_type()) ? 15 : 20;
    const double a = attrs.input_scales[0];
    const double b = attrs.input_scales[1];
    const double twice = 2 * std::max(a, b);
    const auto step = [&](double from, double to) {
        // A scale of one is not rounded: the quotient is formed in double.
        return rules::quantize_multiplier(from / to);
    };
    const Requantizer by_a(rule, step(a, twice), 0);
    const Requantizer by_b(rule, step(b, twice), 0);
    const Requantizer by_sum(rule,
                             step(twice, std::ldexp(static_cast<double>(attrs.output_scale), left)),
                             attrs.output_zero_point);
    evaluate_quantized_pair(context, [&](std::int64_t x, std::int64_t y) {
        const std::int64_t first = by_a((x - attrs.input_zero_point(0)) << left);
        const std::int64_t second = by_b((y - attrs.input_zero_point(1)) << left);
        return by_sum(first + sign * second);
    });
}

void shared_shift(EvalContext& context, int sign) {
    const auto& attrs = context.attrs<RequantizeAttrs>();
    const auto shift =
        rules::SharedShift::of(attrs.input_scales[0], attrs.input_scales[1], attrs.output_scale);
    evaluate_quantized_pair(context, [&](std::int64_t x, std::int64_t y) {
        return shift.sum(x - attrs.input_zero_point(0), sign * (y - attrs.input_zero_point(1))) +
               attrs.output_zero_point;
    });
}

void zero_point_first(EvalContext& context, int sign) {
    const auto& attrs = context.attrs<RequantizeAttrs>();
    const float a = attrs.input_scales[0] / attrs.output_scale;
    const float b = static_cast<float>(sign) * (attrs.input_scales[1] / attrs.output_scale);
    const float offset = rules::f32_sum_offset(a, attrs.input_zero_point(0), b,
                                               attrs.input_zero_point(1), attrs.output_zero_point);
    evaluate_quantized_pair(context, [&](std::int64_t x, std::int64_t y) {
        const float second = std::fma(static_cast<float>(y), b, offset);
        return rules::to_integer(std::rint(std::fma(static_cast<float>(x), a, second)));
    });
}

void evaluate(EvalContext& context) {
    const auto& attrs = context.attrs<RequantizeAttrs>();
    const RuleChoice choice = required_rule(context);
    const int sign = context.node().is("QuantizedSubtract") ? -1 : 1;
    const bool tflite = is_fixed_point(choice.rule) || choice.rule == RoundingRule::kSharedShift;
    if (attrs.shifts && tflite) {
        evaluate_quantized_pair(
            context, [sum = shifted_sum_of(attrs).value(), sign](std::int32_t x, std::int32_t y) {
                return sum(x, y, sign);
            });
    } else if (is_fixed_point(choice.rule)) {
        three_steps(context, choice.rule, sign);
    } else if (choice.rule == RoundingRule::kSharedShift) {
        if (is_wide(context.input(0).get_element_type())) {
            three_steps(context, RoundingRule::kD2, sign);  // XNNPACK has no kernel of 16 bits
        } else {
            shared_shift(context, sign);
        }
    } else if (choice.rule == RoundingRule::kF32ZeroFirst) {
        zero_point_first(context, sign);
    } else {
        evaluate_quantized_pair(context, [&](std::int64_t x, std::int64_t y) {
            const float sum =
                real_value(attrs, 0, x) + static_cast<float>(sign) * real_value(attrs, 1, y);
            return rules::quantize_real(choice.rule, sum, attrs.output_scale,
                                        attrs.output_zero_point);
        });
    }
}

OpSpec row(std::string_view type, std::string_view summary) {
    return {.type = type,
            .version = 1,
            .inputs = {2, 2},
            .make_attributes = make_attributes<RequantizeAttrs>,
            .infer = infer,
            .evaluate = evaluate,
            .summary = summary,
            .refused = "a method without a rule for it",
            .own_set = true};
}

const OpSpec kOps[] = {
    row("QuantizedAdd", "Sum of two quantized tensors"),
    row("QuantizedSubtract", "Difference of two quantized tensors"),
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::quantized_add_ops
