// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Transpose-1: dimension d of dst is dimension order[d] of src; an empty order reverses them.
#include <numeric>

#include "ops/axes.hpp"
#include "ops/op_list.hpp"
#include "ops/shape_values.hpp"
#include "ops/strided_copy.hpp"

namespace fuseq::transpose_ops {
namespace {

template <class Context>
std::vector<std::size_t> checked_order(const Context& context,
                                       const std::vector<std::int64_t>& order,
                                       std::size_t rank) {
    std::vector<std::size_t> result(rank);
    if (order.empty()) {
        std::iota(result.rbegin(), result.rend(), std::size_t{0});
        return result;
    }
    context.require(order.size() == rank, "order has ", order.size(), " values, expected ", rank);
    for (std::size_t d = 0; d < rank; ++d) {
        context.require(order[d] >= 0 && order[d] < static_cast<std::int64_t>(rank),
                        "order has the value ", order[d], ", expected one in [0, ", rank, ")");
        result[d] = static_cast<std::size_t>(order[d]);
    }
    checked_axes(context, order, rank, "order");
    return result;
}

void infer(InferContext& context) {
    const PartialShape& src = context.shape(0);
    require_int_list(context, 1, "order");
    const std::optional<std::vector<std::int64_t>> order = context.ints(1);
    PartialShape dst = PartialShape::dynamic();
    if (src.rank_is_static() && order) {
        const std::vector<std::size_t> places = checked_order(context, *order, src.rank());
        std::vector<Dimension> dims;
        dims.reserve(places.size());
        for (const std::size_t d : places) {
            dims.push_back(src[d]);
        }
        dst = PartialShape(dims);
    } else if (src.rank_is_static()) {
        dst = PartialShape::dynamic(src.rank());
    } else if (order && !order->empty()) {
        dst = PartialShape::dynamic(order->size());
    }
    context.set_output(0, context.type(0), dst);
}

void evaluate(EvalContext& context) {
    const Tensor& src = context.input(0);
    const std::vector<std::size_t> order =
        checked_order(context, to_ints(context.input(1)), src.get_shape().size());
    Shape shape;
    for (const std::size_t d : order) {
        shape.push_back(src.get_shape()[d]);
    }
    copy_transposed(src, order, context.output(0, shape));
}

const OpSpec kOps[] = {
    {.type = "Transpose",
     .version = 1,
     .inputs = {2, 2},
     .make_attributes = make_attributes<NoAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Reorders dimensions",
     .refused = "negative values in the order"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::transpose_ops
