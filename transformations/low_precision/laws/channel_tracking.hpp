// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "transformations/low_precision/laws/law.hpp"

namespace fuseq {

// The DQ of every output of an operation that only moves elements of input 0, found by moving the
// numbers of the channels through its reference kernel. Nothing where a shape or another input is
// not known, the tensor is large, or the channels of an output follow no single dimension.
// The node still has its float types.
std::optional<std::vector<Dequantize>> track_channels(const Node& node, const Dequantize& dq);

}  // namespace fuseq
