// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/op_list.hpp"
#include "ops/state/state.hpp"

namespace fuseq::assign_ops {
namespace {

// Whether it agrees with its ReadValue says variables_of().
void infer(InferContext& context) {
    context.require(!context.attrs<VariableAttrs>().variable_id.empty(), "variable_id is empty");
    context.set_output(0, context.type(0), context.shape(0));
}

// Without a kernel, see read_value.cpp.
OpSpec assign(int version) {
    return {.type = "Assign",
            .version = version,
            .inputs = {1, 1},
            .make_attributes = make_attributes<VariableIdAttrs>,
            .infer = infer,
            .evaluate = nullptr,
            .summary = "Gives a variable the value that ReadValue has in the next inference",
            .refused = "bodies of TensorIterator, Loop and If"};
}

const OpSpec kOps[] = {assign(3), assign(6)};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::assign_ops
