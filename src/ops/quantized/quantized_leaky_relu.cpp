// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// QuantizedLeakyRelu: x for x >= 0, alpha * x below. The fixed-point rules have one multiplier for
// each branch, si / so and si * alpha / so; the others work on real values.
#include "ops/op_list.hpp"
#include "ops/quantized/elementwise.hpp"
#include "ops/quantized/rules/real.hpp"

namespace fuseq::quantized_leaky_relu_ops {
namespace {

void evaluate(EvalContext& context) {
    const auto& attrs = context.attrs<QuantizedLeakyReluAttrs>();
    const RuleChoice choice = required_rule(context);
    if (!is_fixed_point(choice.rule)) {
        evaluate_quantized_elementwise<QuantizedLeakyReluAttrs>(context, [&](std::int64_t q) {
            const float x = real_value(attrs, 0, q);
            return rules::quantize_real(choice.rule, x < 0 ? attrs.alpha * x : x,
                                        attrs.output_scale, attrs.output_zero_point);
        });
        return;
    }
    const auto branch = [&](std::span<const float> factor) {
        return Requantizer(choice, {.input = attrs.input_scales[0],
                                    .weights = factor,
                                    .output = attrs.output_scale,
                                    .output_zero_point = attrs.output_zero_point});
    };
    const Requantizer above = branch({});
    const Requantizer below = branch({&attrs.alpha, 1});
    evaluate_quantized_elementwise<QuantizedLeakyReluAttrs>(context, [&](std::int64_t q) {
        const std::int64_t steps = q - attrs.input_zero_point(0);
        return steps >= 0 ? above(steps) : below(steps);
    });
}

const OpSpec kOps[] = {
    {.type = "QuantizedLeakyRelu",
     .version = 1,
     .inputs = {1, 1},
     .make_attributes = make_attributes<QuantizedLeakyReluAttrs>,
     .infer = infer_quantized_elementwise<QuantizedLeakyReluAttrs>,
     .evaluate = evaluate,
     .summary = "Leaky ReLU of a quantized tensor",
     .refused = "a method without a rule for it",
     .own_set = true},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::quantized_leaky_relu_ops
