// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of the operations that are for integers only.
#pragma once

#include <type_traits>

#include "ops/binary_elementwise.hpp"

namespace fuseq {

// Calls function(TypeTag<T>) for integers; booleans are none.
template <class Function>
void dispatch_integral(ElementType type, Function function) {
    dispatch_numeric(type, [&](auto tag) {
        if constexpr (std::is_integral_v<typename decltype(tag)::type>) {
            function(tag);
        } else {
            throw Error("tensor", "no integer kernel for element type " + to_string(type));
        }
    });
}

// out = function(a, b) of an operation with BinaryAttrs.
template <class Function>
void evaluate_integers(EvalContext& context, Function function) {
    dispatch_integral(context.input(0).get_element_type(), [&](auto tag) {
        using T = typename decltype(tag)::type;
        fill_pairs<T>(context, context.attrs<BinaryAttrs>(),
                      [&](T x, T y, std::size_t) { return function(x, y); });
    });
}

}  // namespace fuseq
