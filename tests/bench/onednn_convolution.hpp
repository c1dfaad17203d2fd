// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// oneDNN's convolution beside which the plugin's own kernels are measured.
#pragma once

#include <benchmark/benchmark.h>

#include <dnnl.hpp>

namespace fuseq::bench {

// A u8 convolution with i8 weights, f32 bias and u8 result, channels-last; `after` is the padding
// below and to the right.
struct OneDnnConvolution {
    dnnl::memory::dims src, weights, dst;
    dnnl::memory::dim stride = 1;
    dnnl::memory::dim before = 0;
    dnnl::memory::dims after;
    dnnl::primitive_attr attr;
};

// Measures it in the loop of `state` and labels that with the implementation.
void run_onednn(benchmark::State& state, const OneDnnConvolution& convolution);

}  // namespace fuseq::bench
