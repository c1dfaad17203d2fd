// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// QuantizedDivide: (a - za) / (b - zb) * sa / (sb so) + zo, broadcast as numpy does.
//
// D1, D2, D2-up: rules/quotient.hpp, with the multiplier in f32; small quotients are not what they should be,
// as in TFLite. The others: in real values. A divisor of 0 gives the end of the range that the dividend
// points to.
#include <cmath>
#include <limits>

#include "ops/op_list.hpp"
#include "ops/quantized/pair.hpp"
#include "ops/quantized/rules/quotient.hpp"
#include "ops/quantized/rules/real.hpp"

namespace fuseq::quantized_divide_ops {
namespace {

std::int64_t of_zero(std::int64_t dividend, std::int64_t zero_point) {
    constexpr std::int64_t kFar = std::numeric_limits<std::int32_t>::max();
    return dividend == 0 ? zero_point : dividend > 0 ? kFar : -kFar;
}

void evaluate(EvalContext& context) {
    const auto& attrs = context.attrs<RequantizeAttrs>();
    const RoundingRule rule = required_rule(context).rule;
    const float product = attrs.input_scales[1] * attrs.output_scale;
    const float factor = attrs.input_scales[0] / product;
    const auto multiplier = rules::quantize_multiplier(factor);
    evaluate_quantized_pair(context, [&](std::int64_t qa, std::int64_t qb) {
        const std::int64_t a = qa - attrs.input_zero_point(0);
        const std::int64_t b = qb - attrs.input_zero_point(1);
        if (b == 0) {
            return of_zero(a, attrs.output_zero_point);
        }
        if (is_fixed_point(rule)) {
            return attrs.output_zero_point + rules::quotient(static_cast<std::int32_t>(a),
                                                             static_cast<std::int32_t>(b),
                                                             multiplier);
        }
        const float real = real_value(attrs, 0, qa) / real_value(attrs, 1, qb);
        return rules::quantize_real(rule, real, attrs.output_scale, attrs.output_zero_point);
    });
}

const OpSpec kOps[] = {
    {.type = "QuantizedDivide",
     .version = 1,
     .inputs = {2, 2},
     .make_attributes = make_attributes<RequantizeAttrs>,
     .infer = infer_quantized_pair_of_bytes,
     .evaluate = evaluate,
     .summary = "Quotient of two quantized tensors",
     .refused = "16 bits; a method without a rule for it",
     .own_set = true},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::quantized_divide_ops
