// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What a matrix product stores for nobody but a concat on channels it stores where the concat would
// copy it: its pixels are as far apart as those of the concat's result.
#pragma once

#include "cpu/plan/plan.hpp"

namespace fuseq::cpu {

// A concat copies what is left, and is no step when that is nothing. Before move_to_readers() and
// find_tile_groups().
void write_slices_of_concats(Plan& plan);

}  // namespace fuseq::cpu
