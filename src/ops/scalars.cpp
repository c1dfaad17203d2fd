// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/scalars.hpp"

#include "model/typed.hpp"

namespace fuseq {
namespace {

const Tensor& one_element(const EvalContext& context, std::size_t i, std::string_view what) {
    const Tensor& tensor = context.input(i);
    context.require(tensor.get_size() == 1, what, " has ", tensor.get_size(),
                    " elements, expected 1");
    return tensor;
}

void require_one_element(const InferContext& context, std::size_t i, std::string_view what) {
    const PartialShape& shape = context.shape(i);
    context.require(shape.compatible({}) || shape.compatible({1}), what, " has shape ",
                    to_string(shape), ", expected one element");
}

}  // namespace

double scalar_input(const EvalContext& context,
                    std::size_t i,
                    std::string_view what,
                    double otherwise) {
    if (!context.has_input(i)) {
        return otherwise;
    }
    const Tensor& tensor = one_element(context, i, what);
    return dispatch_numeric(tensor.get_element_type(), [&](auto tag) {
        using T = typename decltype(tag)::type;
        return static_cast<double>(*tensor.data<T>());
    });
}

std::int64_t int_input(const EvalContext& context,
                       std::size_t i,
                       std::string_view what,
                       std::int64_t otherwise) {
    return context.has_input(i) ? to_ints(one_element(context, i, what)).front() : otherwise;
}

void require_real_scalar(const InferContext& context, std::size_t i, std::string_view what) {
    if (context.has_input(i)) {
        context.require(is_real(context.type(i)), what, " is ", to_string(context.type(i)),
                        ", expected a real type");
        require_one_element(context, i, what);
    }
}

void require_int_scalar(const InferContext& context, std::size_t i, std::string_view what) {
    if (context.has_input(i)) {
        context.require(is_integral(context.type(i)), what, " is ", to_string(context.type(i)),
                        ", expected an integer type");
        require_one_element(context, i, what);
    }
}

std::optional<std::int64_t> known_int(const InferContext& context,
                                      std::size_t i,
                                      std::int64_t otherwise) {
    if (!context.has_input(i)) {
        return otherwise;
    }
    const auto values = context.ints(i);
    return values && values->size() == 1 ? std::optional(values->front()) : std::nullopt;
}

}  // namespace fuseq
