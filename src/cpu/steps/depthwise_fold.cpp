// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/depthwise_fold.hpp"

#include "cpu/steps/conv_geometry.hpp"
#include "ops/convolution.hpp"

namespace fuseq::cpu {
namespace {

// The dimension does nothing.
bool is_idle(const Window& w, std::size_t src, std::size_t dst) {
    return w.size == 1 && w.stride == 1 && w.pad_begin == 0 && src == dst;
}

void set_height(kernels::ConvGeometry& g, const Window& w, std::size_t src, std::size_t dst) {
    g.src_height = src;
    g.dst_height = dst;
    g.kernel_height = static_cast<std::size_t>(w.size);
    g.stride_height = static_cast<std::size_t>(w.stride);
    g.dilation_height = static_cast<std::size_t>(w.dilation);
    g.pad_top = w.pad_begin;
}

}  // namespace

std::optional<kernels::ConvGeometry> folded_depthwise(const Node& node) {
    const std::size_t rank = node.port(0).shape.rank();
    const Shape wei = node.input(1).shape();
    if (!node.is("GroupConvolution") || wei[1] != 1 || wei[2] != 1 || rank > 5) {
        return std::nullopt;
    }
    kernels::ConvGeometry g = conv_geometry(node);
    if (rank == 4 || (rank == 3 && !single_zero_point(node, 2))) {
        return g;
    }
    if (rank == 3) {
        return std::nullopt;
    }
    const Shape src = node.input(0).shape();
    const Shape dst = node.port(0).shape.to_shape();
    const auto windows = convolution_windows(node.attrs<ConvolutionAttrs>(), src, wei);
    if (is_idle(windows[0], src[2], dst[2])) {
        g.batch *= src[2];
        set_height(g, windows[1], src[3], dst[3]);
        return g;
    }
    if (is_idle(windows[1], src[3], dst[3]) && is_idle(windows[2], src[4], dst[4])) {
        set_height(g, windows[0], src[2], dst[2]);
        g.src_width = g.dst_width = src[3] * src[4];
        return g;
    }
    return std::nullopt;
}

}  // namespace fuseq::cpu
