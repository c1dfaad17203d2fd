// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The inner loop of FloatConv: a row of dst, of which all source numbers are known by their
// addresses. For every instruction set.
#pragma once

#include <array>
#include <cstddef>

#include "fuseq/element_type.hpp"

namespace fuseq::kernels::float_conv {

inline constexpr std::size_t kLanes = 16;      // output channels of a vector
inline constexpr std::size_t kMaxVectors = 4;  // of output channels
inline constexpr std::size_t kMaxTaps = 256;

// Of a row of dst: where each tap of the first pixel is read.
struct Taps {
    std::array<const float*, kMaxTaps> at;
    std::size_t count = 0;
};

struct Constants {
    const float* weights;  // [tap][channel], as all constants aligned to 64 bytes
    const float* bias;
    const float* shift;  // null: none
    bool relu;
    float slope;
    ElementType dst_type;
};

// Taps, constants, pixels of the row (24 at least), where the row is to be.
using RowFunction = void (*)(const Taps&, const Constants&, std::size_t, std::byte*);

// For so many vectors of output channels and floats from a window to the next; null: there is none
// for the step.
RowFunction row_function(std::size_t vectors, std::size_t step);

}  // namespace fuseq::kernels::float_conv
