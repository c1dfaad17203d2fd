// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What the operations that read or write by index share.
#pragma once

#include <cstdint>
#include <vector>

#include "ops/op_spec.hpp"

namespace fuseq {

// index in [-size, size) as a place in [0, size); anything else is an error. `at` is the position
// of the index in its tensor.
inline std::int64_t checked_index(const EvalContext& context,
                                  std::int64_t index,
                                  std::int64_t size,
                                  std::size_t at) {
    context.require(index >= -size && index < size, "element ", at, " of the indices is ", index,
                    ", expected a value in [", -size, ", ", size - 1, "]");
    return index < 0 ? index + size : index;
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
