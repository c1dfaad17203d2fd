// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// QuantizedSquaredDifference: (a - b)^2, broadcast as numpy does.
//
// D1, D2, D2-up: (a - za) << 7 by sa / (2 max), the same of b, the square of their difference by
// (2 max)^2 / (2^14 so); max is the larger scale. The others: in real values.
#include <algorithm>
#include <cmath>

#include "ops/op_list.hpp"
#include "ops/quantized/pair.hpp"
#include "ops/quantized/rules/real.hpp"

namespace fuseq::quantized_squared_difference_ops {
namespace {

class FixedPoint {
public:
    FixedPoint(const RequantizeAttrs& attrs, RoundingRule rule)
        : attrs_(attrs),
          a_(rule, rules::quantize_multiplier(attrs.input_scales[0] / twice(attrs)), 0),
          b_(rule, rules::quantize_multiplier(attrs.input_scales[1] / twice(attrs)), 0),
          square_(rule,
                  rules::quantize_multiplier(
                      twice(attrs) * twice(attrs) /
                      std::ldexp(static_cast<double>(attrs.output_scale), 2 * kShift)),
                  attrs.output_zero_point) {}

    std::int64_t operator()(std::int64_t a, std::int64_t b) const {
        const std::int64_t difference = a_((a - attrs_.input_zero_point(0)) << kShift) -
                                        b_((b - attrs_.input_zero_point(1)) << kShift);
        return square_(difference * difference);
    }

private:
    static constexpr int kShift = 7;

    static double twice(const RequantizeAttrs& attrs) {
        return 2.0 * static_cast<double>(std::max(attrs.input_scales[0], attrs.input_scales[1]));
    }

    const RequantizeAttrs& attrs_;
    Requantizer a_, b_, square_;
};

void evaluate(EvalContext& context) {
    const auto& attrs = context.attrs<RequantizeAttrs>();
    const RoundingRule rule = required_rule(context).rule;
    if (is_fixed_point(rule)) {
        evaluate_quantized_pair(context, FixedPoint(attrs, rule));
        return;
    }
    evaluate_quantized_pair(context, [&](std::int64_t a, std::int64_t b) {
        const float difference = real_value(attrs, 0, a) - real_value(attrs, 1, b);
        return rules::quantize_real(rule, difference * difference, attrs.output_scale,
                                    attrs.output_zero_point);
    });
}

const OpSpec kOps[] = {
    {.type = "QuantizedSquaredDifference",
     .version = 1,
     .inputs = {2, 2},
     .make_attributes = make_attributes<RequantizeAttrs>,
     .infer = infer_quantized_pair_of_bytes,
     .evaluate = evaluate,
     .summary = "Square of the difference of two quantized tensors",
     .refused = "16 bits; a method without a rule for it",
     .own_set = true},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::quantized_squared_difference_ops
