// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// LogicalAnd, LogicalOr, LogicalXor, LogicalNot, and Xor, the older name of LogicalXor, on boolean
// tensors; any byte but 0 is true.
#include "ops/binary_elementwise.hpp"
#include "ops/op_list.hpp"
#include "ops/unary_elementwise.hpp"

namespace fuseq::logical_ops {
namespace {

void infer_binary(InferContext& context) {
    context.require_type(0, ElementType::boolean, "input 0");
    context.require_type(1, ElementType::boolean, "input 1");
    context.set_output(0, ElementType::boolean, binary_shape(context));
}

void infer_not(InferContext& context) {
    context.require_type(0, ElementType::boolean, "input 0");
    context.set_output(0, ElementType::boolean, context.shape(0));
}

void logical_and(EvalContext& context) {
    evaluate_truth(context, [](bool x, bool y) { return x && y; });
}
void logical_or(EvalContext& context) {
    evaluate_truth(context, [](bool x, bool y) { return x || y; });
}
void logical_xor(EvalContext& context) {
    evaluate_truth(context, [](bool x, bool y) { return x != y; });
}

const OpSpec kOps[] = {
    binary_row("LogicalAnd", infer_binary, logical_and, "a and b"),
    binary_row("LogicalOr", infer_binary, logical_or, "a or b"),
    binary_row("LogicalXor", infer_binary, logical_xor, "a or b, but not both"),
    binary_row("Xor", infer_binary, logical_xor, "LogicalXor under its older name"),
    {.type = "LogicalNot",
     .version = 1,
     .inputs = {1, 1},
     .make_attributes = make_attributes<NoAttrs>,
     .infer = infer_not,
     .evaluate = evaluate_not,
     .summary = "not a"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::logical_ops
