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

// A ForEachTask (ops/for_each_task.hpp).
void tasks_on_threads(std::size_t count, const std::function<void(std::size_t)>& task);

// f32 boxes; classes are spread over threads.
NodeKernel make_non_max_suppression();
NodeKernel make_multiclass_nms();
NodeKernel make_matrix_nms();
// The reference kernel, its rows spread over threads.
NodeKernel make_requantize_sums();
// The reference kernel, its positions spread over threads.
NodeKernel make_deformable_convolution();

}  // namespace fuseq::cpu
