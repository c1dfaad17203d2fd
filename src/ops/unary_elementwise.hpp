// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The kernels that operations with one input and one output of the same shape share.
#pragma once

#include <algorithm>

#include "model/typed.hpp"
#include "ops/op_spec.hpp"

namespace fuseq {

// out = function(x) for every element of a numeric tensor.
template <class Function>
void evaluate_unary(EvalContext& context, Function function) {
    const Tensor& in = context.input(0);
    Tensor& out = context.output(0, in.get_shape());
    dispatch_numeric(in.get_element_type(), [&](auto tag) {
        using T = typename decltype(tag)::type;
        std::transform(in.values<T>().begin(), in.values<T>().end(), out.data<T>(),
                       [&](T x) { return static_cast<T>(function(x)); });
    });
}

// The same for real tensors: the function maps double to double.
template <class Function>
void evaluate_real(EvalContext& context, Function function) {
    const Tensor& in = context.input(0);
    Tensor& out = context.output(0, in.get_shape());
    const auto run = [&]<class T>(T) {
        std::transform(in.values<T>().begin(), in.values<T>().end(), out.data<T>(),
                       [&](T x) { return static_cast<T>(function(static_cast<double>(x))); });
    };
    switch (in.get_element_type()) {
        case ElementType::f32: return run(0.0F);
        case ElementType::f64: return run(0.0);
        default: context.fail("no kernel for element type ", to_string(in.get_element_type()));
    }
}

// out = not x for booleans: any byte but 0 is true.
inline void evaluate_not(EvalContext& context) {
    const Tensor& in = context.input(0);
    auto* out = static_cast<std::uint8_t*>(context.output(0, in.get_shape()).data());
    const auto* x = static_cast<const std::uint8_t*>(in.data());
    std::transform(x, x + in.get_size(), out,
                   [](std::uint8_t value) { return static_cast<std::uint8_t>(value == 0); });
}

// Inference of such operations.
inline void infer_real_unary(InferContext& context) {
    context.require(is_real(context.type(0)), "input is ", to_string(context.type(0)),
                    ", expected a real type");
    context.set_output(0, context.type(0), context.shape(0));
}
inline void infer_numeric_unary(InferContext& context) {
    context.require(is_real(context.type(0)) || is_integral(context.type(0)), "input is ",
                    to_string(context.type(0)), ", expected a numeric type");
    context.set_output(0, context.type(0), context.shape(0));
}

// Input i of an operation that takes a parameter of one value as a tensor.
inline double single_real(const EvalContext& context, std::size_t i, const char* what) {
    const Tensor& tensor = context.input(i);
    context.require(tensor.get_size() == 1, what, " has ", tensor.get_size(),
                    " values, expected 1");
    return tensor.to(ElementType::f64).data<double>()[0];
}
inline void require_single(const InferContext& context, std::size_t i, const char* what) {
    context.require_same_type(0, i);
    const PartialShape& shape = context.shape(i);
    context.require(shape.compatible(PartialShape{}) || shape.compatible(PartialShape{1}), what,
                    " has shape ", to_string(shape), ", expected one value");
}

}  // namespace fuseq
