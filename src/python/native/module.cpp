// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// fuseq._native: the C++ API as Python classes. The package `fuseq` gives them to users.
#include "python/native/bindings.hpp"

PYBIND11_MODULE(_native, module) {
    module.doc() = "The native part of the package fuseq.";
    module.attr("__version__") = FUSEQ_VERSION;
    fuseq::python::define_errors(module);
    fuseq::python::define_types(module);
    fuseq::python::define_shapes(module);
    fuseq::python::define_tensor(module);
    fuseq::python::define_ports(module);
    fuseq::python::define_node(module);
    fuseq::python::define_model(module);
    fuseq::python::define_results(module);
    fuseq::python::define_request(module);
    fuseq::python::define_compiled_model(module);
    fuseq::python::define_core(module);
    fuseq::python::define_quantizer(module);
    fuseq::python::define_preprocess(module);
}
