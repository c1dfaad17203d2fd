// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Gather-1, -7, -8: data [batch..., outer..., A, inner...], indices [batch..., picked...]
//   -> [batch..., outer..., picked..., inner...]
// A negative index counts from the end; an index outside the axis reads zeros.
#include "ops/gather.hpp"

#include <cstring>

#include "ops/axes.hpp"
#include "ops/op_list.hpp"
#include "ops/shape_values.hpp"

namespace fuseq::gather_ops {
namespace {

std::int64_t batch_dims_of(const Node& node) {
    return node.spec().version == 1 ? 0 : node.attrs<GatherAttrs>().batch_dims;
}

// batch_dims in [0, rank of the indices].
template <class Context>
std::size_t checked_batch(const Context& context, std::size_t indices_rank) {
    const std::int64_t batch = batch_dims_of(context.node());
    const auto rank = static_cast<std::int64_t>(indices_rank);
    context.require(batch >= -rank && batch <= rank, "batch_dims is ", batch,
                    ", expected a value in [", -rank, ", ", rank, "]");
    return static_cast<std::size_t>(batch < 0 ? batch + rank : batch);
}

template <class Context>
PartialShape gathered(const Context& context,
                      const PartialShape& data,
                      const PartialShape& indices,
                      std::size_t axis) {
    const std::size_t batch = checked_batch(context, indices.rank());
    context.require(batch <= axis, "batch_dims is ", batch, ", expected at most the axis ", axis);
    std::vector<Dimension> dst = data.dims();
    for (std::size_t d = 0; d < batch; ++d) {
        context.require(Dimension::merge(dst[d], data[d], indices[d]), "data of shape ",
                        to_string(data), " and indices of shape ", to_string(indices),
                        " differ in batch dimension ", d);
    }
    dst.erase(dst.begin() + static_cast<std::ptrdiff_t>(axis));
    dst.insert(dst.begin() + static_cast<std::ptrdiff_t>(axis),
               indices.begin() + static_cast<std::ptrdiff_t>(batch), indices.end());
    return PartialShape(dst);
}

void infer_values(InferContext& context) {
    const auto data = shape_values(context, 0);
    const auto indices = context.ints(1);
    if (!data || !indices || context.shape(0).rank() != 1) {
        return;
    }
    const auto size = static_cast<std::int64_t>(data->size());
    std::vector<Dimension> picked;
    for (const std::int64_t index : *indices) {
        const std::int64_t at = index < 0 ? index + size : index;
        picked.push_back(at >= 0 && at < size ? data->at(static_cast<std::size_t>(at))
                                              : Dimension(0));
    }
    set_shape_values(context, 0, std::move(picked));
}

void infer(InferContext& context) {
    context.require(is_integral(context.type(1)), "indices are ", to_string(context.type(1)),
                    ", expected an integer type");
    require_int_list(context, 2, "axis");
    const PartialShape& data = context.shape(0);
    const PartialShape& indices = context.shape(1);
    const auto axis = context.ints(2);
    PartialShape dst = PartialShape::dynamic();
    if (data.rank_is_static()) {
        context.require(data.rank() >= 1, "data is a scalar");
    }
    if (data.rank_is_static() && indices.rank_is_static()) {
        const std::size_t batch = checked_batch(context, indices.rank());
        dst = axis ? gathered(
                         context, data, indices,
                         checked_axis(context, single_value(context, *axis, "axis"), data.rank()))
                   : PartialShape::dynamic(data.rank() - 1 + indices.rank() - batch);
    }
    context.set_output(0, context.type(0), dst);
    infer_values(context);
}

std::size_t product(const Shape& shape, std::size_t from, std::size_t to) {
    std::size_t size = 1;
    for (std::size_t d = from; d < to; ++d) {
        size *= shape[d];
    }
    return size;
}

void evaluate(EvalContext& context) {
    const Tensor& data = context.input(0);
    const Shape& shape = data.get_shape();
    const Shape& indices_shape = context.input(1).get_shape();
    context.require(!shape.empty(), "data is a scalar");
    const std::size_t axis = checked_axis(
        context, single_value(context, to_ints(context.input(2)), "axis"), shape.size());
    Tensor& out = context.output(0, gathered(context, shape, indices_shape, axis).to_shape());
    if (out.get_byte_size() == 0) {
        return;
    }
    const std::size_t batch = checked_batch(context, indices_shape.size());
    const std::vector<std::int64_t> indices = to_ints(context.input(1));
    const auto size = static_cast<std::int64_t>(shape[axis]);
    const std::size_t batches = product(shape, 0, batch);
    const std::size_t outer = product(shape, batch, axis);
    const std::size_t picked = indices.size() / batches;
    const std::size_t block =
        product(shape, axis + 1, shape.size()) * size_of(data.get_element_type());
    const auto* from = static_cast<const std::byte*>(data.data());
    auto* to = static_cast<std::byte*>(out.data());
    for (std::size_t row = 0; row < batches * outer; ++row) {
        const std::int64_t* own = indices.data() + row / outer * picked;
        for (std::size_t i = 0; i < picked; ++i, to += block) {
            const std::int64_t at = own[i] < 0 ? own[i] + size : own[i];
            if (at < 0 || at >= size) {
                std::memset(to, 0, block);
                continue;
            }
            std::memcpy(to, from + (row * shape[axis] + static_cast<std::size_t>(at)) * block,
                        block);
        }
    }
}

OpSpec row(int version, std::unique_ptr<Attributes> (*attributes)(), std::string_view summary) {
    return {.type = "Gather",
            .version = version,
            .inputs = {3, 3},
            .make_attributes = attributes,
            .infer = infer,
            .evaluate = evaluate,
            .summary = summary};
}

const OpSpec kOps[] = {
    row(1, make_attributes<NoAttrs>, "Picks slices of an axis by index"),
    row(7, make_attributes<GatherAttrs>, "Gather-1 with batch dimensions"),
    row(8, make_attributes<GatherAttrs>, "Gather-7 with indices that count from the end"),
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::gather_ops
