// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/axis_groups.hpp"

#include "ops/axes.hpp"
#include "ops/broadcast.hpp"

namespace fuseq {

AxisGroups axis_groups(const EvalContext& context,
                       const Shape& shape,
                       const std::vector<std::int64_t>& axes) {
    Shape kept = shape;
    const auto rank = static_cast<std::int64_t>(shape.size());
    for (const std::int64_t axis : axes) {
        context.require(axis >= -rank && axis < rank, "axes has the value ", axis,
                        " for a tensor of rank ", rank);
        kept[wrapped_axis(axis, shape.size())] = 1;
    }
    return {shape_size(kept), broadcast_strides(kept, shape)};
}

void check_axes_input(const InferContext& context, std::size_t i) {
    context.require(is_integral(context.type(i)), "axes is ", to_string(context.type(i)),
                    ", expected an integer type");
    const PartialShape& shape = context.shape(0);
    if (const auto axes = context.ints(i); axes && shape.rank_is_static()) {
        for (const std::int64_t axis : *axes) {
            context.normalize_axis(axis, shape.rank(), "axes");
        }
    }
}

void require_real(const InferContext& context, std::size_t i, std::string_view what) {
    context.require(is_real(context.type(i)), what, " is ", to_string(context.type(i)),
                    ", expected a real type");
}

}  // namespace fuseq
