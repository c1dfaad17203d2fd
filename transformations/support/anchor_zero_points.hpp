// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The zero points of an integer anchor's weights, as the low-precision passes store them: an f32
// constant after the zero point of the source.
#pragma once

#include <cstddef>
#include <vector>

#include "fuseq/model.hpp"

namespace fuseq {

// The input of an anchor that holds the zero points of its weights; 0 when it has none.
std::size_t weight_zero_points(const Node& anchor);

// The values: none, one, or one a channel of dst.
std::vector<float> wei_zero_points(const Node& anchor);

}  // namespace fuseq
