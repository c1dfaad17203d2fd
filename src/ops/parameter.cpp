// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/parameter.hpp"

#include "model/type_names.hpp"
#include "ops/op_list.hpp"

namespace fuseq::parameter_ops {
namespace {

void infer(InferContext& context) {
    const auto& attrs = context.attrs<ParameterAttrs>();
    context.require(attrs.element_type != ElementType::undefined, "element_type is not given",
                    refused_type_reason("dynamic"));
    context.set_output(0, attrs.element_type, attrs.shape);
}

const OpSpec kOps[] = {
    {.type = "Parameter",
     .version = 1,
     .inputs = {0, 0},
     .make_attributes = make_attributes<ParameterAttrs>,
     .infer = infer,
     .evaluate = nullptr,
     .summary = "An input of the model"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::parameter_ops
