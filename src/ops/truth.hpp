// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Elements of boolean tensors as kernels that have a type parameter see them.
#pragma once

#include <cstdint>

#include "fuseq/tensor.hpp"
#include "model/typed.hpp"

namespace fuseq {

// One byte; any but 0 is true.
struct Truth {
    std::uint8_t byte;
    bool value() const { return byte != 0; }
    static Truth of(bool value) { return {value ? std::uint8_t{1} : std::uint8_t{0}}; }
};

// Calls function(TypeTag<T>) for numbers and TypeTag<Truth> for booleans.
template <class Function>
void dispatch_elements(ElementType type, Function function) {
    if (type == ElementType::boolean) {
        return function(TypeTag<Truth>{});
    }
    dispatch_numeric(type, function);
}

// The elements of such a T.
template <class T>
const T* elements(const Tensor& tensor) {
    return static_cast<const T*>(tensor.data());
}
template <class T>
T* elements(Tensor& tensor) {
    return static_cast<T*>(tensor.data());
}

}  // namespace fuseq
