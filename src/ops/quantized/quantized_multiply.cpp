// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// QuantizedMultiply: rule((a - za) * (b - zb), sa * sb / so), broadcast as numpy does.
#include "ops/broadcast.hpp"
#include "ops/op_list.hpp"
#include "ops/quantized/quantized_run.hpp"

namespace fuseq::quantized_multiply_ops {
namespace {

void infer(InferContext& context) {
    const auto& attrs = context.attrs<RequantizeAttrs>();
    context.require(is_grid_type(attrs.output_type), "output_type is ",
                    to_string(attrs.output_type), ", expected u8, i8, u16 or i16");
    check_grids(context, attrs, 2);
    context.set_output(0, attrs.output_type,
                       broadcast_shapes(context, context.shape(0), context.shape(1)));
}

void evaluate(EvalContext& context) {
    const auto& attrs = context.attrs<RequantizeAttrs>();
    const Requantizer requantize(required_rule(context),
                                 {.input = attrs.input_scales[0],
                                  .weights = {&attrs.input_scales[1], 1},
                                  .output = attrs.output_scale,
                                  .output_zero_point = attrs.output_zero_point});
    const Shape& a = context.input(0).get_shape();
    const Shape& b = context.input(1).get_shape();
    const Shape shape = broadcast_shapes(a, b);
    const std::vector<std::int32_t> x = centered(context.input(0), attrs.input_zero_point(0));
    const std::vector<std::int32_t> y = centered(context.input(1), attrs.input_zero_point(1));
    std::vector<std::int64_t> values(shape_size(shape));
    for (StridedLoop loop(shape, {broadcast_strides(a, shape), broadcast_strides(b, shape)});
         !loop.done(); loop.next()) {
        values[loop.position()] =
            requantize(static_cast<std::int64_t>(x[loop.offset(0)]) * y[loop.offset(1)]);
    }
    store(context.output(0, shape), values, output_limits(attrs));
}

const OpSpec kOps[] = {
    {.type = "QuantizedMultiply",
     .version = 1,
     .inputs = {2, 2},
     .make_attributes = make_attributes<RequantizeAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Product of two quantized tensors",
     .refused = "a method without a rule for it",
     .own_set = true},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::quantized_multiply_ops
