// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Copies runs of bytes from pixel to pixel: concatenation and split on the channels of
// channels-last tensors (one ChannelCopy for each input or output), and any other copy of slices
// with constant distances. Any element type; bytes are bytes. Nothing outside of the runs is
// written, so that threads may work on neighbouring runs and pixels. No allocation.
#pragma once

#include <span>

#include "cpu/kernels/common/range.hpp"

namespace fuseq::kernels {

// For each pixel p: `bytes` bytes from src + p * src_stride to dst + p * dst_stride.
struct ChannelCopy {
    const void* src = nullptr;
    void* dst = nullptr;
    std::size_t src_stride = 0;  // bytes
    std::size_t dst_stride = 0;
    std::size_t bytes = 0;
};

// The copies must not overlap one another's destinations. Pixels of all images count on.
void copy_channels(std::span<const ChannelCopy> copies, Range pixels);

}  // namespace fuseq::kernels
