// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Requantize: from the integers of one grid to those of another. With a clamp also ReLU, ReLU6, ...
#include "ops/op_list.hpp"
#include "ops/quantized/quantized_run.hpp"
#include "ops/quantized/requantize_sums.hpp"
#include "ops/quantized/rules/real.hpp"

namespace fuseq::requantize_ops {
namespace {

void infer(InferContext& context) {
    const auto& attrs = context.attrs<RequantizeAttrs>();
    context.require(is_grid_type(attrs.output_type) || attrs.output_type == ElementType::i32,
                    "output_type is ", to_string(attrs.output_type),
                    ", expected u8, i8, u16, i16 or i32");
    check_grids(context, attrs, 1);
    context.set_output(0, attrs.output_type, context.shape(0));
}

void evaluate(EvalContext& context) {
    const auto& attrs = context.attrs<RequantizeAttrs>();
    const RuleChoice choice = required_rule(context);
    const Tensor& src = context.input(0);
    const std::vector<std::int32_t> from = integers(src);
    std::vector<std::int64_t> values(from.size());
    if (is_fixed_point(choice.rule) || is_f32_product(choice.rule)) {
        const Requantizer requantize(choice, {.input = attrs.input_scales[0],
                                              .weights = {},
                                              .output = attrs.output_scale,
                                              .output_zero_point = attrs.output_zero_point});
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = requantize(from[i] - attrs.input_zero_point(0));
        }
    } else {
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = rules::quantize_real(choice.rule, real_value(attrs, 0, from[i]),
                                             attrs.output_scale, attrs.output_zero_point);
        }
    }
    store(context.output(0, src.get_shape()), values, output_limits(attrs));
}

const OpSpec kOps[] = {
    {.type = "Requantize",
     .version = 1,
     .inputs = {1, 1},
     .make_attributes = make_attributes<RequantizeAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "From the integers of one grid to those of another",
     .refused = "a method without a rule for it",
     .own_set = true},
    requantize_sums_row(),
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::requantize_ops
