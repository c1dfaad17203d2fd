// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Steps that are walked over together, some rows (pixels) at a time: what one step writes is in the
// cache when the next one reads it, threads meet once at the end of the walk instead of after
// every step, and a tensor that nobody else reads needs memory for the rows of one part only.
//
// A band is a walk that begins with a large image and a depthwise convolution of it: the image
// is computed as many rows ahead as the windows reach, and never stands in memory as a whole.
#pragma once

#include "cpu/plan/plan.hpp"

namespace fuseq::cpu {

// Moves steps whose result is much larger than what they read to the step that reads it first, as
// long as nothing in between depends on them. Before find_tile_groups().
void move_to_readers(Plan& plan);

// Fills plan.walks: runs of consecutive steps that have a row_tiling() of as many rows. When
// `small_tensors`, what only the steps of one walk use is cut down to what a part of it needs; then
// the whole tensor is nowhere to be seen. Before plan_memory().
void find_tile_groups(Plan& plan, std::size_t threads, bool small_tensors);

}  // namespace fuseq::cpu
