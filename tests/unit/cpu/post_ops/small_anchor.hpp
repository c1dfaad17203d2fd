// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Small primitives of oneDNN that all compute the same sums: dst[m][c] = sum over k of
// src[m][k] * wei[c][k]: a 1x1 convolution or deconvolution over a row of pixels, a matmul, an
// inner product. So one exact result serves them all.
#pragma once

#include <oneapi/dnnl/dnnl.hpp>
#include <string>
#include <vector>

#include "cpu/post_ops/dnnl_post_ops_composer.hpp"

namespace fuseq::post_ops::testing {

struct SmallProblem {
    std::size_t rows = 0;               // pixels, or rows of a matrix
    std::size_t depth = 0;              // input channels
    std::size_t channels = 0;           // output channels
    std::vector<float> src{};           // [rows, depth], integers for int8 anchors
    std::vector<float> wei{};           // [channels, depth]
    std::vector<double> exact() const;  // [rows, channels]
};

struct SmallResult {
    std::string implementation;
    std::vector<double> dst;  // [rows, channels]
};

// Runs the anchor with the emission's attributes. `binary_sources` are the binary sources, one
// value for each element of dst, with their types. The emission's weight scale is applied to the
// weights.
SmallResult run_small(const SmallProblem& problem,
                      const Anchor& anchor,
                      const Emission& emission,
                      const std::vector<std::vector<double>>& binary_sources,
                      const std::vector<ElementType>& source_types);

}  // namespace fuseq::post_ops::testing
