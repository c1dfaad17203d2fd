// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace fuseq::cpu {

// What a step that takes zero points of weights says before its post-ops: "wei_zero_point:per_oc ",
// "wei_zero_point:0.5 "; nothing without zero points.
std::string text_of_zero_points(const std::vector<float>& zero_points);

}  // namespace fuseq::cpu
