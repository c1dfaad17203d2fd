// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// QuantizedSquaredDifference: (a - b)^2, broadcast as numpy does.
//
// D1, D2, D2-up: (a - za) << 7 by sa / (2 max), the same of b, the square of their difference by
// (2 max)^2 / (2^14 so); max is the larger scale. The others: in real values.
#include <algorithm>
#include <cmath>

#include "ops/broadcast.hpp"
#include "ops/op_list.hpp"
#include "ops/quantized/quantized_run.hpp"
#include "ops/quantized/rules/real.hpp"

namespace fuseq::quantized_squared_difference_ops {
namespace {

void infer(InferContext& context) {
    const auto& attrs = context.attrs<RequantizeAttrs>();
    context.require(attrs.output_type == ElementType::u8 || attrs.output_type == ElementType::i8,
                    "output_type is ", to_string(attrs.output_type), ", expected u8 or i8");
    check_grids(context, attrs, 2);
    context.set_output(0, attrs.output_type,
                       broadcast_shapes(context, context.shape(0), context.shape(1)));
}

class FixedPoint {
public:
    FixedPoint(const RequantizeAttrs& attrs, RoundingRule rule)
        : attrs_(attrs),
          a_(rule, multiplier(attrs.input_scales[0] / twice(attrs)), 0),
          b_(rule, multiplier(attrs.input_scales[1] / twice(attrs)), 0),
          square_(rule,
                  multiplier(twice(attrs) * twice(attrs) /
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
    static rules::QuantizedMultiplier multiplier(double real) {
        return rules::quantize_multiplier(real);
    }

    const RequantizeAttrs& attrs_;
    Requantizer a_, b_, square_;
};

void evaluate(EvalContext& context) {
    const auto& attrs = context.attrs<RequantizeAttrs>();
    const RoundingRule rule = required_rule(context).rule;
    const Shape& a = context.input(0).get_shape();
    const Shape& b = context.input(1).get_shape();
    const Shape shape = broadcast_shapes(a, b);
    const std::vector<std::int32_t> x = integers(context.input(0));
    const std::vector<std::int32_t> y = integers(context.input(1));
    std::vector<std::int64_t> values(shape_size(shape));
    const auto fill = [&](auto function) {
        for (StridedLoop loop(shape, {broadcast_strides(a, shape), broadcast_strides(b, shape)});
             !loop.done(); loop.next()) {
            values[loop.position()] = function(x[loop.offset(0)], y[loop.offset(1)]);
        }
    };
    if (is_fixed_point(rule)) {
        fill(FixedPoint(attrs, rule));
    } else {
        fill([&](std::int64_t p, std::int64_t q) {
            const float difference = real_value(attrs, 0, p) - real_value(attrs, 1, q);
            return rules::quantize_real(rule, difference * difference, attrs.output_scale,
                                        attrs.output_zero_point);
        });
    }
    store(context.output(0, shape), values, output_limits(attrs));
}

const OpSpec kOps[] = {
    {.type = "QuantizedSquaredDifference",
     .version = 1,
     .inputs = {2, 2},
     .make_attributes = make_attributes<RequantizeAttrs>,
     .infer = infer,
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
