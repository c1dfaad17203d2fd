// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/convert.hpp"

#include "model/typed.hpp"
#include "ops/op_list.hpp"

namespace fuseq {
namespace {

void infer(InferContext& context) {
    const ElementType type = context.attrs<ConvertAttrs>().destination_type;
    context.require(type != ElementType::undefined, "destination_type is not given");
    context.set_output(0, type, context.shape(0));
    if (is_integral(type) && is_integral(context.type(0))) {
        if (auto dims = context.dims(0)) {
            context.set_output_dims(0, std::move(*dims));
        }
    }
}

void evaluate(EvalContext& context) {
    const Tensor& in = context.input(0);
    Tensor& out = context.output(0, in.get_shape());
    convert_values(in.get_element_type(), in.data(), out.get_element_type(), out.data(),
                   in.get_size());
}

const OpSpec kOps[] = {
    {.type = "Convert",
     .version = 1,
     .inputs = {1, 1},
     .make_attributes = make_attributes<ConvertAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Converts the element type; real to integer truncates and clamps"},
};

}  // namespace

std::span<const OpSpec> convert_ops() {
    return kOps;
}

}  // namespace fuseq
