// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// QuantizedConvolution: src [N, C, spatial...] or [N, spatial..., C], weights
// [OC, C/groups, kernel...], bias -> dst. Padding counts as zero (the zero point of src).
//
//   sum = bias[oc] + sum of (src - zero point) * (weight - zero point[oc]), in 64 bits
//   dst = clamp(rule(sum, M[oc]) + zero point of dst)
#include <algorithm>

#include "ops/convolution.hpp"
#include "ops/op_list.hpp"
#include "ops/quantized/quantized_filter.hpp"

namespace fuseq::quantized_convolution_ops {
namespace {

ConvolutionAttrs as_convolution(const QuantizedFilterAttrs& attrs) {
    ConvolutionAttrs windows;
    windows.strides = attrs.strides;
    windows.dilations = attrs.dilations;
    windows.pads_begin = attrs.pads_begin;
    windows.pads_end = attrs.pads_end;
    windows.auto_pad = attrs.auto_pad;
    return windows;
}

template <class Context>
void check_shapes(const Context& context,
                  const QuantizedConvolutionAttrs& attrs,
                  const PartialShape& src,
                  const PartialShape& wei) {
    check_filter_shapes(context, attrs, src, wei);
    const Dimension expected = wei[1] * Dimension(attrs.groups);
    context.require(src[1].compatible(expected), "src has ", to_string(src[1]),
                    " channels, weights of shape ", to_string(wei), " expect ",
                    to_string(expected));
}

void infer(InferContext& context) {
    const auto& attrs = context.attrs<QuantizedConvolutionAttrs>();
    const PartialShape& wei = context.shape(1);
    check_product(context, attrs, wei.rank_is_static() ? wei[0] : Dimension::dynamic());
    if (!context.shape(0).rank_is_static() || !wei.rank_is_static()) {
        context.set_output(0, attrs.output_type, PartialShape::dynamic());
        return;
    }
    const PartialShape src = channels_first(context.shape(0), attrs.channels_last);
    check_shapes(context, attrs, src, wei);
    const ConvolutionAttrs windows = as_convolution(attrs);
    PartialShape dst = src;
    dst[1] = wei[0];
    for (std::size_t d = 2; d < src.rank(); ++d) {
        dst[d] = convolution_size(context, windows, d - 2, src[d], wei[d]);
    }
    context.set_output(0, attrs.output_type, channels_back(dst, attrs.channels_last));
}

FilterLoops loops_of(const EvalContext& context,
                     const QuantizedConvolutionAttrs& attrs,
                     const Shape& src,
                     const Shape& wei) {
    FilterLoops loops;
    loops.batch = src[0];
    loops.groups = static_cast<std::size_t>(attrs.groups);
    loops.ic = wei[1];
    loops.oc = wei[0] / loops.groups;
    const std::vector<Window> windows = windows_of(attrs, src, wei);
    for (std::size_t d = 0; d < windows.size(); ++d) {
        const std::size_t at = 3 - windows.size() + d;
        loops.window[at] = windows[d];
        loops.in[at] = static_cast<std::int64_t>(src[d + 2]);
        loops.out[at] = window_positions(loops.in[at], windows[d]);
        context.require(loops.out[at] >= 1, "the kernel does not fit into the padded src of size ",
                        loops.in[at], " (spatial dimension ", d, ")");
    }
    return loops;
}

// The window at `first` of every channel of a group, 0 in the padding.
void gather_window(const FilterLoops& l,
                   const std::int32_t* src,
                   const std::int64_t first[3],
                   std::int32_t* to) {
    for (std::size_t c = 0; c < l.ic; ++c, src += l.in_size()) {
        for (std::int64_t kd = 0; kd < l.window[0].size; ++kd) {
            const std::int64_t z = first[0] + kd * l.window[0].dilation;
            for (std::int64_t kh = 0; kh < l.window[1].size; ++kh) {
                const std::int64_t y = first[1] + kh * l.window[1].dilation;
                for (std::int64_t kw = 0; kw < l.window[2].size; ++kw) {
                    const std::int64_t x = first[2] + kw * l.window[2].dilation;
                    const bool inside =
                        z >= 0 && z < l.in[0] && y >= 0 && y < l.in[1] && x >= 0 && x < l.in[2];
                    *to++ = inside ? src[(z * l.in[1] + y) * l.in[2] + x] : 0;
                }
            }
        }
    }
}

void sum_position(const FilterLoops& l,
                  const std::vector<std::int32_t>& window,
                  const std::int32_t* weights,
                  std::int64_t* sums) {
    for (std::size_t oc = 0; oc < l.oc; ++oc, weights += window.size()) {
        std::int64_t sum = 0;
        for (std::size_t k = 0; k < window.size(); ++k) {
            sum += static_cast<std::int64_t>(window[k]) * weights[k];
        }
        sums[oc * l.out_size()] = sum;
    }
}

std::vector<std::int64_t> convolve(const FilterLoops& l,
                                   const std::vector<std::int32_t>& src,
                                   const std::vector<std::int32_t>& weights) {
    std::vector<std::int64_t> sums(l.batch * l.groups * l.oc * l.out_size());
    std::vector<std::int32_t> window(l.ic * l.kernel_size());
    for (std::size_t n = 0; n < l.batch; ++n) {
        for (std::size_t g = 0; g < l.groups; ++g) {
            const std::size_t group = n * l.groups + g;
            const std::int32_t* from = src.data() + group * l.ic * l.in_size();
            const std::int32_t* filters = weights.data() + g * l.oc * window.size();
            std::int64_t* to = sums.data() + group * l.oc * l.out_size();
            for (std::int64_t z = 0; z < l.out[0]; ++z) {
                for (std::int64_t y = 0; y < l.out[1]; ++y) {
                    for (std::int64_t x = 0; x < l.out[2]; ++x) {
                        const std::int64_t first[3] = {
                            z * l.window[0].stride - l.window[0].pad_begin,
                            y * l.window[1].stride - l.window[1].pad_begin,
                            x * l.window[2].stride - l.window[2].pad_begin};
                        gather_window(l, from, first, window.data());
                        sum_position(l, window, filters, to++);
                    }
                }
            }
        }
    }
    return sums;
}

void evaluate(EvalContext& context) {
    const auto& attrs = context.attrs<QuantizedConvolutionAttrs>();
    const Shape src = channels_first(context.input(0).get_shape(), attrs.channels_last).to_shape();
    const Shape& wei = context.input(1).get_shape();
    check_shapes(context, attrs, src, wei);
    const FilterLoops loops = loops_of(context, attrs, src, wei);
    const std::size_t filter = loops.ic * loops.kernel_size();
    const std::vector<std::int32_t> weights =
        centered_weights(context.input(1), attrs.weight_zero_points,
                         [&](std::size_t i) { return i / std::max<std::size_t>(filter, 1); });
    Shape dst = src;
    dst[1] = wei[0];
    for (std::size_t d = 2; d < dst.size(); ++d) {
        dst[d] = static_cast<std::size_t>(loops.out[5 - dst.size() + d - 2]);
    }
    store_filter_sums(context, attrs, loops,
                      convolve(loops, filter_source(context, attrs, loops), weights), dst);
}

const OpSpec kOps[] = {
    {.type = "QuantizedConvolution",
     .version = 1,
     .inputs = {2, 4},
     .make_attributes = make_attributes<QuantizedConvolutionAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "1D, 2D and 3D convolution of integers, requantized by the rule of a method",
     .refused = "rank other than 3, 4, 5; a method without a rule for it",
     .own_set = true},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::quantized_convolution_ops

namespace fuseq {

std::vector<Window> windows_of(const QuantizedConvolutionAttrs& attrs,
                               const Shape& src,
                               const Shape& wei) {
    return convolution_windows(quantized_convolution_ops::as_convolution(attrs), src, wei);
}

}  // namespace fuseq
