// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What a call is given for an input, as a tensor.
#pragma once

#include <functional>

#include "python/native/compiled_ports.hpp"
#include "python/native/py_tensor.hpp"

namespace fuseq::python {

// A Tensor, or a tensor over the memory of an array of the port's type in C order. An array of
// another order, and one whose values all have a place in the port's type (whole numbers in a
// wider or real type, real numbers in a real type) is copied; anything else throws Error saying
// what was given and what is needed. `copied` says whether the memory is not the caller's.
PyTensor tensor_for(const CompiledPort& port, const pybind11::handle& value, bool& copied);

// Calls `set(index, value)` for each input that an array, a list, a tuple or a dict gives. None
// gives none.
void for_each_input(const CompiledPorts& ports,
                    const pybind11::object& inputs,
                    const std::function<void(std::size_t, const pybind11::handle&)>& set);

}  // namespace fuseq::python
