// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Broadcast-1 and -3: input 1 is the target shape. Mode explicit: input 2 says which dimension of
// the target each dimension of src becomes. Mode bidirectional: src may be the larger one.
#include "ops/broadcast_to.hpp"

#include "ops/axes.hpp"
#include "ops/broadcast.hpp"
#include "ops/op_list.hpp"
#include "ops/shape_values.hpp"
#include "ops/stated_sizes.hpp"
#include "ops/strided_copy.hpp"

namespace fuseq::broadcast_to_ops {
namespace {

constexpr const char* kTarget = "the target shape";

// src [a, b] with axes (2, 0) of a target of rank 3 becomes [b, 1, a], as places in src; -1: new.
template <class Context>
std::vector<std::int64_t> places(const Context& context,
                                 const std::vector<std::int64_t>& axes,
                                 std::size_t src_rank,
                                 std::size_t rank) {
    context.require(axes.size() == src_rank, "axes_mapping has ", axes.size(), " values, expected ",
                    src_rank);
    checked_axes(context, axes, rank, "axes_mapping");
    std::vector<std::int64_t> result(rank, -1);
    for (std::size_t d = 0; d < axes.size(); ++d) {
        result[checked_axis(context, axes[d], rank, "axes_mapping")] = static_cast<std::int64_t>(d);
    }
    return result;
}

// Whether src broadcasts to dst without dst growing.
template <class Context>
void check_fit(const Context& context, const PartialShape& src, const PartialShape& dst) {
    bool fits = src.rank() <= dst.rank();
    for (std::size_t d = 0; fits && d < src.rank(); ++d) {
        const Dimension& from = src[d];
        fits = from.compatible(1) || from.compatible(dst[dst.rank() - src.rank() + d]);
    }
    context.require(fits, "src of shape ", to_string(src), " does not broadcast to ",
                    to_string(dst));
}

PartialShape infer_shape(InferContext& context) {
    const BroadcastMode mode = context.attrs<BroadcastAttrs>().mode;
    const PartialShape& src = context.shape(0);
    if (const auto target = context.ints(1)) {
        check_sizes(context, *target, kTarget);
    }
    const auto dims = shape_values(context, 1);
    if (!dims) {
        return PartialShape::dynamic();
    }
    const PartialShape target(*dims);
    if (mode == BroadcastMode::kBidirectional) {
        return broadcast_shapes(context, src, target);
    }
    if (!src.rank_is_static()) {
        return target;
    }
    if (mode == BroadcastMode::kNumpy) {
        check_fit(context, src, target);
        return target;
    }
    if (const auto axes = context.ints(2)) {
        std::vector<Dimension> moved;
        for (const std::int64_t d : places(context, *axes, src.rank(), target.rank())) {
            moved.push_back(d < 0 ? Dimension(1) : src[static_cast<std::size_t>(d)]);
        }
        check_fit(context, PartialShape(moved), target);
    }
    return target;
}

void infer(InferContext& context) {
    const BroadcastMode mode = context.attrs<BroadcastAttrs>().mode;
    context.require(mode != BroadcastMode::kBidirectional || context.node().spec().version >= 3,
                    "mode is bidirectional, which Broadcast has from opset 3 on");
    require_int_list(context, 1, "the target shape");
    if (mode == BroadcastMode::kExplicit) {
        context.require(context.has_input(2), "mode explicit needs input 2, axes_mapping");
        require_int_list(context, 2, "axes_mapping");
    }
    context.set_output(0, context.type(0), infer_shape(context));
    const auto values = shape_values(context, 0);
    const PartialShape& dst = context.node().port(0).shape;
    if (values && values->size() == 1 && dst.is_static() && dst.rank() == 1) {
        const auto count = static_cast<std::size_t>(dst[0].get_length());
        constexpr std::size_t kLongestShape = 64;
        if (count <= kLongestShape) {
            set_shape_values(context, 0, std::vector<Dimension>(count, values->front()));
        }
    }
}

void evaluate(EvalContext& context) {
    const BroadcastMode mode = context.attrs<BroadcastAttrs>().mode;
    const Tensor& src = context.input(0);
    const std::vector<std::int64_t> sizes = to_ints(context.input(1));
    check_sizes(context, sizes, kTarget);
    Shape target(std::vector<std::size_t>(sizes.begin(), sizes.end()));
    Shape from = src.get_shape();
    std::vector<std::int64_t> strides = dense_strides(from);
    if (mode == BroadcastMode::kExplicit) {
        context.require(context.has_input(2), "mode explicit needs input 2, axes_mapping");
        Shape moved;
        std::vector<std::int64_t> moved_strides;
        for (const std::int64_t d :
             places(context, to_ints(context.input(2)), from.size(), target.size())) {
            moved.push_back(d < 0 ? 1 : from[static_cast<std::size_t>(d)]);
            moved_strides.push_back(d < 0 ? 0 : strides[static_cast<std::size_t>(d)]);
        }
        from = moved;
        strides = moved_strides;
    }
    if (mode == BroadcastMode::kBidirectional) {
        target = broadcast_shapes(from, target);
    }
    check_fit(context, from, target);
    Tensor& out = context.output(0, target);
    StridedView view;
    view.strides.assign(target.size() - from.size(), 0);
    for (std::size_t d = 0; d < from.size(); ++d) {
        view.strides.push_back(from[d] == 1 ? 0 : strides[d]);
    }
    copy_from_view(src, view, out);
}

OpSpec row(int version, std::string_view summary) {
    return {.type = "Broadcast",
            .version = version,
            .inputs = {2, 3},
            .make_attributes = make_attributes<BroadcastAttrs>,
            .infer = infer,
            .evaluate = evaluate,
            .summary = summary,
            .refused = "mode=pdpd"};
}

const OpSpec kOps[] = {
    row(1, "Repeats dimensions of size 1 to a target shape"),
    row(3, "Broadcast-1 with mode bidirectional"),
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::broadcast_to_ops
