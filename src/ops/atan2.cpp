// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The angle of a point, with the quadrant that a quotient alone does not know.
#include <cmath>

#include "ops/binary_elementwise.hpp"
#include "ops/op_list.hpp"

namespace fuseq::atan2_ops {
namespace {

void infer(InferContext& context) {
    context.require_same_type(0, 1);
    context.require(is_real(context.type(0)), "inputs are ", to_string(context.type(0)),
                    ", expected a real type");
    context.set_output(0, context.type(0), binary_shape(context));
}

void evaluate(EvalContext& context) {
    evaluate_binary(context, [](auto y, auto x) {
        return std::atan2(static_cast<double>(y), static_cast<double>(x));
    });
}

OpSpec own(OpSpec row) {
    row.own_set = true;
    return row;
}

const OpSpec kOps[] = {
    own(binary_row("Atan2", infer, evaluate, "Angle of the point (b, a), from -pi to pi")),
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::atan2_ops
