// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What operations of one quantized input do whose dst has the shape of src.
#pragma once

#include "ops/quantized/quantized_run.hpp"

namespace fuseq {

template <class Attrs>
void infer_quantized_elementwise(InferContext& context) {
    const auto& attrs = context.attrs<Attrs>();
    context.require(is_grid_type(attrs.output_type), "output_type is ",
                    to_string(attrs.output_type), ", expected u8, i8, u16 or i16");
    check_grids(context, attrs, 1);
    context.set_output(0, attrs.output_type, context.shape(0));
}

// dst = function(q), clamped.
template <class Attrs, class Function>
void evaluate_quantized_elementwise(EvalContext& context, Function function) {
    const Tensor& src = context.input(0);
    const std::vector<std::int32_t> from = integers(src);
    std::vector<std::int64_t> values(from.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = function(static_cast<std::int64_t>(from[i]));
    }
    store(context.output(0, src.get_shape()), values, output_limits(context.attrs<Attrs>()));
}

}  // namespace fuseq
