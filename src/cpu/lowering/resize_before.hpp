// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Linear Interpolates as element-wise nodes after them see them: with the zero point and the scale
// that move_dequantize_down leaves behind them.
#pragma once

#include <vector>

#include "fuseq/model.hpp"

namespace fuseq::cpu {

struct ResizeBefore {
    Output resize;                  // of a linear Interpolate that the resize kernel takes
    std::vector<Node*> dequantize;  // Subtract, Multiply by constants; either may be missing
};

// What ends at that output; no `resize` when it is something else, or when others read what stands
// between the Interpolate and the output.
ResizeBefore resize_before(const Output& at);

// A linear Interpolate that nobody else reads ends there, or a sum that has such a term.
bool is_read_once_after_resize(const Output& at);
bool is_sum_of_resized(const Output& at);

}  // namespace fuseq::cpu
