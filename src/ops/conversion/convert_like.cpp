// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// ConvertLike-1: input 0 in the element type of input 1, whose values do not matter.
#include "model/typed.hpp"
#include "ops/op_list.hpp"
#include "ops/shape_values.hpp"

namespace fuseq {
namespace {

void infer(InferContext& context) {
    context.set_output(0, context.type(1), context.shape(0));
    if (auto values = shape_values(context, 0)) {
        set_shape_values(context, 0, std::move(*values));
    }
}

void evaluate(EvalContext& context) {
    const Tensor& src = context.input(0);
    Tensor& dst = context.output(0, src.get_shape());
    convert_values(src.get_element_type(), src.data(), dst.get_element_type(), dst.data(),
                   src.get_size());
}

const OpSpec kOps[] = {
    {.type = "ConvertLike",
     .version = 1,
     .inputs = {2, 2},
     .make_attributes = make_attributes<NoAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Converts to the element type of the second input"},
};

}  // namespace

std::span<const OpSpec> convert_like_ops() {
    return kOps;
}

}  // namespace fuseq
