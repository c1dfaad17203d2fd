// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What QuantizedConvolution and QuantizedDeconvolution share: every one as three-dimensional,
// channels first, whatever the layout of src is.
#pragma once

#include <cstdint>
#include <vector>

#include "ops/deconvolution.hpp"
#include "ops/quantized/product.hpp"
#include "ops/spatial.hpp"

namespace fuseq {

struct FilterLoops {
    std::size_t batch = 1;
    std::size_t groups = 1;
    std::size_t ic = 1;  // channels of one group
    std::size_t oc = 1;
    std::int64_t in[3]{1, 1, 1};
    std::int64_t out[3]{1, 1, 1};
    Window window[3];

    std::size_t in_size() const { return static_cast<std::size_t>(in[0] * in[1] * in[2]); }
    std::size_t out_size() const { return static_cast<std::size_t>(out[0] * out[1] * out[2]); }
    std::size_t kernel_size() const {
        return static_cast<std::size_t>(window[0].size * window[1].size * window[2].size);
    }
};

// The spatial dimensions with padding resolved. src: channels first; shapes are static.
std::vector<Window> windows_of(const QuantizedConvolutionAttrs& attrs,
                               const Shape& src,
                               const Shape& wei);
std::vector<DeconvolutionWindow> windows_of(const QuantizedDeconvolutionAttrs& attrs,
                                            const Shape& src,
                                            const Shape& wei);

// Ranks, lists, groups. Shapes are channels first.
template <class Context>
void check_filter_shapes(const Context& context,
                         const QuantizedFilterAttrs& attrs,
                         const PartialShape& src,
                         const PartialShape& wei) {
    context.require(src.rank() >= 3 && src.rank() <= 5, "src has rank ", src.rank(),
                    ", expected 3, 4 or 5");
    context.require(wei.rank() == src.rank(), "the weights have rank ", wei.rank(), ", expected ",
                    src.rank());
    check_window_lists(context, src.rank() - 2, attrs);
    context.require(attrs.groups >= 1, "groups is ", attrs.groups, ", expected 1 or more");
    const Dimension& first = wei[0];
    context.require(!first.is_static() || first.get_length() % attrs.groups == 0,
                    "the weights have shape ", to_string(wei), ", which ", attrs.groups,
                    " groups do not divide");
    for (std::size_t d = 2; d < wei.rank(); ++d) {
        context.require(!wei[d].is_static() || wei[d].get_length() >= 1, "the kernel has size 0");
    }
}

// src less its zero point, channels first.
std::vector<std::int32_t> filter_source(const EvalContext& context,
                                        const QuantizedFilterAttrs& attrs,
                                        const FilterLoops& loops);
// Stores sums [N, C, spatial...].
void store_filter_sums(EvalContext& context,
                       const QuantizedFilterAttrs& attrs,
                       const FilterLoops& loops,
                       std::vector<std::int64_t> sums,
                       const Shape& dst);

}  // namespace fuseq
