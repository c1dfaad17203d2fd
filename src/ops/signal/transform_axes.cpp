// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/signal/transform_axes.hpp"

#include <algorithm>

#include "ops/axes.hpp"
#include "ops/axis_groups.hpp"
#include "ops/shape_values.hpp"
#include "ops/signal/spectrum.hpp"

namespace fuseq {
namespace {

// Wrapped, in the order of the list.
template <class Context>
std::vector<std::size_t> wrapped_axes(const Context& context,
                                      const std::vector<std::int64_t>& axes,
                                      std::size_t rank) {
    checked_axes(context, axes, rank);
    std::vector<std::size_t> wrapped(axes.size());
    std::transform(axes.begin(), axes.end(), wrapped.begin(),
                   [&](std::int64_t axis) { return wrapped_axis(axis, rank); });
    return wrapped;
}

template <class Context>
void check_counts(const Context& context, std::size_t axes, std::size_t sizes) {
    context.require(axes == sizes, "signal_size has ", sizes, " values, axes ", axes);
}

template <class Context>
void check_sizes(const Context& context, const std::vector<std::int64_t>& sizes) {
    for (const std::int64_t size : sizes) {
        context.require(size == -1 || (size >= 1 && size <= kLongestSignal),
                        "signal_size has the value ", size, ", expected -1 or one in [1, ",
                        kLongestSignal, "]");
    }
}

Dimension half(const Dimension& size) {
    const auto kept = [](std::int64_t s) { return s / 2 + 1; };
    return size.get_max_length() == Dimension::kUnbounded
               ? Dimension(kept(size.get_min_length()), Dimension::kUnbounded)
               : Dimension(kept(size.get_min_length()), kept(size.get_max_length()));
}

Dimension twice_less_one(const Dimension& size) {
    const auto whole = [](std::int64_t s) { return s > 1 ? 2 * (s - 1) : 0; };
    constexpr std::int64_t kSafe = INT64_MAX / 2;
    return size.get_max_length() == Dimension::kUnbounded || size.get_max_length() > kSafe
               ? Dimension::dynamic()
               : Dimension(whole(size.get_min_length()), whole(size.get_max_length()));
}

// The shape without the dimension of pairs.
std::vector<Dimension> line_dims(const InferContext& context, bool pairs) {
    const PartialShape& shape = context.shape(0);
    context.require(shape.rank() >= (pairs ? 2 : 1), "data has shape ", to_string(shape),
                    ", expected rank ", pairs ? 2 : 1, " or more");
    std::vector<Dimension> dims = shape.dims();
    if (pairs) {
        context.require(dims.back().compatible(2), "data has shape ", to_string(shape),
                        ", expected pairs in the last dimension");
        dims.pop_back();
    }
    return dims;
}

// The known sizes of axes. `whole`: the size where the list has -1 or is absent.
struct KnownSizes {
    std::optional<std::vector<std::int64_t>> exact;
    std::optional<std::vector<Dimension>> open;
    bool given = false;

    Dimension of(std::size_t i, const Dimension& whole) const {
        if (!given) {
            return whole;
        }
        if (exact) {
            return (*exact)[i] == -1 ? whole : Dimension((*exact)[i]);
        }
        return open && i < open->size() ? (*open)[i] : Dimension::dynamic();
    }
};

KnownSizes known_sizes(const InferContext& context) {
    KnownSizes sizes;
    sizes.given = context.has_input(2);
    if (sizes.given) {
        require_int_list(context, 2, "signal_size");
        const auto axes = list_length(context, 1);
        const auto count = list_length(context, 2);
        if (axes && count) {
            check_counts(context, *axes, *count);
        }
        sizes.exact = context.ints(2);
        sizes.open = context.dims(2);
        if (sizes.exact) {
            check_sizes(context, *sizes.exact);
        }
    }
    return sizes;
}

}  // namespace

TransformAxes transform_axes(const EvalContext& context, std::size_t rank) {
    TransformAxes result;
    const std::vector<std::int64_t> axes = to_ints(context.input(1));
    result.axes = wrapped_axes(context, axes, rank);
    result.sizes.assign(axes.size(), -1);
    if (context.has_input(2)) {
        result.sizes = to_ints(context.input(2));
        check_counts(context, axes.size(), result.sizes.size());
        check_sizes(context, result.sizes);
    }
    return result;
}

void infer_transform(InferContext& context, TransformKind kind) {
    require_real(context, 0, "data");
    require_int_list(context, 1, "axes");
    const KnownSizes sizes = known_sizes(context);
    const bool half_spectrum = kind != TransformKind::kComplex;
    context.require(!half_spectrum || list_length(context, 1) != std::size_t{0},
                    "axes is empty, expected one or more");
    if (!context.shape(0).rank_is_static()) {
        context.set_output(0, context.type(0), PartialShape::dynamic());
        return;
    }
    std::vector<Dimension> dims = line_dims(context, kind != TransformKind::kRealToComplex);
    if (const auto list = context.ints(1)) {
        const std::vector<std::size_t> axes = wrapped_axes(context, *list, dims.size());
        for (std::size_t i = 0; i < axes.size(); ++i) {
            Dimension& dim = dims[axes[i]];
            const bool last = half_spectrum && i + 1 == axes.size();
            if (last && kind == TransformKind::kComplexToReal) {
                dim = sizes.of(i, twice_less_one(dim));
            } else {
                dim = last ? half(sizes.of(i, dim)) : sizes.of(i, dim);
            }
        }
    } else {
        dims.assign(dims.size(), Dimension::dynamic());
    }
    if (kind != TransformKind::kComplexToReal) {
        dims.emplace_back(2);
    }
    context.set_output(0, context.type(0), PartialShape(std::move(dims)));
}

}  // namespace fuseq
