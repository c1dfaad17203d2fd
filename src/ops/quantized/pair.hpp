// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What operations of two quantized inputs do, which are broadcast as numpy does.
#pragma once

#include "ops/broadcast.hpp"
#include "ops/quantized/quantized_run.hpp"

namespace fuseq {

// Checks the grids and sets the shape of dst; its type is for the caller to check.
inline void infer_quantized_pair(InferContext& context) {
    const auto& attrs = context.attrs<RequantizeAttrs>();
    check_grids(context, attrs, 2);
    context.set_output(0, attrs.output_type,
                       broadcast_shapes(context, context.shape(0), context.shape(1)));
}

// The same of results that are bytes.
inline void infer_quantized_pair_of_bytes(InferContext& context) {
    const ElementType type = context.attrs<RequantizeAttrs>().output_type;
    context.require(type == ElementType::u8 || type == ElementType::i8, "output_type is ",
                    to_string(type), ", expected u8 or i8");
    infer_quantized_pair(context);
}

// dst = function(a, b) of the integers themselves, clamped.
template <class Function>
void evaluate_quantized_pair(EvalContext& context, Function function) {
    const Shape& a = context.input(0).get_shape();
    const Shape& b = context.input(1).get_shape();
    const Shape shape = broadcast_shapes(a, b);
    const std::vector<std::int32_t> x = integers(context.input(0));
    const std::vector<std::int32_t> y = integers(context.input(1));
    std::vector<std::int64_t> values(shape_size(shape));
    for (StridedLoop loop(shape, {broadcast_strides(a, shape), broadcast_strides(b, shape)});
         !loop.done(); loop.next()) {
        values[loop.position()] = function(x[loop.offset(0)], y[loop.offset(1)]);
    }
    store(context.output(0, shape), values, output_limits(context.attrs<RequantizeAttrs>()));
}

}  // namespace fuseq
