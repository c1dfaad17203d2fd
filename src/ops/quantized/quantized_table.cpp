// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// QuantizedTable: a function of one value. Dequantize, the function, quantize. Half away from zero is
// TFLite's, which computes in f32 and multiplies by 1 / so; the others round the exact value to f32,
// which is nearer to ONNX Runtime than f32 all the way. Of 8 bits the 256 results are a table.
// Sigmoid and tanh of 16 bits: also by TFLite's table of sigmoids.
#include <cmath>

#include "ops/op_list.hpp"
#include "ops/quantized/elementwise.hpp"
#include "ops/quantized/quantized_sigmoid.hpp"
#include "ops/quantized/rules/real.hpp"

namespace fuseq::quantized_table_ops {
namespace {

template <class Real>
Real apply(QuantizedFunction function, Real x) {
    switch (function) {
        case QuantizedFunction::kSigmoid: return 1 / (1 + std::exp(-x));
        case QuantizedFunction::kTanh: return std::tanh(x);
        case QuantizedFunction::kElu: return x < 0 ? std::expm1(x) : x;
        case QuantizedFunction::kExp: return std::exp(x);
        case QuantizedFunction::kGelu:
            return x / 2 * (1 + std::erf(x * static_cast<Real>(0.70710678F)));
    }
    return x;
}

void infer(InferContext& context) {
    infer_quantized_elementwise<QuantizedTableAttrs>(context);
    const ElementType type = context.type(0);
    context.require(type == ElementType::u8 || type == ElementType::i8 || type == ElementType::i16,
                    "the source is ", to_string(type), ", expected u8, i8 or i16");
    const std::string refusal = sigmoid_16_refusal(context.node());
    context.require(refusal.empty(), refusal);
}

void evaluate(EvalContext& context) {
    const auto& attrs = context.attrs<QuantizedTableAttrs>();
    const RoundingRule rule = required_rule(context).rule;
    const float inverse = 1.0F / attrs.output_scale;
    const auto result = [&](std::int64_t q) {
        const float x = real_value(attrs, 0, q);
        if (rule == RoundingRule::kRealHalfAway) {
            const float y = apply(attrs.function, x);
            return rules::to_integer(std::round(y * inverse)) + attrs.output_zero_point;
        }
        const auto y = static_cast<float>(apply(attrs.function, static_cast<double>(x)));
        return rules::quantize_real(rule, y, attrs.output_scale, attrs.output_zero_point);
    };
    const ElementType type = context.input(0).get_element_type();
    if (by_sigmoid_16(rule)) {
        const std::string refusal = sigmoid_16_refusal(context.node());
        context.require(refusal.empty(), refusal);
        evaluate_quantized_elementwise<QuantizedTableAttrs>(
            context, [sigmoid = make_sigmoid_16(attrs, rule)](std::int64_t q) {
                return sigmoid(static_cast<std::int32_t>(q));
            });
        return;
    }
    if (type == ElementType::i16) {
        evaluate_quantized_elementwise<QuantizedTableAttrs>(context, result);
        return;
    }
    const IntegerLimits source = integer_limits(type);
    std::vector<std::int64_t> table;
    for (std::int64_t q = source.lowest; q <= source.highest; ++q) {
        table.push_back(result(q));
    }
    evaluate_quantized_elementwise<QuantizedTableAttrs>(context, [&](std::int64_t q) {
        return table[static_cast<std::size_t>(q - source.lowest)];
    });
}

const OpSpec kOps[] = {
    {.type = "QuantizedTable",
     .version = 1,
     .inputs = {1, 1},
     .make_attributes = make_attributes<QuantizedTableAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Sigmoid, tanh, ... of a quantized tensor",
     .refused = "u16; a method without a rule for it",
     .own_set = true},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::quantized_table_ops

namespace fuseq {

std::string sigmoid_16_refusal(const Node& node) {
    const RuleChoice* rule = rule_of(node);
    if (rule == nullptr || !by_sigmoid_16(rule->rule)) {
        return {};
    }
    const auto& attrs = node.attrs<QuantizedTableAttrs>();
    if (attrs.function != QuantizedFunction::kSigmoid &&
        attrs.function != QuantizedFunction::kTanh) {
        return "the method has no rule of 16 bits for it, but for sigmoid and tanh";
    }
    if (attrs.input_zero_point(0) != 0 || !is_unit_grid_16(attrs)) {
        return "the method's rule of 16 bits gives i16 of scale 1/32768, with zero points of 0";
    }
    return {};
}

rules::Sigmoid16 make_sigmoid_16(const QuantizedTableAttrs& attrs, RoundingRule rule) {
    return {attrs.input_scales[0],
            {.tanh = attrs.function == QuantizedFunction::kTanh,
             .fixed_point = rule == RoundingRule::kSigmoidsOrFixedPoint}};
}

}  // namespace fuseq
