// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Grids from ranges: MXNet states the min and max real value of a tensor.
#pragma once

#include <cstdint>

#include "fuseq/element_type.hpp"

namespace fuseq::mxnet_reader {

// real = scale * (integer - zero_point)
struct Grid {
    float scale = 1;
    std::int64_t zero_point = 0;
};

// The grid of the integers from `lowest` to `highest` over a range, by TFLite's formula: the range
// includes 0; the zero point is computed from the end with the smaller error, rounded half away from
// zero, and clamped. A range of nothing gives a scale of 0.
Grid grid_of_range(double min, double max, std::int64_t lowest, std::int64_t highest);

// As MXNet understands a range: of u8 as above; of i8 and i32 the same on [-m, m], m the larger
// magnitude, with the integers from -127 or -(2^31 - 1) on, so that zero points are 0.
Grid grid_of(ElementType type, double min, double max);

}  // namespace fuseq::mxnet_reader
