// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/constant.hpp"

#include "ops/op_list.hpp"

namespace fuseq::constant_ops {
namespace {

void infer(InferContext& context) {
    const Tensor& value = context.attrs<ConstAttrs>().value;
    context.require(bool(value), "has no value");
    context.set_output(0, value.get_element_type(), value.get_shape());
}

void evaluate(EvalContext& context) {
    const Tensor& value = context.attrs<ConstAttrs>().value;
    value.copy_to(context.output(0, value.get_shape()));
}

const OpSpec kOps[] = {
    {.type = "Const",
     .version = 1,
     .inputs = {0, 0},
     .make_attributes = make_attributes<ConstAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "A constant of the .bin file"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::constant_ops
