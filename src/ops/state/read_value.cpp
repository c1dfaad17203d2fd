// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/op_list.hpp"
#include "ops/state/state.hpp"

namespace fuseq::read_value_ops {
namespace {

void require_name(const InferContext& context) {
    context.require(!context.attrs<VariableAttrs>().variable_id.empty(), "variable_id is empty");
}

void infer_3(InferContext& context) {
    require_name(context);
    context.set_output(0, context.type(0), context.shape(0));
}

void infer_6(InferContext& context) {
    require_name(context);
    const auto& attrs = context.attrs<ReadValueAttrs>();
    ElementType type = attrs.variable_type;
    PartialShape shape = attrs.variable_shape;
    if (!context.has_input(0)) {
        context.require(type != ElementType::undefined && shape.rank_is_static(),
                        "has no initial value, so variable_type and a variable_shape of known "
                        "rank must be given; they are ",
                        to_string(type), " and ", to_string(shape));
    } else {
        context.require(type == ElementType::undefined || type == context.type(0),
                        "the initial value is ", to_string(context.type(0)), ", variable_type is ",
                        to_string(type));
        context.require(shape.compatible(context.shape(0)), "the initial value has shape ",
                        to_string(context.shape(0)), ", variable_shape is ", to_string(shape));
        type = context.type(0);
        shape = shape.rank_is_static() ? shape : context.shape(0);
    }
    context.set_output(0, type, shape);
}

// Without kernels: devices run a model whose variables are inputs and outputs (separate_state.hpp).
const OpSpec kOps[] = {
    {.type = "ReadValue",
     .version = 3,
     .inputs = {1, 1},
     .make_attributes = make_attributes<VariableIdAttrs>,
     .infer = infer_3,
     .evaluate = nullptr,
     .summary = "The value of a variable, which lasts from one inference to the next",
     .refused = "bodies of TensorIterator, Loop and If"},
    {.type = "ReadValue",
     .version = 6,
     .inputs = {0, 1},
     .make_attributes = make_attributes<ReadValueAttrs>,
     .infer = infer_6,
     .evaluate = nullptr,
     .summary = "The same; the initial value may be left out, then it is zeros",
     .refused = "bodies of TensorIterator, Loop and If"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::read_value_ops
