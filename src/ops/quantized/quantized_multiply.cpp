// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// QuantizedMultiply: rule((a - za) * (b - zb), sa * sb / so), broadcast as numpy does.
#include "ops/op_list.hpp"
#include "ops/quantized/pair.hpp"

namespace fuseq::quantized_multiply_ops {
namespace {

void infer(InferContext& context) {
    const auto& attrs = context.attrs<RequantizeAttrs>();
    context.require(is_grid_type(attrs.output_type), "output_type is ",
                    to_string(attrs.output_type), ", expected u8, i8, u16 or i16");
    infer_quantized_pair(context);
}

void evaluate(EvalContext& context) {
    const auto& attrs = context.attrs<RequantizeAttrs>();
    const Requantizer requantize(required_rule(context),
                                 {.input = attrs.input_scales[0],
                                  .weights = {&attrs.input_scales[1], 1},
                                  .output = attrs.output_scale,
                                  .output_zero_point = attrs.output_zero_point});
    evaluate_quantized_pair(context, [&](std::int64_t a, std::int64_t b) {
        return requantize((a - attrs.input_zero_point(0)) * (b - attrs.input_zero_point(1)));
    });
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
