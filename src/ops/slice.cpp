// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Slice-8: data, start, stop, step and, optional, the axes they belong to.
#include "ops/op_list.hpp"
#include "ops/shape_values.hpp"
#include "ops/slice_bounds.hpp"

namespace fuseq::slice_ops {
namespace {

void infer_values(InferContext& context, const SliceRange& range) {
    const auto values = shape_values(context, 0);
    if (!values || context.shape(0).rank() != 1) {
        return;
    }
    const SliceResult slice = resolve_slice(range, static_cast<std::int64_t>(values->size()));
    std::vector<Dimension> taken;
    for (std::int64_t i = 0; i < slice.length; ++i) {
        const std::int64_t at = slice.start + (i == 0 ? 0 : i * range.step);
        taken.push_back(values->at(static_cast<std::size_t>(at)));
    }
    set_shape_values(context, 0, std::move(taken));
}

void infer(InferContext& context) {
    const PartialShape src = context.shape(0);
    context.set_output(0, context.type(0), slice_shape(context, 1, src));
    const SliceBounds bounds = known_slice_bounds(context, 1);
    const bool along_known_axis = bounds.axes || !context.has_input(4);
    if (src.rank_is_static() && along_known_axis && bounds.known() &&
        slice_count(context, 1) == 1) {
        infer_values(context, slice_range(context, bounds, 0));
    }
}

void evaluate(EvalContext& context) {
    const Tensor& src = context.input(0);
    Shape shape = src.get_shape();
    const StridedView view = slice_view(context, 1, shape);
    copy_from_view(src, view, context.output(0, shape));
}

const OpSpec kOps[] = {
    {.type = "Slice",
     .version = 8,
     .inputs = {4, 5},
     .make_attributes = make_attributes<NoAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "numpy slicing along given axes",
     .refused = "steps of 0; an axis named twice"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::slice_ops
