// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// PReLU-1: x where x >= 0, else x * slope. A slope [C] of as many values as x has channels belongs
// to dimension 1; any other broadcasts to x by numpy rules.
#include "ops/prelu.hpp"

#include "model/typed.hpp"
#include "ops/broadcast.hpp"
#include "ops/op_list.hpp"

namespace fuseq {

PartialShape prelu_slope_shape(const PartialShape& x, const PartialShape& slope) {
    if (!x.rank_is_static() || !slope.rank_is_static() || slope.rank() != 1 || x.rank() < 2 ||
        slope[0] == Dimension(1) || !x[1].compatible(slope[0])) {
        return slope;
    }
    std::vector<Dimension> dims(x.rank(), Dimension(1));
    dims[1] = slope[0];
    return PartialShape(dims);
}

}  // namespace fuseq

namespace fuseq::prelu_ops {
namespace {

void infer(InferContext& context) {
    context.require_same_type(0, 1);
    context.require(is_real(context.type(0)) || is_integral(context.type(0)), "x is ",
                    to_string(context.type(0)), ", expected a numeric type");
    const PartialShape& x = context.shape(0);
    const PartialShape slope = prelu_slope_shape(x, context.shape(1));
    const PartialShape both = broadcast_shapes(context, x, slope);
    context.require(both.compatible(x), "slope has shape ", to_string(context.shape(1)),
                    ", expected one that broadcasts to ", to_string(x));
    context.set_output(0, context.type(0), x);
}

void evaluate(EvalContext& context) {
    const Tensor& in = context.input(0);
    const Shape& shape = in.get_shape();
    const Shape slope_shape = prelu_slope_shape(shape, context.input(1).get_shape()).to_shape();
    context.require(broadcast_shapes(shape, slope_shape) == shape, "slope has shape ",
                    to_string(slope_shape), ", expected one that broadcasts to ", to_string(shape));
    Tensor& out = context.output(0, shape);
    dispatch_numeric(in.get_element_type(), [&](auto tag) {
        using T = typename decltype(tag)::type;
        const T* x = in.data<T>();
        const T* slope = context.input(1).data<T>();
        T* y = out.data<T>();
        for (StridedLoop loop(shape, {broadcast_strides(slope_shape, shape)}); !loop.done();
             loop.next()) {
            const T value = x[loop.position()];
            y[loop.position()] =
                value < T{0} ? static_cast<T>(value * slope[loop.offset(0)]) : value;
        }
    });
}

const OpSpec kOps[] = {
    {.type = "PReLU",
     .version = 1,
     .inputs = {2, 2},
     .make_attributes = make_attributes<NoAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "x, or x * slope below zero; slope per tensor, per channel or full",
     .refused = "a slope that does not broadcast to x"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::prelu_ops
