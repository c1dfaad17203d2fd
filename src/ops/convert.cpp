// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/convert.hpp"

#include "ops/conversion/converted.hpp"
#include "ops/op_list.hpp"

namespace fuseq::convert_ops {
namespace {

void infer(InferContext& context) {
    const ElementType type = context.attrs<ConvertAttrs>().destination_type;
    context.require(type != ElementType::undefined, "destination_type is not given");
    infer_converted(context, 0, type);
}

void evaluate(EvalContext& context) {
    evaluate_converted(context, 0);
}

const OpSpec kOps[] = {
    {.type = "Convert",
     .version = 1,
     .inputs = {1, 1},
     .make_attributes = make_attributes<ConvertAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Converts the element type; real to integer truncates and clamps"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::convert_ops
