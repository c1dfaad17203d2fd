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

// Place of the slice of data that tuple i of the indices names, in slices. Tuples have `length`
// indices, for the dimensions of `shape` from `begin` on; `batch` is the place in those before.
template <class Context>
std::size_t tuple_place(const Context& context,
                        const Shape& shape,
                        std::size_t begin,
                        std::span<const std::int64_t> indices,
                        std::size_t i,
                        std::size_t length,
                        std::size_t batch = 0) {
    std::size_t place = batch;
    for (std::size_t k = 0; k < length; ++k) {
        const std::size_t size = shape[begin + k];
        const std::size_t at = i * length + k;
        place = place * size + static_cast<std::size_t>(checked_index(
                                   context, indices[at], static_cast<std::int64_t>(size), at));
    }
    return place;
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
void check_updates(const Context& context,
                   const PartialShape& updates,
                   const PartialShape& expected) {
    context.require(updates.compatible(expected), "updates have shape ", to_string(updates),
                    ", expected ", to_string(expected));
}

template <class Context>
void require_indices(const Context& context, std::size_t i) {
    context.require(is_integral(context.type(i)), "indices are ", to_string(context.type(i)),
                    ", expected an integer type");
}

}  // namespace fuseq
