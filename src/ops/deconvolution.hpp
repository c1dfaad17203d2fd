// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "ops/spatial.hpp"

namespace fuseq {

// ConvolutionBackpropData and GroupConvolutionBackpropData.
struct DeconvolutionAttrs final : AttributesOf<DeconvolutionAttrs> {
    std::vector<std::int64_t> strides;
    std::vector<std::int64_t> dilations;
    std::vector<std::int64_t> pads_begin;
    std::vector<std::int64_t> pads_end;
    AutoPad auto_pad = AutoPad::kExplicit;
    std::vector<std::int64_t> output_padding;  // added at the end of dst, a dimension each
    void visit(AttributeVisitor& v) override {
        v.required("strides", strides);
        v.optional("dilations", dilations);
        v.optional("pads_begin", pads_begin);
        v.optional("pads_end", pads_end);
        v.optional("auto_pad", auto_pad);
        v.optional("output_padding", output_padding);
    }
};

// One spatial dimension of a deconvolution: position i of src adds its kernel to dst from
// i * stride - pad_begin on. pad_end says how much is cut at the end: less than zero is added.
struct DeconvolutionWindow {
    Window window;
    std::int64_t dst = 0;  // size of dst
};

// The spatial dimensions with padding resolved. Shapes are static.
//   src [N, C, spatial...]; wei [IC, OC, kernel...] or [G, IC/G, OC/G, kernel...]
//   output_shape: value of the third input of the operation, when it has one
std::vector<DeconvolutionWindow> deconvolution_windows(
    const DeconvolutionAttrs& attrs,
    const Shape& src,
    const Shape& wei,
    const std::optional<std::vector<std::int64_t>>& output_shape);

}  // namespace fuseq
