// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// How the bodies of TensorIterator, Loop and If are run.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "fuseq/model.hpp"
#include "ops/op_spec.hpp"

namespace fuseq {

// Runs a body: one tensor a Parameter to one a Result. The results stay as they are when it runs
// again.
using BodyFunction = std::function<std::vector<Tensor>(std::span<const Tensor>)>;

// An EvalContext may be one too: that of a device that has plans for bodies.
class BodyRunner {
public:
    virtual ~BodyRunner() = default;
    // An empty function where it has none for that body.
    virtual BodyFunction run_body(const Model& body) const = 0;
};

// What the context has for the body, or node by node with the reference kernels. `body` must
// outlive the function.
BodyFunction body_function(const EvalContext& context, const Model& body);

}  // namespace fuseq
