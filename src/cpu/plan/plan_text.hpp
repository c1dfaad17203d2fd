// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cpu/plan/plan.hpp"

namespace fuseq::cpu {

// The plan as text, for dumps and tests: a line of totals, then a line a step, a tensor and a tile
// group. Tensors are %0, %1, ...; those that no step uses are there too.
//
//   plan: 2 steps, 3 tensors, 0 tile groups, 4096 bytes of arena
//   step 0 convolution "conv1" [brgconv] (%0) -> (%1) post_ops: relu -> u8
//   tensor %1 u8 [1,16,8,8] channels_last arena at 0, 1024 bytes
//   group steps 3 to 5: 1024 rows in parts of 128, grain 1, share grain 1, 2 threads
std::string to_text(const Plan& plan);

}  // namespace fuseq::cpu
