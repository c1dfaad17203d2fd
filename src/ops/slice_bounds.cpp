// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/slice_bounds.hpp"

#include "ops/shape_values.hpp"

namespace fuseq {
namespace {

// The axes that the bounds belong to, in their order.
template <class Context>
std::vector<std::size_t> axes_of(const Context& context,
                                 const SliceBounds::Ints& axes,
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
void check_lengths(const Context& context, const SliceBounds& bounds, std::size_t count) {
    const auto check = [&](const SliceBounds::Ints& values, const char* name) {
        context.require(!values || values->size() == count, name, " has ",
                        values ? values->size() : 0, " values, expected ", count);
    };
    check(bounds.start, "start");
    check(bounds.stop, "stop");
    check(bounds.step, "step");
}

}  // namespace

SliceBounds known_slice_bounds(const InferContext& context, std::size_t first) {
    return {context.ints(first), context.ints(first + 1), context.ints(first + 2),
            context.ints(first + 3)};
}

std::optional<std::size_t> slice_count(const InferContext& context, std::size_t first) {
    static constexpr const char* kNames[] = {"start", "stop", "step", "axes"};
    std::optional<std::size_t> count;
    for (std::size_t i = 0; i < 4; ++i) {
        if (context.has_input(first + i)) {
            require_int_list(context, first + i, kNames[i]);
            count = count ? count : list_length(context, first + i);
        }
    }
    return count;
}

PartialShape slice_shape(const InferContext& context, std::size_t first, const PartialShape& src) {
    const std::optional<std::size_t> count = slice_count(context, first);
    if (!src.rank_is_static()) {
        return src;
    }
    const SliceBounds bounds = known_slice_bounds(context, first);
    if (!count || (!bounds.axes && context.has_input(first + 3))) {
        return PartialShape::dynamic(src.rank());
    }
    check_lengths(context, bounds, *count);
    const std::vector<std::size_t> places = axes_of(context, bounds.axes, *count, src.rank());
    PartialShape dst = src;
    for (std::size_t i = 0; i < *count; ++i) {
        dst[places[i]] = bounds.known()
                             ? slice_length(slice_range(context, bounds, i), src[places[i]])
                             : Dimension::dynamic();
    }
    return dst;
}

StridedView slice_view(const EvalContext& context, std::size_t first, Shape& shape) {
    SliceBounds bounds{to_ints(context.input(first)), to_ints(context.input(first + 1)),
                       to_ints(context.input(first + 2)), std::nullopt};
    if (context.has_input(first + 3)) {
        bounds.axes = to_ints(context.input(first + 3));
    }
    const std::size_t count = bounds.start->size();
    check_lengths(context, bounds, count);
    StridedView view{dense_strides(shape), 0};
    const std::vector<std::size_t> places = axes_of(context, bounds.axes, count, shape.size());
    for (std::size_t i = 0; i < count; ++i) {
        const SliceRange range = slice_range(context, bounds, i);
        const std::size_t d = places[i];
        const SliceResult slice = resolve_slice(range, static_cast<std::int64_t>(shape[d]));
        view.offset += slice.start * view.strides[d];
        // A single element needs no step, which may be as large as it likes.
        view.strides[d] = slice.length > 1 ? view.strides[d] * range.step : 0;
        shape[d] = static_cast<std::size_t>(slice.length);
    }
    return view;
}

}  // namespace fuseq
