// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Depth-first tile groups: consecutive steps run together on some rows (pixels) at a time. What one
// step writes is in the cache when the next one reads it, threads meet once at the end of the group
// instead of after every step, and a tensor that nobody else reads needs memory for the rows of one
// part only.
//
// Producer-consumer tiling is for a group that begins with a large image and a depthwise
// convolution of it: the image is computed as many rows ahead as the windows reach, and never
// exists as a whole.
#pragma once

#include "cpu/plan/passes/plan_pass.hpp"

namespace fuseq::cpu {

// Fills plan.tile_groups: runs of consecutive steps that have a row_tiling() of as many rows. What
// only the steps of one group use is cut down to what a part of it needs, unless intermediates are
// kept: then the whole tensor would be nowhere to be seen.
bool tile_groups(Plan& plan, PlanPassContext& context);

}  // namespace fuseq::cpu
