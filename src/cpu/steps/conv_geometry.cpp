// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/conv_geometry.hpp"

#include <algorithm>
#include <utility>

#include "ops/convolution.hpp"

namespace fuseq::cpu {

kernels::ConvGeometry conv_geometry(const Node& node) {
    const Shape src = node.input(0).shape();
    const Shape dst = node.port(0).shape.to_shape();
    const auto windows =
        convolution_windows(node.attrs<ConvolutionAttrs>(), src, node.input(1).shape());
    kernels::ConvGeometry g;
    g.batch = src[0];
    g.src_channels = src[1];
    g.dst_channels = dst[1];
    const Window& x = windows.back();
    g.src_width = src.back();
    g.dst_width = dst.back();
    g.kernel_width = static_cast<std::size_t>(x.size);
    g.stride_width = static_cast<std::size_t>(x.stride);
    g.dilation_width = static_cast<std::size_t>(x.dilation);
    g.pad_left = x.pad_begin;
    if (windows.size() == 2) {
        const Window& y = windows.front();
        g.src_height = src[2];
        g.dst_height = dst[2];
        g.kernel_height = static_cast<std::size_t>(y.size);
        g.stride_height = static_cast<std::size_t>(y.stride);
        g.dilation_height = static_cast<std::size_t>(y.dilation);
        g.pad_top = y.pad_begin;
    }
    return g;
}

kernels::ConvGeometry deconv_geometry(const Shape& src,
                                      const Shape& dst,
                                      const std::vector<DeconvolutionWindow>& windows) {
    kernels::ConvGeometry g;
    g.batch = src[0];
    g.src_channels = src[1];
    g.dst_channels = dst[1];
    const Window& x = windows.back().window;
    g.src_width = src.back();
    g.dst_width = dst.back();
    g.kernel_width = static_cast<std::size_t>(x.size);
    g.stride_width = static_cast<std::size_t>(x.stride);
    g.pad_left = x.pad_begin;
    if (windows.size() == 2) {
        const Window& y = windows.front().window;
        g.src_height = src[2];
        g.dst_height = dst[2];
        g.kernel_height = static_cast<std::size_t>(y.size);
        g.stride_height = static_cast<std::size_t>(y.stride);
        g.pad_top = y.pad_begin;
    }
    return g;
}

std::optional<std::int32_t> single_zero_point(const Node& node, std::size_t input) {
    if (!node.has_input(input)) {
        return 0;
    }
    if (!node.input_node(input)->is_constant()) {
        return std::nullopt;
    }
    const std::vector<std::int64_t> values = to_ints(node.input_node(input)->constant());
    const bool same =
        std::all_of(values.begin(), values.end(), [&](std::int64_t z) { return z == values[0]; });
    if (values.empty() || !same || !std::in_range<std::int32_t>(values[0])) {
        return std::nullopt;
    }
    return static_cast<std::int32_t>(values[0]);
}

}  // namespace fuseq::cpu
