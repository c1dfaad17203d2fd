// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// DynamicQuantize: f32 -> u8 with a scale (f32) and a zero point (u8) that are found in the data,
// ONNX's DynamicQuantizeLinear.
//
//   dst = clamp(rint(x / scale) + zero point, 0, 255), half to even
//
// NaN does not count for the range and becomes 0.
#include <algorithm>

#include "ops/op_list.hpp"
#include "ops/op_spec.hpp"
#include "ops/quantized/dynamic_grid.hpp"

namespace fuseq::dynamic_quantize_ops {
namespace {

void infer(InferContext& context) {
    context.require_type(0, ElementType::f32, "the source");
    context.set_output_count(3);
    context.set_output(0, ElementType::u8, context.shape(0));
    context.set_output(1, ElementType::f32, PartialShape{});
    context.set_output(2, ElementType::u8, PartialShape{});
}

void evaluate(EvalContext& context) {
    const Tensor& src = context.input(0);
    float min = 0.0F;
    float max = 0.0F;
    for (const float x : src.values<float>()) {
        min = x < min ? x : min;
        max = x > max ? x : max;
    }
    const DynamicGrid grid = dynamic_grid(min, max);
    *context.output(1, Shape{}).data<float>() = grid.scale;
    *context.output(2, Shape{}).data<std::uint8_t>() = grid.zero_point;
    auto* dst = context.output(0, src.get_shape()).data<std::uint8_t>();
    for (const float x : src.values<float>()) {
        const float step = std::nearbyint(x / grid.scale) + static_cast<float>(grid.zero_point);
        *dst++ = static_cast<std::uint8_t>(std::min(std::max(0.0F, step), 255.0F));
    }
}

const OpSpec kOps[] = {
    {.type = "DynamicQuantize",
     .version = 1,
     .inputs = {1, 1},
     .make_attributes = make_attributes<NoAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Real values to u8, with a scale and a zero point for their range",
     .own_set = true},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::dynamic_quantize_ops
