// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Identity-16: the input.
#include "ops/op_list.hpp"
#include "ops/shape_values.hpp"

namespace fuseq::identity_ops {
namespace {

void infer(InferContext& context) {
    context.set_output(0, context.type(0), context.shape(0));
    if (auto values = shape_values(context, 0)) {
        set_shape_values(context, 0, std::move(*values));
    }
}

void evaluate(EvalContext& context) {
    const Tensor& src = context.input(0);
    src.copy_to(context.output(0, src.get_shape()));
}

const OpSpec kOps[] = {
    {.type = "Identity",
     .version = 16,
     .inputs = {1, 1},
     .make_attributes = make_attributes<NoAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "The input itself"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::identity_ops
