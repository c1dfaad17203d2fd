// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// ScatterUpdate-3: slices of data along an axis (input 3) are replaced by updates.
//   data [outer..., A, inner...], indices [picked...], updates [outer..., picked..., inner...]
// A place named twice keeps the last update.
#include <cstring>

#include "ops/axes.hpp"
#include "ops/indexing.hpp"
#include "ops/op_list.hpp"
#include "ops/shape_values.hpp"

namespace fuseq::scatter_update_ops {
namespace {

template <class Context>
void check_slices(const Context& context,
                  const PartialShape& data,
                  const PartialShape& indices,
                  const PartialShape& updates,
                  std::size_t axis) {
    std::vector<Dimension> expected = data.dims();
    const auto place = expected.begin() + static_cast<std::ptrdiff_t>(axis);
    expected.insert(expected.erase(place), indices.begin(), indices.end());
    check_updates(context, updates, PartialShape(expected));
}

void infer(InferContext& context) {
    require_indices(context, 1);
    context.require_same_type(0, 2);
    require_int_list(context, 3, "axis");
    const auto axis = context.ints(3);
    if (axis && context.shape(0).rank_is_static() && context.shape(1).rank_is_static()) {
        const PartialShape& data = context.shape(0);
        const std::size_t place =
            checked_axis(context, single_value(context, *axis, "axis"), data.rank());
        check_slices(context, data, context.shape(1), context.shape(2), place);
        check_known_indices(context, 1, {&data[place], 1});
    }
    context.set_output(0, context.type(0), context.shape(0));
}

void evaluate(EvalContext& context) {
    const Tensor& data = context.input(0);
    const Tensor& updates = context.input(2);
    const Shape& shape = data.get_shape();
    const std::size_t axis = checked_axis(
        context, single_value(context, to_ints(context.input(3)), "axis"), shape.size());
    check_slices(context, shape, context.input(1).get_shape(), updates.get_shape(), axis);
    const std::vector<std::int64_t> indices = to_ints(context.input(1));
    Tensor& out = context.output(0, shape);
    data.copy_to(out);
    const std::size_t outer = partial_size(shape, 0, axis);
    const std::size_t slice =
        partial_size(shape, axis + 1, shape.size()) * size_of(data.get_element_type());
    const auto* from = static_cast<const std::byte*>(updates.data());
    auto* to = static_cast<std::byte*>(out.data());
    for (std::size_t o = 0; o < outer && slice != 0; ++o) {
        for (std::size_t i = 0; i < indices.size(); ++i, from += slice) {
            const auto at = static_cast<std::size_t>(
                checked_index(context, indices[i], static_cast<std::int64_t>(shape[axis]), i));
            std::memcpy(to + (o * shape[axis] + at) * slice, from, slice);
        }
    }
}

const OpSpec kOps[] = {
    {.type = "ScatterUpdate",
     .version = 3,
     .inputs = {4, 4},
     .make_attributes = make_attributes<NoAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Replaces slices of an axis by index",
     .refused = "indices outside the axis"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::scatter_update_ops
