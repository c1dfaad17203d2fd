// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Comparisons: two tensors of one type, booleans included; the result is boolean.
#include <functional>

#include "ops/binary_elementwise.hpp"
#include "ops/op_list.hpp"

namespace fuseq {
namespace {

void infer(InferContext& context) {
    context.require_same_type(0, 1);
    context.set_output(0, ElementType::boolean, binary_shape(context));
}

// Values of a boolean tensor are bytes; any byte but 0 is true.
struct Truth {
    std::uint8_t byte;
    int value() const { return byte != 0 ? 1 : 0; }
};

template <class T>
T comparable(T value) {
    return value;
}
inline int comparable(Truth value) {
    return value.value();
}

template <class Function>
void compare(EvalContext& context) {
    const auto& attrs = context.attrs<BinaryAttrs>();
    const Tensor& a = context.input(0);
    const Tensor& b = context.input(1);
    const Shape shape =
        broadcast_shapes(a.get_shape(), b.get_shape(), attrs.auto_broadcast, attrs.axis);
    auto* out = static_cast<std::uint8_t*>(context.output(0, shape).data());
    const auto run = [&](const auto* x, const auto* y) {
        walk_binary(attrs, a.get_shape(), b.get_shape(), shape,
                    [&](std::size_t at, std::size_t i, std::size_t j) {
                        out[at] = Function{}(comparable(x[i]), comparable(y[j])) ? 1 : 0;
                    });
    };
    if (a.get_element_type() == ElementType::boolean) {
        return run(static_cast<const Truth*>(a.data()), static_cast<const Truth*>(b.data()));
    }
    dispatch_numeric(a.get_element_type(), [&](auto tag) {
        using T = typename decltype(tag)::type;
        run(a.data<T>(), b.data<T>());
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

std::span<const OpSpec> compare_ops() {
    return kOps;
}

}  // namespace fuseq
