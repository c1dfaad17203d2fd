// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/control/body_runner.hpp"

#include <memory>

#include "ops/interpreter.hpp"

namespace fuseq {

BodyFunction body_function(const EvalContext& context, const Model& body) {
    if (const auto* runner = dynamic_cast<const BodyRunner*>(&context)) {
        if (BodyFunction function = runner->run_body(body)) {
            return function;
        }
    }
    return [interpreter = std::make_shared<const Interpreter>(body)](
               std::span<const Tensor> inputs) { return interpreter->run(inputs); };
}

}  // namespace fuseq
