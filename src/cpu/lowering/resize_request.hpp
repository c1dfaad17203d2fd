// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// An Interpolate of the last two dimensions as parameters of the resize kernel. Its tables are made
// from the taps of the reference kernel, so that every mode and rounding that needs one or two
// neighbours is covered and gives the same positions.
#pragma once

#include "cpu/kernels/resize/resize.hpp"
#include "cpu/lowering/verdict.hpp"
#include "fuseq/model.hpp"

namespace fuseq::cpu {

// Sets `params`, without scale and shift, when it says yes. Linear ones have f32 as their input.
Verdict resize_request(const Node& node, kernels::ResizeParams& params);

// Whether the node is an Interpolate that makes weighted sums, of any version.
bool is_linear_resize(const Node& node);

}  // namespace fuseq::cpu
