// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Axes that a node works along (Reduce..., MVN) as one dimension of the memory.
#pragma once

#include <optional>
#include <vector>

#include "cpu/steps/plan_tensor.hpp"
#include "fuseq/node.hpp"

namespace fuseq::cpu {

// A dense tensor seen as [outer, length, inner], `length` being the axes.
struct AxesInMemory {
    std::size_t outer = 1;
    std::size_t length = 1;
    std::size_t inner = 1;
};

// Nothing when the axes are not side by side in the memory of that layout. Dimensions of size 1 do
// not separate. `along`: one a dimension of `dims`, in IR order.
std::optional<AxesInMemory> axes_in_memory(const Shape& dims,
                                           Layout layout,
                                           const std::vector<bool>& along);

// Marks axes, negative ones counted from the end.
std::vector<bool> marked_axes(const std::vector<std::int64_t>& axes, std::size_t rank);

// Whether a Reshape, Squeeze or Unsqueeze of known shapes only cuts or joins dimensions after the
// channels: its elements stay where they are in channels-last memory too.
bool keeps_channels(const Node& node);

}  // namespace fuseq::cpu
