// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Depthwise int8 convolution of three spatial dimensions: a convolution of two for each position of
// the kernel in depth, on rows that stay in the cache, and one chain that adds them up and does
// what follows. oneDNN takes a general matrix product there, more than 20 times as slow.
#pragma once

#include <vector>

#include "cpu/kernels/depthwise/depthwise_conv.hpp"
#include "cpu/kernels/eltwise/eltwise_kernel.hpp"
#include "cpu/steps/step.hpp"

namespace fuseq::cpu {

struct VolumeGeometry {
    std::size_t images = 1;
    std::size_t channels = 1;
    std::size_t src_depth = 1, dst_depth = 1;
    std::size_t stride = 1, dilation = 1;  // in depth
    std::ptrdiff_t pad = 0;
    std::size_t dst_height = 1, dst_width = 1;
};

class VolumeDepthwiseStep final : public Step {
public:
    // taps: by position in depth, each over the planes of all images, u8 or i8 to f32 (the exact
    // sums). chain: reads the first sum, then `binary_sources`, then the other sums.
    VolumeDepthwiseStep(std::vector<kernels::DepthwiseConv> taps,
                        kernels::EltwiseKernel chain,
                        const VolumeGeometry& geometry);
    void set_tensors(TensorId src,
                     std::vector<TensorId> binary_sources,
                     TensorId dst,
                     TensorId scratch);
    std::unique_ptr<Runner> bind(RequestMemory& memory) const override;
    std::size_t packed_bytes() const override;

    // Rows of dst that are worked on together.
    static std::size_t rows_at_once(const VolumeGeometry& geometry);
    // Floats of the scratch tensor for so many threads.
    static std::size_t scratch_size(const VolumeGeometry& geometry,
                                    std::size_t taps,
                                    std::size_t threads);
    static constexpr std::size_t kMaxBinarySources = 16;

private:
    class Run;

    std::vector<kernels::DepthwiseConv> taps_;
    kernels::EltwiseKernel chain_;
    VolumeGeometry geometry_;
};

}  // namespace fuseq::cpu
