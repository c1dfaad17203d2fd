// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/spatial.hpp"

namespace fuseq {

// Convolution and GroupConvolution.
struct ConvolutionAttrs final : AttributesOf<ConvolutionAttrs> {
    std::vector<std::int64_t> strides;
    std::vector<std::int64_t> dilations;
    std::vector<std::int64_t> pads_begin;
    std::vector<std::int64_t> pads_end;
    AutoPad auto_pad = AutoPad::kExplicit;
    void visit(AttributeVisitor& v) override {
        v.required("strides", strides);
        v.required("dilations", dilations);
        v.optional("pads_begin", pads_begin);
        v.optional("pads_end", pads_end);
        v.optional("auto_pad", auto_pad);
    }
};

// Windows of the spatial dimensions, padding resolved. The shapes are static.
//   src [N, C, spatial...]; wei [OC, C, kernel...] or [G, OC/G, C/G, kernel...]
std::vector<Window> convolution_windows(const ConvolutionAttrs& attrs,
                                        const Shape& src,
                                        const Shape& wei);

// In inference: size of spatial dimension d of dst; fails where the kernel does not fit.
Dimension convolution_size(const InferContext& context,
                           const ConvolutionAttrs& attrs,
                           std::size_t d,
                           const Dimension& in,
                           const Dimension& kernel);

}  // namespace fuseq
