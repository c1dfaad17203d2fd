// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Tile-1: repeats[d] copies along dimension d; the shorter of both shapes gets leading ones.
#include "ops/op_list.hpp"
#include "ops/shape_values.hpp"
#include "ops/strided_copy.hpp"

namespace fuseq::tile_ops {
namespace {

template <class Context>
void check_repeats(const Context& context, const std::vector<std::int64_t>& repeats) {
    for (const std::int64_t count : repeats) {
        context.require(count >= 0, "repeats has the value ", count, ", expected 0 or more");
    }
}

template <class T>
void lead_with_ones(std::vector<T>& values, std::size_t rank) {
    if (values.size() < rank) {
        values.insert(values.begin(), rank - values.size(), T(1));
    }
}

void infer(InferContext& context) {
    require_int_list(context, 1, "repeats");
    if (const auto repeats = context.ints(1)) {
        check_repeats(context, *repeats);
    }
    const PartialShape& src = context.shape(0);
    auto repeats = shape_values(context, 1);
    if (!src.rank_is_static() || !repeats) {
        context.set_output(0, context.type(0), PartialShape::dynamic());
        return;
    }
    std::vector<Dimension> dims = src.dims();
    lead_with_ones(dims, repeats->size());
    lead_with_ones(*repeats, dims.size());
    for (std::size_t d = 0; d < dims.size(); ++d) {
        dims[d] = dims[d] * (*repeats)[d];
    }
    context.set_output(0, context.type(0), PartialShape(dims));
}

void evaluate(EvalContext& context) {
    const Tensor& src = context.input(0);
    std::vector<std::int64_t> repeats = to_ints(context.input(1));
    check_repeats(context, repeats);
    std::vector<std::size_t> dims = src.get_shape();
    lead_with_ones(dims, repeats.size());
    lead_with_ones(repeats, dims.size());
    const std::vector<std::int64_t> strides = dense_strides(Shape(dims));
    PartialShape dst = PartialShape::dynamic(dims.size());
    // Every dimension as two: which copy, and where in it.
    Shape split;
    StridedView view;
    for (std::size_t d = 0; d < dims.size(); ++d) {
        dst[d] = Dimension(static_cast<std::int64_t>(dims[d])) * Dimension(repeats[d]);
        context.require(dst[d].is_static(), "repeats makes dimension ", d, " too large");
        split.insert(split.end(), {static_cast<std::size_t>(repeats[d]), dims[d]});
        view.strides.insert(view.strides.end(), {0, strides[d]});
    }
    Tensor& out = context.output(0, dst.to_shape());
    Tensor spread = out.reshaped(split);
    copy_from_view(src, view, spread);
}

const OpSpec kOps[] = {
    {.type = "Tile",
     .version = 1,
     .inputs = {2, 2},
     .make_attributes = make_attributes<NoAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Repeats a tensor along its dimensions",
     .refused = "negative repeats"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::tile_ops
