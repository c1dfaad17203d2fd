// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of the plugin's own for operations whose results may be dynamic. The same bytes as the
// reference kernels.
#pragma once

#include "cpu/steps/reference.hpp"

namespace fuseq::cpu {

// What there is for a node.
OwnKernel own_kernel_of(const Node& node);

// f32 boxes; classes are spread over threads.
NodeKernel make_non_max_suppression();
NodeKernel make_multiclass_nms();
NodeKernel make_matrix_nms();

}  // namespace fuseq::cpu
