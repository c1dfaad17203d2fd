// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "ops/control/iteration.hpp"
#include "ops/op_list.hpp"

namespace fuseq::tensor_iterator_ops {
namespace {

bool has_sliced_input(const IterationAttrs& attrs) {
    for (const PortMapRow& row : PortMap::rows(attrs.input_map)) {
        if (row.sliced) {
            return true;
        }
    }
    return false;
}

void infer(InferContext& context) {
    const auto& attrs = context.attrs<IterationAttrs>();
    const auto parts = inferred_parts(context);
    context.require(has_sliced_input(attrs),
                    "input_map cuts no input into parts, so the number of iterations is not known");
    context.require(attrs.current_iteration == -1 && attrs.execution_condition == -1,
                    "current_iteration and execution_condition belong to Loop");
    infer_iteration(context, parts);
}

void evaluate(EvalContext& context) {
    run_iteration(context, std::numeric_limits<std::int64_t>::max());
}

const OpSpec kOps[] = {
    {.type = "TensorIterator",
     .version = 1,
     .inputs = {1, Arity::kMany},
     .make_attributes = make_attributes<IterationAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Runs a body once a part of its sliced inputs",
     .refused = "port maps without a sliced input; stride 0; part_size below 1"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::tensor_iterator_ops
