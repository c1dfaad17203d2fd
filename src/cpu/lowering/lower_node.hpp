// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// One element-wise node as basic operations.
#pragma once

#include <optional>
#include <vector>

#include "cpu/lowering/group.hpp"

namespace fuseq::cpu {

struct Lowered {
    std::vector<post_ops::BasicOp> ops;
    std::vector<Output> binary_sources;  // numbered from `first_source` on
    std::size_t channel_axis = 1;
    bool axis_fixed = false;
};

// The node applied to its input `data`, whose group already has `first_source` binary sources and
// `axis` as the axis of per-channel values if `axis_fixed`. Nothing when it is no element-wise
// operation of a form that a chain can hold.
std::optional<Lowered> lower_node(const Node& node, Output data, const Group& group);

}  // namespace fuseq::cpu
