// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Axis checks that inference and kernels share. Context is an InferContext or an EvalContext: the
// kernels check again, because axes and ranks may be known at run time only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "ops/op_spec.hpp"

namespace fuseq {

// An axis that is known to be in [-rank, rank), as a number in [0, rank).
inline std::size_t wrapped_axis(std::int64_t axis, std::size_t rank) {
    return static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis);
}

// The same for any axis: refuses what is not in [-rank, rank).
template <class Context>
std::size_t checked_axis(const Context& context,
                         std::int64_t axis,
                         std::size_t rank,
                         std::string_view what = "axis") {
    const auto signed_rank = static_cast<std::int64_t>(rank);
    context.require(axis >= -signed_rank && axis < signed_rank, what, " is ", axis,
                    ", expected a value in [", -signed_rank, ", ", signed_rank - 1, "]");
    return wrapped_axis(axis, rank);
}

// The same for a list; sorted, an axis named twice is refused.
template <class Context>
std::vector<std::size_t> checked_axes(const Context& context,
                                      const std::vector<std::int64_t>& axes,
                                      std::size_t rank,
                                      std::string_view what = "axes") {
    std::vector<std::size_t> result;
    result.reserve(axes.size());
    for (const std::int64_t axis : axes) {
        result.push_back(checked_axis(context, axis, rank, what));
    }
    std::sort(result.begin(), result.end());
    const auto twice = std::adjacent_find(result.begin(), result.end());
    context.require(twice == result.end(), what, " names axis ", twice == result.end() ? 0 : *twice,
                    " twice");
    return result;
}

// What a reduction leaves of a shape.
inline PartialShape reduced_shape(const PartialShape& src,
                                  const std::vector<std::size_t>& axes,
                                  bool keep_dims) {
    std::vector<Dimension> dims;
    for (std::size_t d = 0; d < src.rank(); ++d) {
        if (!std::binary_search(axes.begin(), axes.end(), d)) {
            dims.push_back(src[d]);
        } else if (keep_dims) {
            dims.emplace_back(1);
        }
    }
    return PartialShape(dims);
}

// The only value of an input that holds one number (a scalar or one element).
template <class Context>
std::int64_t single_value(const Context& context,
                          const std::vector<std::int64_t>& values,
                          std::string_view what) {
    context.require(values.size() == 1, what, " has ", values.size(), " values, expected 1");
    return values[0];
}

}  // namespace fuseq
