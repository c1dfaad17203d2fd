// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "python/native/compiled_ports.hpp"

namespace fuseq::python {

// fuseq.OVDict: the arrays that an inference gave, in the order of the outputs.
struct PyResults {
    std::shared_ptr<const CompiledPorts> ports;
    std::vector<pybind11::object> arrays;
};

}  // namespace fuseq::python
