// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// ScatterNDUpdate-3 and -15: data [D1, ..., DK, slice...], indices [picked..., K], updates
//   [picked..., slice...] -> data with updates in place of slices, or combined with them (-15).
// Updates of one place are applied in their order: without a reduction the last one stays.
#include "ops/scatter/scatter_nd_update.hpp"

#include <algorithm>
#include <cstring>

#include "ops/indexing.hpp"
#include "ops/op_list.hpp"

namespace fuseq::scatter_nd_update_ops {
namespace {

Combine reduction_of(const Node& node) {
    return node.spec().version < 15 ? Combine::kReplace : node.attrs<ScatterNdAttrs>().reduction;
}

template <class Context>
void check_tuples(const Context& context,
                  const PartialShape& data,
                  const PartialShape& indices,
                  const PartialShape& updates) {
    context.require(data.rank() >= 1 && indices.rank() >= 1, "data has shape ", to_string(data),
                    ", indices ", to_string(indices), ", expected rank 1 or more");
    const Dimension& length = indices[indices.rank() - 1];
    if (!length.is_static()) {
        return;
    }
    context.require(length.get_length() <= static_cast<std::int64_t>(data.rank()),
                    "the last dimension of indices is ", length.get_length(),
                    ", expected at most the rank of data, ", data.rank());
    std::vector<Dimension> expected(indices.begin(), indices.end() - 1);
    expected.insert(expected.end(), data.begin() + length.get_length(), data.end());
    // One update may come as a vector.
    if (!expected.empty() || !updates.compatible(PartialShape{1})) {
        check_updates(context, updates, PartialShape(expected));
    }
}

void infer(InferContext& context) {
    require_indices(context, 1);
    context.require_same_type(0, 2);
    const PartialShape& data = context.shape(0);
    const PartialShape& indices = context.shape(1);
    if (data.rank_is_static() && indices.rank_is_static()) {
        check_tuples(context, data, indices, context.shape(2));
        check_known_indices(context, 1, leading(data, 0, indices));
    }
    context.set_output(0, context.type(0), data);
}

void evaluate(EvalContext& context) {
    const Combine how = reduction_of(context.node());
    const Tensor& data = context.input(0);
    const Tensor& updates = context.input(2);
    const Shape& shape = data.get_shape();
    const Shape& indices_shape = context.input(1).get_shape();
    check_tuples(context, shape, indices_shape, updates.get_shape());
    const std::vector<std::int64_t> indices = to_ints(context.input(1));
    Tensor& out = context.output(0, shape);
    data.copy_to(out);
    const std::size_t length = indices_shape.back();
    const std::size_t slice = partial_size(shape, length, shape.size());
    const std::size_t count = partial_size(indices_shape, 0, indices_shape.size() - 1);
    const auto place = [&](std::size_t i) {
        return tuple_place(context, shape, 0, indices, i, length) * slice;
    };
    if (slice == 0) {
        return;
    }
    if (how == Combine::kReplace) {
        const std::size_t bytes = size_of(data.get_element_type());
        for (std::size_t i = 0; i < count; ++i) {
            std::memcpy(elements<std::byte>(out) + place(i) * bytes,
                        elements<std::byte>(updates) + i * slice * bytes, slice * bytes);
        }
        return;
    }
    dispatch_elements(data.get_element_type(), [&](auto tag) {
        using T = typename decltype(tag)::type;
        for (std::size_t i = 0; i < count; ++i) {
            T* to = elements<T>(out) + place(i);
            std::transform(to, to + slice, elements<T>(updates) + i * slice, to,
                           [&](T x, T y) { return combined(how, x, y); });
        }
    });
}

OpSpec row(int version, std::unique_ptr<Attributes> (*attributes)(), std::string_view summary) {
    return {.type = "ScatterNDUpdate",
            .version = version,
            .inputs = {3, 3},
            .make_attributes = attributes,
            .infer = infer,
            .evaluate = evaluate,
            .summary = summary,
            .refused = "indices outside their dimension"};
}

const OpSpec kOps[] = {
    row(3, make_attributes<NoAttrs>, "Replaces slices by tuples of indices"),
    row(15, make_attributes<ScatterNdAttrs>, "ScatterNDUpdate-3 with reductions"),
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::scatter_nd_update_ops
