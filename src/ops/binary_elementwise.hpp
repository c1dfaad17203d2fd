// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The kernel that all operations with two broadcast inputs share.
#pragma once

#include <type_traits>

#include "model/typed.hpp"
#include "ops/binary_arithmetic.hpp"

namespace fuseq {

// Shape of the output, for the node's auto_broadcast.
inline PartialShape binary_shape(InferContext& context) {
    const auto& attrs = context.attrs<BinaryAttrs>();
    return broadcast_shapes(context, context.shape(0), context.shape(1), attrs.auto_broadcast,
                            attrs.axis);
}

// Walks both inputs: visit(position in the output, offset in a, offset in b).
template <class Visit>
void walk_binary(
    const BinaryAttrs& attrs, const Shape& a, const Shape& b, const Shape& shape, Visit visit) {
    const bool pdpd = attrs.auto_broadcast == AutoBroadcast::kPdpd;
    const auto strides_b = pdpd ? pdpd_strides(b, shape, attrs.axis) : broadcast_strides(b, shape);
    for (StridedLoop walk(shape, {broadcast_strides(a, shape), strides_b}); !walk.done();
         walk.next()) {
        visit(walk.position(), walk.offset(0), walk.offset(1));
    }
}

// out = function(a, b, offset in b) where all three are of type T.
template <class T, class Function>
void fill_pairs(EvalContext& context, const BinaryAttrs& attrs, Function function) {
    const Tensor& a = context.input(0);
    const Tensor& b = context.input(1);
    const Shape shape =
        broadcast_shapes(a.get_shape(), b.get_shape(), attrs.auto_broadcast, attrs.axis);
    const T* x = a.data<T>();
    const T* y = b.data<T>();
    T* z = context.output(0, shape).data<T>();
    walk_binary(attrs, a.get_shape(), b.get_shape(), shape,
                [&](std::size_t at, std::size_t i, std::size_t j) {
                    z[at] = static_cast<T>(function(x[i], y[j], j));
                });
}

// The same where all three have one numeric type. The function gets values of that type and may
// return any type that converts to it.
template <class Function>
void evaluate_pairs(EvalContext& context, const BinaryAttrs& attrs, Function function) {
    dispatch_numeric(context.input(0).get_element_type(), [&](auto tag) {
        fill_pairs<typename decltype(tag)::type>(context, attrs, function);
    });
}

// The same for a function(a, b) of an operation with BinaryAttrs.
template <class Function>
void evaluate_binary(EvalContext& context, Function function) {
    evaluate_pairs(context, context.attrs<BinaryAttrs>(),
                   [&](auto x, auto y, std::size_t) { return function(x, y); });
}

// The same for function(a, b) of two booleans: any byte but 0 is true.
template <class Function>
void evaluate_truth(EvalContext& context, Function function) {
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

// Row of an operation with BinaryAttrs.
inline OpSpec binary_row(std::string_view type,
                         void (*infer)(InferContext&),
                         void (*evaluate)(EvalContext&),
                         std::string_view summary,
                         int version = 1) {
    return {.type = type,
            .version = version,
            .inputs = {2, 2},
            .make_attributes = make_attributes<BinaryAttrs>,
            .infer = infer,
            .evaluate = evaluate,
            .summary = summary};
}

// Integers are added, subtracted and multiplied in 64 bits without sign, which wraps as the type
// itself does and, unlike it, never overflows.
template <class T>
using Wrapping = std::conditional_t<std::is_integral_v<T>, std::uint64_t, T>;

}  // namespace fuseq
