// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The parts of the module fuseq._native, one a file, in the order in which they are defined.
#pragma once

#include <pybind11/pybind11.h>

namespace fuseq::python {

void define_errors(pybind11::module_& module);
void define_types(pybind11::module_& module);
void define_shapes(pybind11::module_& module);
void define_tensor(pybind11::module_& module);
void define_ports(pybind11::module_& module);
void define_node(pybind11::module_& module);
void define_model(pybind11::module_& module);
void define_results(pybind11::module_& module);
void define_request(pybind11::module_& module);
void define_compiled_model(pybind11::module_& module);
void define_core(pybind11::module_& module);
void define_quantizer(pybind11::module_& module);
void define_preprocess(pybind11::module_& module);

}  // namespace fuseq::python
