// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What the operations that read or write by index share.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ops/op_spec.hpp"

namespace fuseq {

// index in [-size, size) as a place in [0, size); anything else is an error. `at` is the position
// of the index in its tensor.
template <class Context>
std::int64_t checked_index(const Context& context,
                           std::int64_t index,
                           std::int64_t size,
                           std::size_t at) {
    context.require(index >= -size && index < size, "element ", at, " of the indices is ", index,
                    ", expected a value in [", -size, ", ", size - 1, "]");
    return index < 0 ? index + size : index;
}

// The same for all indices of input i that are known when the model is read; they go through
// `sizes` in turn.
inline void check_known_indices(const InferContext& context,
                                std::size_t i,
                                std::span<const Dimension> sizes) {
    const auto indices = context.ints(i);
    for (std::size_t at = 0; indices && !sizes.empty() && at < indices->size(); ++at) {
        const Dimension& size = sizes[at % sizes.size()];
        if (size.is_static()) {
            checked_index(context, (*indices)[at], size.get_length(), at);
        }
    }
}

// The dimensions of data, from `begin` on, that a tuple of indices (its last dimension) goes
// through.
inline std::span<const Dimension> leading(const PartialShape& data,
                                          std::size_t begin,
                                          const PartialShape& indices) {
    const Dimension& length = indices[indices.rank() - 1];
    if (!length.is_static()) {
        return {};
    }
    return {data.begin() + static_cast<std::ptrdiff_t>(begin),
            static_cast<std::size_t>(length.get_length())};
}

// Product of the dimensions from `begin` to `end`.
inline std::size_t partial_size(const Shape& shape, std::size_t begin, std::size_t end) {
    std::size_t size = 1;
    for (std::size_t d = begin; d < end; ++d) {
        size *= shape[d];
    }
    return size;
}

template <class Context>
void require_indices(const Context& context, std::size_t i) {
    context.require(is_integral(context.type(i)), "indices are ", to_string(context.type(i)),
                    ", expected an integer type");
}

}  // namespace fuseq
