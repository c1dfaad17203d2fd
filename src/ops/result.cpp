// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/op_list.hpp"

namespace fuseq::result_ops {
namespace {

void infer(InferContext& context) {
    context.set_output(0, context.type(0), context.shape(0));
}

void evaluate(EvalContext& context) {
    context.input(0).copy_to(context.output(0, context.input(0).get_shape()));
}

const OpSpec kOps[] = {
    {.type = "Result",
     .version = 1,
     .inputs = {1, 1},
     .make_attributes = make_attributes<NoAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "An output of the model"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::result_ops
