// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// GatherND-5 and -8: data [batch..., D1, ..., DK, slice...], indices [batch..., picked..., K]
//   -> [batch..., picked..., slice...]; GatherND-5 merges the batch dimensions to one.
#include "ops/gather_nd.hpp"

#include <cstring>

#include "ops/indexing.hpp"
#include "ops/op_list.hpp"

namespace fuseq::gather_nd_ops {
namespace {

template <class Context>
std::size_t checked_batch(const Context& context, std::size_t data_rank, std::size_t indices_rank) {
    context.require(data_rank >= 1 && indices_rank >= 1,
                    "data and indices are expected to have rank 1 or more");
    const std::int64_t batch = context.template attrs<GatherNdAttrs>().batch_dims;
    const auto max_batch = static_cast<std::int64_t>(std::min(data_rank, indices_rank)) - 1;
    context.require(batch >= 0 && batch <= max_batch, "batch_dims is ", batch,
                    ", expected a value in [0, ", max_batch, "]");
    return static_cast<std::size_t>(batch);
}

template <class Context>
PartialShape gathered(const Context& context,
                      const PartialShape& data,
                      const PartialShape& indices) {
    const std::size_t batch = checked_batch(context, data.rank(), indices.rank());
    const Dimension& length = indices[indices.rank() - 1];
    if (!length.is_static()) {
        return PartialShape::dynamic();
    }
    const auto room = static_cast<std::int64_t>(data.rank() - batch);
    context.require(length.get_length() <= room, "the last dimension of indices is ",
                    length.get_length(), ", expected at most ", room, " for data of shape ",
                    to_string(data));
    std::vector<Dimension> dst(batch);
    for (std::size_t d = 0; d < batch; ++d) {
        context.require(Dimension::merge(dst[d], data[d], indices[d]), "data of shape ",
                        to_string(data), " and indices of shape ", to_string(indices),
                        " differ in batch dimension ", d);
    }
    if (context.node().spec().version < 8 && batch > 1) {
        Dimension merged = 1;
        for (const Dimension& d : dst) {
            merged = merged * d;
        }
        dst = {merged};
    }
    dst.insert(dst.end(), indices.begin() + static_cast<std::ptrdiff_t>(batch), indices.end() - 1);
    dst.insert(dst.end(), data.begin() + static_cast<std::ptrdiff_t>(batch) + length.get_length(),
               data.end());
    return PartialShape(dst);
}

void infer(InferContext& context) {
    require_indices(context, 1);
    const PartialShape& data = context.shape(0);
    const PartialShape& indices = context.shape(1);
    PartialShape dst = PartialShape::dynamic();
    if (data.rank_is_static() && indices.rank_is_static()) {
        dst = gathered(context, data, indices);
        check_known_indices(
            context, 1,
            leading(data, checked_batch(context, data.rank(), indices.rank()), indices));
    }
    context.set_output(0, context.type(0), dst);
}

void evaluate(EvalContext& context) {
    const Tensor& data = context.input(0);
    const Shape& shape = data.get_shape();
    const Shape& indices_shape = context.input(1).get_shape();
    const Shape dst = gathered(context, shape, indices_shape).to_shape();
    Tensor& out = context.output(0, dst);
    if (out.get_byte_size() == 0) {
        return;
    }
    const std::size_t batch = checked_batch(context, shape.size(), indices_shape.size());
    const std::size_t length = indices_shape.back();
    const std::vector<std::int64_t> indices = to_ints(context.input(1));
    const std::size_t slice =
        partial_size(shape, batch + length, shape.size()) * size_of(data.get_element_type());
    const std::size_t count = out.get_byte_size() / slice;
    const std::size_t each = count / partial_size(shape, 0, batch);  // picked in a batch
    const auto* from = static_cast<const std::byte*>(data.data());
    auto* to = static_cast<std::byte*>(out.data());
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t place = tuple_place(context, shape, batch, indices, i, length, i / each);
        std::memcpy(to + i * slice, from + place * slice, slice);
    }
}

OpSpec row(int version, std::string_view summary) {
    return {.type = "GatherND",
            .version = version,
            .inputs = {2, 2},
            .make_attributes = make_attributes<GatherNdAttrs>,
            .infer = infer,
            .evaluate = evaluate,
            .summary = summary,
            .refused = "indices outside their dimension"};
}

const OpSpec kOps[] = {
    row(5, "Picks slices by tuples of indices; batch dimensions are merged"),
    row(8, "GatherND-5 that keeps the batch dimensions"),
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::gather_nd_ops
