// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "model/typed.hpp"
#include "ops/op_list.hpp"

namespace fuseq::relu_ops {
namespace {

void infer(InferContext& context) {
    context.set_output(0, context.type(0), context.shape(0));
}

void evaluate(EvalContext& context) {
    const Tensor& in = context.input(0);
    Tensor& out = context.output(0, in.get_shape());
    dispatch_numeric(in.get_element_type(), [&](auto tag) {
        using T = typename decltype(tag)::type;
        std::transform(in.values<T>().begin(), in.values<T>().end(), out.data<T>(),
                       [](T x) { return std::max(x, T{0}); });
    });
}

const OpSpec kOps[] = {
    {.type = "ReLU",
     .version = 1,
     .inputs = {1, 1},
     .make_attributes = make_attributes<NoAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "max(x, 0)"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::relu_ops
