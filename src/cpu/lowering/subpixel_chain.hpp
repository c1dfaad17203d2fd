// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The chain after a deconvolution, as that of the convolution whose channels are those of all
// sub-pixels (kernels/gemm: SubPixels). A constant of the size of the result that is the same
// wherever a sub-pixel is, such as the correction of a fractional zero point where kernel and stride
// are equal, is a value a channel there and needs no tensor.
#pragma once

#include <optional>

#include "cpu/lowering/gemm_problem.hpp"
#include "cpu/lowering/group.hpp"

namespace fuseq::cpu {

// Sub-pixels of a deconvolution.
std::size_t subpixels_of(const GemmProblem& problem);

// With lists of one value a sub-pixel and channel, row by row. Nothing where no constant becomes a
// list: the chain is that of all sub-pixels as it is.
std::optional<post_ops::Chain> subpixel_chain(const Group& group, const GemmProblem& problem);

}  // namespace fuseq::cpu
