// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A body of TensorIterator, Loop or If that has a plan of its own.
#pragma once

#include <functional>
#include <string>
#include <unordered_map>

#include "fuseq/model.hpp"
#include "ops/control/body_runner.hpp"

namespace fuseq::cpu {

struct CompiledBody {
    // Makes a function that runs the body, for one request; the functions of several requests may
    // run at once.
    std::function<BodyFunction()> bind;
    std::string summary;  // "5 steps, 2 of 2 convolutions and matmuls on integers"
    std::size_t bytes = 0;
};

// By the body in the attributes of a node. One that is missing is run by the reference kernels.
using CompiledBodies = std::unordered_map<const Model*, CompiledBody>;

}  // namespace fuseq::cpu
