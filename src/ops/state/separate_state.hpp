// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A model with variables as one without: the value of each variable is an input, its next value an
// output. Devices compile that model and keep the values beside it.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "fuseq/model.hpp"
#include "fuseq/variable_state.hpp"

namespace fuseq {

// Replaces each ReadValue by a Parameter and each Assign by a Result. They come after those that
// the model has, in the order of variables_of(), and keep the names of layers and tensors. Removes
// what only initial values were computed from. A model without variables stays as it is.
void separate_state(Model& model);

// Initial values that one run can compute: none depends on another one.
struct InitialValues {
    // Inputs: those of the model, then one a variable, as separate_state() makes them. Outputs: the
    // values of `variables`.
    std::shared_ptr<Model> model;
    std::vector<std::size_t> variables;  // positions in variables_of()
};
// In the order in which they have to be computed. Variables without an initial value are in none.
std::vector<InitialValues> initial_values(const Model& model);

}  // namespace fuseq
