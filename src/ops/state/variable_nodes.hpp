// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The ReadValue and the Assign of every variable of a model.
#pragma once

#include <vector>

#include "fuseq/model.hpp"
#include "fuseq/variable_state.hpp"

namespace fuseq {

struct VariableNodes {
    Variable variable;
    Node* read = nullptr;
    Node* assign = nullptr;
};

// Sorted by name; checked as variables_of() says.
std::vector<VariableNodes> variable_nodes(const Model& model);

}  // namespace fuseq
