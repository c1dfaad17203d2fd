// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Models inside of a model: the bodies of Loop, If and TensorIterator.
#pragma once

#include <vector>

#include "fuseq/model.hpp"

namespace fuseq {

// The model, then the bodies of its nodes, and theirs.
std::vector<Model*> model_and_bodies(Model& model);

}  // namespace fuseq
