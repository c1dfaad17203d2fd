// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Steps after a convolution with output channels in lanes that it can do while its values are in
// registers: quantizations of a result that several steps read, each into a tensor of its own, and
// a DepthToSpace of bytes whose blocks are what the convolution stores.
#pragma once

#include "cpu/plan/plan.hpp"

namespace fuseq::cpu {

// Removes such steps. `keep`: the floats stay where they were, to be seen. Before
// move_to_readers() and find_tile_groups().
void join_results(Plan& plan, bool keep);

}  // namespace fuseq::cpu
