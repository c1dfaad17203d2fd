// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// GatherElements-6: dst[i][j][k] = data[i][indices[i][j][k]][k] for axis 1. dst has the shape of
// the indices, which is that of data but for the axis.
#include "ops/gather_elements.hpp"

#include <cstring>

#include "ops/axes.hpp"
#include "ops/indexing.hpp"
#include "ops/op_list.hpp"

namespace fuseq::gather_elements_ops {
namespace {

template <class Context>
PartialShape gathered(const Context& context,
                      const PartialShape& data,
                      const PartialShape& indices,
                      std::size_t axis) {
    context.require(data.rank() == indices.rank(), "data has rank ", data.rank(), ", indices ",
                    indices.rank(), ", expected the same");
    PartialShape dst = indices;
    for (std::size_t d = 0; d < data.rank(); ++d) {
        context.require(d == axis || Dimension::merge(dst[d], data[d], indices[d]),
                        "data of shape ", to_string(data), " and indices of shape ",
                        to_string(indices), " differ in dimension ", d, ", which is not the axis ",
                        axis);
    }
    return dst;
}

void infer(InferContext& context) {
    require_indices(context, 1);
    const PartialShape& data = context.shape(0);
    const PartialShape& indices = context.shape(1);
    const std::int64_t axis = context.attrs<GatherElementsAttrs>().axis;
    PartialShape dst = indices;
    if (data.rank_is_static() && indices.rank_is_static()) {
        const std::size_t place = checked_axis(context, axis, data.rank());
        dst = gathered(context, data, indices, place);
        check_known_indices(context, 1, {&data[place], 1});
    }
    context.set_output(0, context.type(0), dst);
}

void evaluate(EvalContext& context) {
    const Tensor& data = context.input(0);
    const Shape& shape = data.get_shape();
    const std::size_t axis =
        checked_axis(context, context.attrs<GatherElementsAttrs>().axis, shape.size());
    const Shape dst = gathered(context, shape, context.input(1).get_shape(), axis).to_shape();
    const std::vector<std::int64_t> indices = to_ints(context.input(1));
    Tensor& out = context.output(0, dst);
    const std::size_t bytes = size_of(data.get_element_type());
    const auto* from = static_cast<const std::byte*>(data.data());
    auto* to = static_cast<std::byte*>(out.data());
    const std::size_t inner = partial_size(dst, axis + 1, dst.size());
    for (std::size_t i = 0; i < indices.size(); ++i) {
        const std::int64_t at =
            checked_index(context, indices[i], static_cast<std::int64_t>(shape[axis]), i);
        const std::size_t row = i / inner / dst[axis] * shape[axis] + static_cast<std::size_t>(at);
        std::memcpy(to + i * bytes, from + (row * inner + i % inner) * bytes, bytes);
    }
}

const OpSpec kOps[] = {
    {.type = "GatherElements",
     .version = 6,
     .inputs = {2, 2},
     .make_attributes = make_attributes<GatherElementsAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Picks single elements along an axis",
     .refused = "indices outside the axis"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::gather_elements_ops
