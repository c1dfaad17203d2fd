// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "fuseq/model.hpp"

namespace fuseq::cpu {

// The zero points y of weights, which oneDNN does not have, become arithmetic after the integer
// anchor:  anchor(q, w - y) = anchor(q, w) - y * anchor(q, ones)
// The second anchor has one output channel, or, in groups, as many as the first. Nodes for which
// `takes` is true keep their zero points.
void split_weight_zero_points(Model& model, const std::function<bool(const Node&)>& takes);

// The input of an anchor that holds the zero points of its weights; 0 when it has none.
std::size_t weight_zero_points(const Node& anchor);

// The values: none, one, or one a channel of dst.
std::vector<float> wei_zero_points(const Node& anchor);

// What a step that takes them says before its post-ops: "wei_zero_point:per_oc ".
std::string text_of_zero_points(const std::vector<float>& zero_points);

}  // namespace fuseq::cpu
