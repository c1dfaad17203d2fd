// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Outputs that are an input in another element type.
#pragma once

#include <utility>

#include "model/typed.hpp"
#include "ops/op_spec.hpp"

namespace fuseq {

// Output i is input i in that type; known values of a list of integers stay known.
inline void infer_converted(InferContext& context, std::size_t i, ElementType type) {
    context.set_output(i, type, context.shape(i));
    if (is_integral(type) && is_integral(context.type(i))) {
        if (auto dims = context.dims(i)) {
            context.set_output_dims(i, std::move(*dims));
        }
    }
}

inline void evaluate_converted(EvalContext& context, std::size_t i) {
    const Tensor& src = context.input(i);
    Tensor& dst = context.output(i, src.get_shape());
    convert_values(src.get_element_type(), src.data(), dst.get_element_type(), dst.data(),
                   src.get_size());
}

}  // namespace fuseq
