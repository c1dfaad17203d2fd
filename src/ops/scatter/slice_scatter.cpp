// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// SliceScatter-15: data, updates, start, stop, step and, optional, axes: out = data, but the slice
// holds the updates.
#include "ops/indexing.hpp"
#include "ops/op_list.hpp"
#include "ops/slice_bounds.hpp"

namespace fuseq::slice_scatter_ops {
namespace {

constexpr std::size_t kBounds = 2;  // input of the start

template <class Context>
void check_rank(const Context& context, std::size_t rank) {
    context.require(rank >= 1, "data is a scalar, expected rank 1 or more");
}

void infer(InferContext& context) {
    context.require_same_type(0, 1);
    const PartialShape& data = context.shape(0);
    if (data.rank_is_static()) {
        check_rank(context, data.rank());
    }
    check_updates(context, context.shape(1), slice_shape(context, kBounds, data));
    context.set_output(0, context.type(0), data);
}

void evaluate(EvalContext& context) {
    const Tensor& data = context.input(0);
    Shape shape = data.get_shape();
    check_rank(context, shape.size());
    const StridedView view = slice_view(context, kBounds, shape);
    check_updates(context, context.input(1).get_shape(), shape);
    Tensor& out = context.output(0, data.get_shape());
    data.copy_to(out);
    copy_to_view(context.input(1), out, view);
}

const OpSpec kOps[] = {
    {.type = "SliceScatter",
     .version = 15,
     .inputs = {5, 6},
     .make_attributes = make_attributes<NoAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Replaces a numpy slice along given axes",
     .refused =
         "scalars; steps of 0; an axis named twice; updates of another shape than the slice"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::slice_scatter_ops
