// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Slice-8: data, start, stop, step and, optional, the axes they belong to.
#include "ops/axes.hpp"
#include "ops/op_list.hpp"
#include "ops/shape_values.hpp"
#include "ops/slicing.hpp"
#include "ops/strided_copy.hpp"

namespace fuseq {
namespace {

using Ints = std::optional<std::vector<std::int64_t>>;  // nothing: not known

// The axes that the bounds belong to, in their order.
template <class Context>
std::vector<std::size_t> axes_of(const Context& context,
                                 const Ints& axes,
                                 std::size_t count,
                                 std::size_t rank) {
    context.require(!axes || axes->size() == count, "axes has ", axes ? axes->size() : 0,
                    " values, start has ", count);
    context.require(axes || count <= rank, "start has ", count, " values, data has rank ", rank);
    std::vector<std::size_t> result;
    for (std::size_t i = 0; i < count; ++i) {
        result.push_back(axes ? checked_axis(context, (*axes)[i], rank, "axes") : i);
    }
    if (axes) {
        checked_axes(context, *axes, rank, "axes");  // refuses an axis named twice
    }
    return result;
}

template <class Context>
SliceRange range_of(const Context& context, const Ints (&bounds)[3], std::size_t i) {
    const SliceRange range{(*bounds[0])[i], (*bounds[1])[i], (*bounds[2])[i]};
    context.require(range.step != 0, "step has the value 0 at ", i);
    return range;
}

template <class Context>
void check_lengths(const Context& context, const Ints (&bounds)[3], std::size_t count) {
    static constexpr const char* kNames[] = {"start", "stop", "step"};
    for (std::size_t i = 0; i < 3; ++i) {
        context.require(!bounds[i] || bounds[i]->size() == count, kNames[i], " has ",
                        bounds[i] ? bounds[i]->size() : 0, " values, expected ", count);
    }
}

void infer_values(InferContext& context, const SliceRange& range) {
    const auto values = shape_values(context, 0);
    if (!values || context.shape(0).rank() != 1) {
        return;
    }
    const SliceResult slice = resolve_slice(range, static_cast<std::int64_t>(values->size()));
    std::vector<Dimension> taken;
    for (std::int64_t i = 0; i < slice.length; ++i) {
        const std::int64_t at = slice.start + (i == 0 ? 0 : i * range.step);
        taken.push_back(values->at(static_cast<std::size_t>(at)));
    }
    set_shape_values(context, 0, std::move(taken));
}

void infer(InferContext& context) {
    static constexpr const char* kNames[] = {"data", "start", "stop", "step", "axes"};
    std::optional<std::size_t> count;
    for (std::size_t i = 1; i < context.input_count(); ++i) {
        if (context.has_input(i)) {
            require_int_list(context, i, kNames[i]);
            count = count ? count : list_length(context, i);
        }
    }
    const PartialShape src = context.shape(0);
    if (!src.rank_is_static()) {
        context.set_output(0, context.type(0), src);
        return;
    }
    const Ints bounds[3] = {context.ints(1), context.ints(2), context.ints(3)};
    const Ints axes = context.ints(4);
    const bool known_axes = count && (axes || !context.has_input(4));
    PartialShape dst = known_axes ? src : PartialShape::dynamic(src.rank());
    if (!known_axes) {
        context.set_output(0, context.type(0), dst);
        return;
    }
    check_lengths(context, bounds, *count);
    const std::vector<std::size_t> places = axes_of(context, axes, *count, src.rank());
    const bool known = bounds[0] && bounds[1] && bounds[2];
    for (std::size_t i = 0; i < *count; ++i) {
        dst[places[i]] = known ? slice_length(range_of(context, bounds, i), src[places[i]])
                               : Dimension::dynamic();
    }
    context.set_output(0, context.type(0), dst);
    if (known && *count == 1) {
        infer_values(context, range_of(context, bounds, 0));
    }
}

void evaluate(EvalContext& context) {
    const Tensor& src = context.input(0);
    const Ints bounds[3] = {to_ints(context.input(1)), to_ints(context.input(2)),
                            to_ints(context.input(3))};
    const std::size_t count = bounds[0]->size();
    check_lengths(context, bounds, count);
    const Ints axes = context.has_input(4) ? Ints(to_ints(context.input(4))) : std::nullopt;
    Shape shape = src.get_shape();
    StridedView view{dense_strides(shape), 0};
    const std::vector<std::size_t> places = axes_of(context, axes, count, shape.size());
    for (std::size_t i = 0; i < count; ++i) {
        const SliceRange range = range_of(context, bounds, i);
        const std::size_t d = places[i];
        const SliceResult slice = resolve_slice(range, static_cast<std::int64_t>(shape[d]));
        view.offset += slice.start * view.strides[d];
        // A single element needs no step, which may be as large as it likes.
        view.strides[d] = slice.length > 1 ? view.strides[d] * range.step : 0;
        shape[d] = static_cast<std::size_t>(slice.length);
    }
    copy_from_view(src, view, context.output(0, shape));
}

const OpSpec kOps[] = {
    {.type = "Slice",
     .version = 8,
     .inputs = {4, 5},
     .make_attributes = make_attributes<NoAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "numpy slicing along given axes",
     .refused = "steps of 0; an axis named twice"},
};

}  // namespace

std::span<const OpSpec> slice_ops() {
    return kOps;
}

}  // namespace fuseq
