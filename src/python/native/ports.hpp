// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// fuseq.ConstOutput: an input or output of a Model or of a CompiledModel; what fuseq.Node holds.
#pragma once

#include <memory>
#include <vector>

#include <pybind11/pybind11.h>

#include "fuseq/node.hpp"

namespace fuseq::python {

struct PyPort {
    Output output;
    std::shared_ptr<const void> owner;  // of the node
};

struct PyNode {
    Node* node = nullptr;
    std::shared_ptr<const void> owner;
};

// As a fuseq.Shape; throws Error when a size is not known.
pybind11::object shape_object(const PyPort& port);

// The same result of the layer of the same name, in a Model and in what was compiled of it.
bool same_port(const Output& a, const Output& b);

std::vector<PyPort> with_owner(const std::vector<Output>& ports,
                               const std::shared_ptr<const void>& owner);
std::vector<PyNode> with_owner(const std::vector<Node*>& nodes,
                               const std::shared_ptr<const void>& owner);

}  // namespace fuseq::python
