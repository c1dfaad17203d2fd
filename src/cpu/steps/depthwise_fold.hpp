// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Depthwise convolutions of one and three spatial dimensions as one of two, where the memory of
// channels-last tensors allows that.
#pragma once

#include <optional>

#include "cpu/kernels/common/conv_geometry.hpp"
#include "fuseq/node.hpp"

namespace fuseq::cpu {

// Rank 3: one row, where channels have zero points of their own (else oneDNN is as fast). Rank 4:
// as it is. Rank 5: a kernel without depth works on the planes as on images; one that has nothing
// but depth works on planes as on rows. Nothing for other kernels, and for convolutions that are
// not depthwise.
std::optional<kernels::ConvGeometry> folded_depthwise(const Node& node);

}  // namespace fuseq::cpu
