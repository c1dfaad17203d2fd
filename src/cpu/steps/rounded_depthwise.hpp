// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A depthwise convolution whose sums are rounded by a rule: some rows at a time through a buffer that
// stays in the first cache. All channels, or those for which the kernel has no scale and shift.
#pragma once

#include <memory>
#include <span>

#include "cpu/kernels/depthwise/depthwise_conv.hpp"
#include "cpu/kernels/eltwise/requantize_sums.hpp"
#include "cpu/steps/step.hpp"

namespace fuseq::cpu {

// Neighbouring channels.
struct DepthwisePart {
    kernels::Range channels;
    kernels::DepthwiseConv kernel;  // of them alone, dense sums
};

struct RoundedDepthwise {
    const kernels::DepthwiseConv& kernel;  // gives f32, or with `rest` bytes
    std::span<const DepthwisePart> rest;
    const kernels::SumRounding& rounding;
    std::size_t row_pixels;
    TensorId src;
    TensorId dst;
};
// What `rounded` refers to outlives it.
std::unique_ptr<Runner> make_rounded_depthwise(const RoundedDepthwise& rounded,
                                               RequestMemory& memory);

}  // namespace fuseq::cpu
