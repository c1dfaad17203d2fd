// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// LogicalAnd, LogicalOr, LogicalXor, LogicalNot, and Xor, the older name of LogicalXor, on boolean
// tensors; any byte but 0 is true.
#include <algorithm>

#include "ops/binary_elementwise.hpp"
#include "ops/op_list.hpp"

namespace fuseq {
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

template <class Function>
void combine(EvalContext& context, Function function) {
    const auto& attrs = context.attrs<BinaryAttrs>();
    const Tensor& a = context.input(0);
    const Tensor& b = context.input(1);
    const Shape shape =
        broadcast_shapes(a.get_shape(), b.get_shape(), attrs.auto_broadcast, attrs.axis);
    auto* out = static_cast<std::uint8_t*>(context.output(0, shape).data());
    const auto* x = static_cast<const std::uint8_t*>(a.data());
    const auto* y = static_cast<const std::uint8_t*>(b.data());
    walk_binary(attrs, a.get_shape(), b.get_shape(), shape,
                [&](std::size_t at, std::size_t i, std::size_t j) {
                    out[at] = function(x[i] != 0, y[j] != 0) ? 1 : 0;
                });
}

void logical_and(EvalContext& context) {
    combine(context, [](bool x, bool y) { return x && y; });
}
void logical_or(EvalContext& context) {
    combine(context, [](bool x, bool y) { return x || y; });
}
void logical_xor(EvalContext& context) {
    combine(context, [](bool x, bool y) { return x != y; });
}
void logical_not(EvalContext& context) {
    const Tensor& in = context.input(0);
    auto* out = static_cast<std::uint8_t*>(context.output(0, in.get_shape()).data());
    const auto* x = static_cast<const std::uint8_t*>(in.data());
    std::transform(x, x + in.get_size(), out,
                   [](std::uint8_t value) { return static_cast<std::uint8_t>(value == 0); });
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
     .evaluate = logical_not,
     .summary = "not a"},
};

}  // namespace

std::span<const OpSpec> logical_ops() {
    return kOps;
}

}  // namespace fuseq
