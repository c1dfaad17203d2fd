// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Sizes that a model states as values: checked before memory is allocated for them. Context is an
// InferContext or an EvalContext: a kernel checks again, because values may be known at run time
// only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "ops/op_spec.hpp"

namespace fuseq {

// A number of rows or segments, as a value in [0, 2^24].
template <class Context>
std::int64_t checked_count(const Context& context, std::int64_t count, std::string_view what) {
    constexpr std::int64_t kMost = 1 << 24;
    context.require(count >= 0 && count <= kMost, what, " is ", count, ", expected a value in [0, ",
                    kMost, "]");
    return count;
}

template <class Context>
void check_sizes(const Context& context,
                 const std::vector<std::int64_t>& sizes,
                 std::string_view what) {
    for (const std::int64_t size : sizes) {
        context.require(size >= 0, what, " has the value ", size, ", expected 0 or more");
    }
}

// A shape that follows from stated sizes: at most 2^28 elements.
template <class Context>
void check_element_count(const Context& context, const Shape& shape, std::string_view what) {
    constexpr std::size_t kMost = std::size_t{1} << 28;
    if (std::find(shape.begin(), shape.end(), std::size_t{0}) != shape.end()) {
        return;
    }
    std::size_t count = 1;
    for (const std::size_t size : shape) {
        context.require(size <= kMost / count, what, " has shape ", to_string(shape),
                        ", expected at most ", kMost, " elements");
        count *= size;
    }
}

}  // namespace fuseq
