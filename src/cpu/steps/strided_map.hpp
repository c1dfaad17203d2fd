// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Movement maps of operations that are strides: transposes and pixel shuffles. The same maps as
// make_movement_map would give, without a table of all elements.
#pragma once

#include <optional>
#include <vector>

#include "cpu/plan/plan_tensor.hpp"
#include "cpu/steps/movement_map.hpp"
#include "fuseq/node.hpp"

namespace fuseq::cpu {

// One loop over elements: how far apart they are in memory, in elements.
struct MovedDim {
    std::size_t size = 1;
    std::int64_t src_stride = 0;
    std::int64_t dst_stride = 0;
};

// Every element of dst is written once; the order of `dims` does not matter. Positions times the
// size of an element must fit 31 bits.
MovementMap make_strided_map(std::vector<MovedDim> dims, std::size_t element_bytes);

// The loops of a Transpose, DepthToSpace or SpaceToDepth whose other inputs are constant; nothing
// for other operations.
std::optional<std::vector<MovedDim>> strided_dims(const Node& node,
                                                  const PlanTensor& src,
                                                  const PlanTensor& dst);

}  // namespace fuseq::cpu
