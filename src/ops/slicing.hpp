// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Slices along one axis by numpy's rules: StridedSlice and Slice.
#pragma once

#include <cstdint>
#include <limits>

#include "fuseq/shape.hpp"

namespace fuseq {

// Bounds as they are given: negative ones count from the end, what lies outside is clamped.
struct SliceRange {
    static constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
    static constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();
    std::int64_t begin = 0;
    std::int64_t end = kHighest;
    std::int64_t step = 1;  // not 0
    // The whole axis in the direction of the step.
    static std::int64_t first(std::int64_t step) { return step > 0 ? 0 : kHighest; }
    static std::int64_t last(std::int64_t step) { return step > 0 ? kHighest : kLowest; }
};

struct SliceResult {
    std::int64_t start = 0;  // first element taken, in [0, size) when length > 0
    std::int64_t length = 0;
};

SliceResult resolve_slice(const SliceRange& range, std::int64_t size);
// Length of the slice of a dimension that may be open.
Dimension slice_length(const SliceRange& range, const Dimension& size);

}  // namespace fuseq
