// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// ConvertLike-1: input 0 in the element type of input 1, whose values do not matter.
#include "ops/conversion/converted.hpp"
#include "ops/op_list.hpp"

namespace fuseq::convert_like_ops {
namespace {

void infer(InferContext& context) {
    infer_converted(context, 0, context.type(1));
}

void evaluate(EvalContext& context) {
    evaluate_converted(context, 0);
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

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::convert_like_ops
