// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// fuseq.Tensor, and arrays over the memory of tensors.
#pragma once

#include <functional>

#include <pybind11/numpy.h>

#include "fuseq/tensor.hpp"

namespace fuseq::python {

struct PyTensor {
    Tensor tensor;
    // Keeps memory that is not the tensor's own: the array that it was made over. May be null.
    pybind11::object base = pybind11::none();
    // Told of a new shape: a request whose tensor it is takes it over.
    std::function<void(const PyTensor&)> changed{};
};

// A view of the memory, without a copy; it keeps the memory alive. Packed types give their bytes in
// one dimension.
pybind11::array view_of(const PyTensor& tensor);
// A new array of the values: bf16 and nf4 as float32, packed integers unpacked.
pybind11::array copy_of(const Tensor& tensor);

// A tensor over the memory of an array that is in C order; the dtype must be one that tensors have.
PyTensor tensor_over(const pybind11::array& array);

Shape shape_of(const pybind11::array& array);
// C order, without gaps, and each element at an address that the CPU can read at once.
bool in_c_order(const pybind11::array& array);
// "float64 [1,3] in C order"
std::string describe(const pybind11::array& array);

}  // namespace fuseq::python
