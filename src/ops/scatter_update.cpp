// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// ScatterUpdate-3: slices of data along an axis (input 3) are replaced by updates.
//   data [outer..., A, inner...], indices [picked...], updates [outer..., picked..., inner...]
// ScatterNDUpdate-3: data [D1, ..., DK, slice...], indices [picked..., K], updates
//   [picked..., slice...]. A place named twice keeps the last update.
#include <cstring>

#include "ops/axes.hpp"
#include "ops/indexing.hpp"
#include "ops/op_list.hpp"
#include "ops/shape_values.hpp"

namespace fuseq {
namespace {

template <class Context>
void check_updates(const Context& context,
                   const PartialShape& updates,
                   const std::vector<Dimension>& expected) {
    const PartialShape wanted(expected);
    context.require(updates.compatible(wanted), "updates have shape ", to_string(updates),
                    ", expected ", to_string(wanted));
}

template <class Context>
void check_slices(const Context& context,
                  const PartialShape& data,
                  const PartialShape& indices,
                  const PartialShape& updates,
                  std::size_t axis) {
    std::vector<Dimension> expected = data.dims();
    const auto place = expected.begin() + static_cast<std::ptrdiff_t>(axis);
    expected.insert(expected.erase(place), indices.begin(), indices.end());
    check_updates(context, updates, expected);
}

template <class Context>
void check_tuples(const Context& context,
                  const PartialShape& data,
                  const PartialShape& indices,
                  const PartialShape& updates) {
    context.require(data.rank() >= 1 && indices.rank() >= 1,
                    "data and indices are expected to have rank 1 or more");
    const Dimension& length = indices[indices.rank() - 1];
    if (!length.is_static()) {
        return;
    }
    context.require(length.get_length() <= static_cast<std::int64_t>(data.rank()),
                    "the last dimension of indices is ", length.get_length(),
                    ", expected at most the rank of data, ", data.rank());
    std::vector<Dimension> expected(indices.begin(), indices.end() - 1);
    expected.insert(expected.end(), data.begin() + length.get_length(), data.end());
    check_updates(context, updates, expected);
}

bool ranks_known(const InferContext& context) {
    return context.shape(0).rank_is_static() && context.shape(1).rank_is_static();
}

void infer_slices(InferContext& context) {
    require_indices(context, 1);
    context.require_same_type(0, 2);
    require_int_list(context, 3, "axis");
    const auto axis = context.ints(3);
    if (axis && ranks_known(context)) {
        const PartialShape& data = context.shape(0);
        const std::size_t place =
            checked_axis(context, single_value(context, *axis, "axis"), data.rank());
        check_slices(context, data, context.shape(1), context.shape(2), place);
        check_known_indices(context, 1, {&data[place], 1});
    }
    context.set_output(0, context.type(0), context.shape(0));
}

void infer_tuples(InferContext& context) {
    require_indices(context, 1);
    context.require_same_type(0, 2);
    if (ranks_known(context)) {
        const PartialShape& indices = context.shape(1);
        check_tuples(context, context.shape(0), indices, context.shape(2));
        check_known_indices(context, 1, leading(context.shape(0), 0, indices));
    }
    context.set_output(0, context.type(0), context.shape(0));
}

void evaluate_slices(EvalContext& context) {
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

void evaluate_tuples(EvalContext& context) {
    const Tensor& data = context.input(0);
    const Tensor& updates = context.input(2);
    const Shape& shape = data.get_shape();
    const Shape& indices_shape = context.input(1).get_shape();
    check_tuples(context, shape, indices_shape, updates.get_shape());
    const std::vector<std::int64_t> indices = to_ints(context.input(1));
    Tensor& out = context.output(0, shape);
    data.copy_to(out);
    const std::size_t length = indices_shape.back();
    const std::size_t slice =
        partial_size(shape, length, shape.size()) * size_of(data.get_element_type());
    const std::size_t count = partial_size(indices_shape, 0, indices_shape.size() - 1);
    const auto* from = static_cast<const std::byte*>(updates.data());
    auto* to = static_cast<std::byte*>(out.data());
    for (std::size_t i = 0; i < count && slice != 0; ++i) {
        std::size_t place = 0;
        for (std::size_t k = 0; k < length; ++k) {
            const auto size = static_cast<std::int64_t>(shape[k]);
            place = place * shape[k] + static_cast<std::size_t>(checked_index(
                                           context, indices[i * length + k], size, i * length + k));
        }
        std::memcpy(to + place * slice, from + i * slice, slice);
    }
}

const OpSpec kOps[] = {
    {.type = "ScatterUpdate",
     .version = 3,
     .inputs = {4, 4},
     .make_attributes = make_attributes<NoAttrs>,
     .infer = infer_slices,
     .evaluate = evaluate_slices,
     .summary = "Replaces slices of an axis by index",
     .refused = "indices outside the axis"},
    {.type = "ScatterNDUpdate",
     .version = 3,
     .inputs = {3, 3},
     .make_attributes = make_attributes<NoAttrs>,
     .infer = infer_tuples,
     .evaluate = evaluate_tuples,
     .summary = "Replaces slices by tuples of indices",
     .refused = "indices outside their dimension"},
};

}  // namespace

std::span<const OpSpec> scatter_update_ops() {
    return kOps;
}

}  // namespace fuseq
