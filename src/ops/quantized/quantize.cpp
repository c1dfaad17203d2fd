// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Quantize: f32 -> integers, saturated. Rules kRealHalfAway (TFLite), kRealHalfEven (ONNX: the zero
// point after the rounding), kRealZeroFirst (FakeQuantize: before it). NaN gives the lowest
// integer.
#include "ops/op_list.hpp"
#include "ops/quantized/axis_grid.hpp"
#include "ops/quantized/rules/real.hpp"

namespace fuseq::quantize_ops {
namespace {

void infer(InferContext& context) {
    const auto& attrs = context.attrs<QuantizeAttrs>();
    context.require_type(0, ElementType::f32, "the source");
    context.require(is_grid_type(attrs.output_type) || attrs.output_type == ElementType::i32,
                    "output_type is ", to_string(attrs.output_type),
                    ", expected u8, i8, u16, i16 or i32");
    const PartialShape& shape = context.shape(0);
    check_axis_grid(context, attrs);
    check_zero_point_list(context, "zero_points", attrs.zero_points, attrs.scales.size(),
                          attrs.output_type);
    context.require(rule_of(context.node())->rule != RoundingRule::kRefused, "the method ",
                    to_string(attrs.method), " gives no rule for Quantize");
    context.set_output(0, attrs.output_type, shape);
}

void evaluate(EvalContext& context) {
    const auto& attrs = context.attrs<QuantizeAttrs>();
    const RoundingRule rule = required_rule(context).rule;
    const Tensor& src = context.input(0);
    const AxisWalk walk(context, src.get_shape(), attrs.axis, attrs.scales.size());
    const std::span<const float> from = src.values<float>();
    std::vector<std::int64_t> values(from.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::size_t c = walk.index(i);
        values[i] = rules::quantize_real(rule, from[i], attrs.scales[c],
                                         zero_point_at(attrs.zero_points, c));
    }
    store(context.output(0, src.get_shape()), values, integer_limits(attrs.output_type));
}

const OpSpec kOps[] = {
    {.type = "Quantize",
     .version = 1,
     .inputs = {1, 1},
     .make_attributes = make_attributes<QuantizeAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Real values to the integers of a grid, by the rounding of a method",
     .refused = "a method without a rule for it",
     .own_set = true},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::quantize_ops
