// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Dequantize: f32(q - zero_point) * scale.
#include "ops/op_list.hpp"
#include "ops/quantized/axis_grid.hpp"

namespace fuseq::dequantize_ops {
namespace {

void infer(InferContext& context) {
    const auto& attrs = context.attrs<DequantizeAttrs>();
    context.require(is_integral(context.type(0)), "the source is ", to_string(context.type(0)),
                    ", expected integers");
    check_axis_grid(context, attrs);
    check_zero_point_list(context, "zero_points", attrs.zero_points, attrs.scales.size(),
                          context.type(0));
    context.set_output(0, ElementType::f32, context.shape(0));
}

void evaluate(EvalContext& context) {
    const auto& attrs = context.attrs<DequantizeAttrs>();
    const Tensor& src = context.input(0);
    const AxisWalk walk(context, src.get_shape(), attrs.axis, attrs.scales.size());
    const std::vector<std::int32_t> values = integers(src);
    float* out = context.output(0, src.get_shape()).data<float>();
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::size_t c = walk.index(i);
        const std::int64_t steps = values[i] - zero_point_at(attrs.zero_points, c);
        out[i] = static_cast<float>(steps) * attrs.scales[c];
    }
}

const OpSpec kOps[] = {
    {.type = "Dequantize",
     .version = 1,
     .inputs = {1, 1},
     .make_attributes = make_attributes<DequantizeAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Integers of a grid to the real values that they stand for",
     .own_set = true},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::dequantize_ops
