// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/binary_arithmetic.hpp"

#include "model/typed.hpp"
#include "ops/op_list.hpp"

namespace fuseq {
namespace {

void infer(InferContext& context) {
    const auto& attrs = context.attrs<BinaryAttrs>();
    context.require_same_type(0, 1);
    context.set_output(0, context.type(0),
                       broadcast_shapes(context, context.shape(0), context.shape(1),
                                        attrs.auto_broadcast, attrs.axis));
}

template <class Function>
void evaluate_binary(EvalContext& context, Function function) {
    const auto& attrs = context.attrs<BinaryAttrs>();
    const Tensor& a = context.input(0);
    const Tensor& b = context.input(1);
    const Shape shape =
        broadcast_shapes(a.get_shape(), b.get_shape(), attrs.auto_broadcast, attrs.axis);
    Tensor& out = context.output(0, shape);
    const bool pdpd = attrs.auto_broadcast == AutoBroadcast::kPdpd;
    const auto strides_b = pdpd ? pdpd_strides(b.get_shape(), shape, attrs.axis)
                                : broadcast_strides(b.get_shape(), shape);
    dispatch_numeric(a.get_element_type(), [&](auto tag) {
        using T = typename decltype(tag)::type;
        const T* x = a.data<T>();
        const T* y = b.data<T>();
        T* z = out.data<T>();
        for (StridedWalk walk(shape, {broadcast_strides(a.get_shape(), shape), strides_b});
             !walk.done(); walk.next()) {
            z[walk.position()] = static_cast<T>(function(x[walk.offset(0)], y[walk.offset(1)]));
        }
    });
}

void add(EvalContext& context) {
    evaluate_binary(context, [](auto x, auto y) { return x + y; });
}
void subtract(EvalContext& context) {
    evaluate_binary(context, [](auto x, auto y) { return x - y; });
}
void multiply(EvalContext& context) {
    evaluate_binary(context, [](auto x, auto y) { return x * y; });
}

OpSpec row(std::string_view type, void (*evaluate)(EvalContext&), std::string_view summary) {
    return {.type = type,
            .version = 1,
            .inputs = {2, 2},
            .make_attributes = make_attributes<BinaryAttrs>,
            .infer = infer,
            .evaluate = evaluate,
            .summary = summary};
}

const OpSpec kOps[] = {
    row("Add", add, "a + b"),
    row("Subtract", subtract, "a - b"),
    row("Multiply", multiply, "a * b"),
};

}  // namespace

std::span<const OpSpec> binary_arithmetic_ops() {
    return kOps;
}

}  // namespace fuseq
