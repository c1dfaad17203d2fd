// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/control/body_runner.hpp"

#include <memory>

#include "ops/interpreter.hpp"
#include "ops/kernel_states.hpp"

namespace fuseq {

BodyFunction body_function(const EvalContext& context, const Model& body) {
    if (const auto* runner = dynamic_cast<const BodyRunner*>(&context)) {
        if (BodyFunction function = runner->run_body(body)) {
            return function;
        }
    }
    KernelStates* states = states_of(context);
    return [interpreter = std::make_shared<const Interpreter>(body),
            inner = states == nullptr ? nullptr : &states->in_bodies(context.node())](
               std::span<const Tensor> inputs) { return interpreter->run(inputs, {}, inner); };
}

}  // namespace fuseq
