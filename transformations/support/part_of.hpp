// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What is taken of a tensor along one axis, in all the spellings of exporters: Split, VariadicSplit,
// Slice, StridedSlice, Gather of one index.
#pragma once

#include <cstdint>
#include <optional>

#include "fuseq/model.hpp"

namespace fuseq {

struct Part {
    std::size_t axis = 0;     // of the source, which is input 0 of the node
    std::int64_t begin = 0;   // first index along the axis
    std::int64_t size = 0;    // number of indices, at least 1
    bool drops_axis = false;  // the result has a dimension less; size is 1 then
};

// Nothing when `port` is no part, when its bounds or the size of the axis are not known, when it
// skips elements, or when more than one axis is cut.
std::optional<Part> part_of(const Output& port);

}  // namespace fuseq
