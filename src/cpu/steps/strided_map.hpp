// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Movement maps of operations that treat each dimension on its own: transposes, pixel shuffles,
// splits, gathers. The same movement as make_movement_map would give, without a table of all
// elements.
#pragma once

#include <optional>
#include <vector>

#include "cpu/steps/movement_map.hpp"
#include "cpu/steps/plan_tensor.hpp"
#include "fuseq/node.hpp"

namespace fuseq::cpu {

// One loop over elements: how far apart they are in memory, in elements.
struct MovedDim {
    std::size_t size = 1;
    std::int64_t src_stride = 0;
    std::int64_t dst_stride = 0;
    std::vector<std::int64_t> picked{};  // instead of 0 to size - 1 of src, when not empty
};

struct MovedDims {
    std::vector<MovedDim> dims{};
    std::int64_t src_begin = 0;  // where the first element of dst comes from
};

// Every element of dst is written once; the order of `dims` does not matter. Positions times the
// size of an element must fit 31 bits.
MovementMap make_strided_map(MovedDims moved, std::size_t element_bytes);

// The loops of output `port` of a Transpose, DepthToSpace, SpaceToDepth, Split, VariadicSplit or
// Gather (of one index or a list of them) whose other inputs are constant; nothing for other
// operations.
std::optional<MovedDims> strided_dims(const Node& node,
                                      std::size_t port,
                                      const PlanTensor& src,
                                      const PlanTensor& dst);

}  // namespace fuseq::cpu
