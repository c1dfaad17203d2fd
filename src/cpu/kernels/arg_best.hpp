// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The largest or smallest element along the middle dimension of [.., size, inner] f32, and where it
// is: segmentation ends so. Of equal elements the first counts; NaN stands behind all numbers. The
// same on every instruction set. No allocation.
#pragma once

#include <cstdint>

#include "cpu/kernels/range.hpp"

namespace fuseq::kernels {

struct ArgBestParams {
    std::size_t size = 1;
    std::size_t inner = 1;
    bool largest = true;
};

// Of one outer position, for a range of inner ones: src [size, inner], values and indices [inner].
void arg_best(const ArgBestParams& params,
              const float* src,
              float* values,
              std::int32_t* indices,
              Range inner);

}  // namespace fuseq::kernels
