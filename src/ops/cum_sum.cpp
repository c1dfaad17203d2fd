// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// CumSum-3: running sums along an axis (input 1, else 0).
#include "ops/cum_sum.hpp"

#include "model/typed.hpp"
#include "ops/axes.hpp"
#include "ops/indexing.hpp"
#include "ops/op_list.hpp"
#include "ops/shape_values.hpp"

namespace fuseq::cum_sum_ops {
namespace {

void infer(InferContext& context) {
    context.require(is_real(context.type(0)) || is_integral(context.type(0)), "input is ",
                    to_string(context.type(0)), ", expected a numeric type");
    const PartialShape& src = context.shape(0);
    if (context.has_input(1)) {
        require_int_list(context, 1, "axis");
        const auto axis = context.ints(1);
        if (axis && src.rank_is_static()) {
            checked_axis(context, single_value(context, *axis, "axis"), src.rank());
        }
    }
    context.set_output(0, context.type(0), src);
}

// Sums in double, or in the wrapping arithmetic of 64 bit integers.
template <class T>
void run_line(const CumSumAttrs& attrs, const T* x, T* y, std::size_t count, std::size_t stride) {
    using Sum = std::conditional_t<std::is_floating_point_v<T>, double, std::uint64_t>;
    Sum sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t at = (attrs.reverse ? count - 1 - i : i) * stride;
        const Sum next = sum + static_cast<Sum>(x[at]);
        y[at] = static_cast<T>(attrs.exclusive ? sum : next);
        sum = next;
    }
}

void evaluate(EvalContext& context) {
    const auto& attrs = context.attrs<CumSumAttrs>();
    const Tensor& in = context.input(0);
    const Shape& shape = in.get_shape();
    const std::size_t axis = checked_axis(
        context,
        context.has_input(1) ? single_value(context, to_ints(context.input(1)), "axis") : 0,
        shape.size());
    Tensor& out = context.output(0, shape);
    const std::size_t inner = partial_size(shape, axis + 1, shape.size());
    const std::size_t block = inner * shape[axis];
    dispatch_numeric(in.get_element_type(), [&](auto tag) {
        using T = typename decltype(tag)::type;
        for (std::size_t first = 0; first < in.get_size(); first += block) {
            for (std::size_t i = 0; i < inner; ++i) {
                run_line(attrs, in.data<T>() + first + i, out.data<T>() + first + i, shape[axis],
                         inner);
            }
        }
    });
}

const OpSpec kOps[] = {
    {.type = "CumSum",
     .version = 3,
     .inputs = {1, 2},
     .make_attributes = make_attributes<CumSumAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Running sums along an axis"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::cum_sum_ops
