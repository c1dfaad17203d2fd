// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A depthwise convolution whose sums are rounded by a rule: some rows at a time through a buffer that
// stays in the first cache.
#pragma once

#include <memory>

#include "cpu/kernels/depthwise/depthwise_conv.hpp"
#include "cpu/kernels/eltwise/requantize_sums.hpp"
#include "cpu/steps/step.hpp"

namespace fuseq::cpu {

struct RoundedDepthwise {
    const kernels::DepthwiseConv& kernel;  // gives f32
    const kernels::SumRounding& rounding;
    std::size_t row_pixels;
    TensorId src;
    TensorId dst;
};
// What `rounded` refers to outlives it.
std::unique_ptr<Runner> make_rounded_depthwise(const RoundedDepthwise& rounded,
                                               RequestMemory& memory);

}  // namespace fuseq::cpu
