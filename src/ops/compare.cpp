// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Comparisons: two tensors of one type, booleans included; the result is boolean.
#include <functional>

#include "ops/binary_elementwise.hpp"
#include "ops/op_list.hpp"
#include "ops/truth.hpp"

namespace fuseq::compare_ops {
namespace {

void infer(InferContext& context) {
    context.require_same_type(0, 1);
    context.set_output(0, ElementType::boolean, binary_shape(context));
}

template <class T>
T comparable(T value) {
    return value;
}
int comparable(Truth value) {
    return value.value() ? 1 : 0;
}

template <class Function>
void compare(EvalContext& context) {
    const auto& attrs = context.attrs<BinaryAttrs>();
    const Tensor& a = context.input(0);
    const Tensor& b = context.input(1);
    const Shape shape =
        broadcast_shapes(a.get_shape(), b.get_shape(), attrs.auto_broadcast, attrs.axis);
    auto* out = static_cast<std::uint8_t*>(context.output(0, shape).data());
    dispatch_elements(a.get_element_type(), [&](auto tag) {
        using T = typename decltype(tag)::type;
        const T* x = elements<T>(a);
        const T* y = elements<T>(b);
        walk_binary(attrs, a.get_shape(), b.get_shape(), shape,
                    [&](std::size_t at, std::size_t i, std::size_t j) {
                        out[at] = Function{}(comparable(x[i]), comparable(y[j])) ? 1 : 0;
                    });
    });
}

const OpSpec kOps[] = {
    binary_row("Equal", infer, compare<std::equal_to<>>, "a == b"),
    binary_row("NotEqual", infer, compare<std::not_equal_to<>>, "a != b"),
    binary_row("Less", infer, compare<std::less<>>, "a < b"),
    binary_row("LessEqual", infer, compare<std::less_equal<>>, "a <= b"),
    binary_row("Greater", infer, compare<std::greater<>>, "a > b"),
    binary_row("GreaterEqual", infer, compare<std::greater_equal<>>, "a >= b"),
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::compare_ops
