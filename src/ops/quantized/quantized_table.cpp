// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// QuantizedTable: a function of one value, of 8 bits: its 256 results are a table. Dequantize, the
// function, quantize. Half away from zero is TFLite's, which computes in f32 and multiplies by 1 / so;
// the others round the exact value to f32, which is nearer to ONNX Runtime than f32 all the way.
#include <cmath>

#include "ops/op_list.hpp"
#include "ops/quantized/elementwise.hpp"
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
    context.require(type == ElementType::u8 || type == ElementType::i8, "the source is ",
                    to_string(type), ", expected u8 or i8");
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
    const IntegerLimits source = integer_limits(context.input(0).get_element_type());
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
     .summary = "Sigmoid, tanh, ... of a quantized tensor of 8 bits, by a table",
     .refused = "16 bits; a method without a rule for it",
     .own_set = true},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::quantized_table_ops
