// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What the plugin's own convolution kernels are told about a node.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cpu/kernels/common/conv_geometry.hpp"
#include "fuseq/node.hpp"
#include "ops/deconvolution.hpp"

namespace fuseq::cpu {

// Of a Convolution or GroupConvolution with one or two spatial dimensions and static shapes.
kernels::ConvGeometry conv_geometry(const Node& node);

// Of a deconvolution without dilation.
kernels::ConvGeometry deconv_geometry(const Shape& src,
                                      const Shape& dst,
                                      const std::vector<DeconvolutionWindow>& windows);

// The zero point that an input of an integer anchor gives: 0 when there is no such input. Nothing
// when it is no constant, its values differ or are no i32.
std::optional<std::int32_t> single_zero_point(const Node& node, std::size_t input);

}  // namespace fuseq::cpu
