// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// QuantizedDeconvolution: src [N, IC, spatial...] or [N, spatial..., IC], weights
// [IC, OC/groups, kernel...], bias -> dst. Sums and rounding as QuantizedConvolution.
#include <optional>

#include "ops/deconvolution.hpp"
#include "ops/op_list.hpp"
#include "ops/quantized/quantized_filter.hpp"

namespace fuseq::quantized_deconvolution_ops {
namespace {

DeconvolutionAttrs as_deconvolution(const QuantizedDeconvolutionAttrs& attrs) {
    DeconvolutionAttrs windows;
    windows.strides = attrs.strides;
    windows.dilations = attrs.dilations;
    windows.pads_begin = attrs.pads_begin;
    windows.pads_end = attrs.pads_end;
    windows.auto_pad = attrs.auto_pad;
    windows.output_padding = attrs.output_padding;
    return windows;
}

template <class Context>
void check_shapes(const Context& context,
                  const QuantizedDeconvolutionAttrs& attrs,
                  const PartialShape& src,
                  const PartialShape& wei) {
    check_filter_shapes(context, attrs, src, wei);
    const std::size_t spatial = src.rank() - 2;
    check_window_list(context, "output_padding", spatial, attrs.output_padding, 0);
    check_window_list(context, "output_sizes", spatial, attrs.output_sizes, 1);
    context.require(src[1].compatible(wei[0]), "src has ", to_string(src[1]),
                    " channels, weights of shape ", to_string(wei), " expect ", to_string(wei[0]));
}

template <class Context>
void check_size(const Context& context, const DeconvolutionWindow& window, std::size_t d) {
    constexpr std::int64_t kLargest = std::int64_t{1} << 32;
    context.require(window.dst >= 1 && window.dst <= kLargest, "dst has size ", window.dst,
                    " in spatial dimension ", d);
}

void infer(InferContext& context) {
    const auto& attrs = context.attrs<QuantizedDeconvolutionAttrs>();
    const PartialShape& wei = context.shape(1);
    const Dimension channels =
        wei.rank_is_static() ? wei[1] * Dimension(attrs.groups) : Dimension::dynamic();
    check_product(context, attrs, channels);
    if (!context.shape(0).rank_is_static() || !wei.is_static()) {
        context.set_output(0, attrs.output_type, PartialShape::dynamic());
        return;
    }
    const PartialShape src = channels_first(context.shape(0), attrs.channels_last);
    check_shapes(context, attrs, src, wei);
    PartialShape dst = src;
    dst[1] = channels;
    for (std::size_t d = 2; d < src.rank(); ++d) {
        dst[d] = Dimension::dynamic();
        if (!attrs.output_sizes.empty()) {
            dst[d] = attrs.output_sizes[d - 2];
        } else if (src[d].is_static()) {
            Shape sizes(src.rank(), 1);
            sizes[d] = static_cast<std::size_t>(src[d].get_length());
            const DeconvolutionWindow window = windows_of(attrs, sizes, wei.to_shape()).at(d - 2);
            check_size(context, window, d - 2);
            dst[d] = window.dst;
        }
    }
    context.set_output(0, attrs.output_type, channels_back(dst, attrs.channels_last));
}

// Adds value * kernel to one plane of dst.
void add_kernel(const FilterLoops& l,
                const std::int64_t first[3],
                std::int64_t value,
                const std::int32_t* kernel,
                std::int64_t* dst) {
    for (std::int64_t kd = 0; kd < l.window[0].size; ++kd) {
        const std::int64_t z = first[0] + kd * l.window[0].dilation;
        for (std::int64_t kh = 0; kh < l.window[1].size; ++kh) {
            const std::int64_t y = first[1] + kh * l.window[1].dilation;
            for (std::int64_t kw = 0; kw < l.window[2].size; ++kw, ++kernel) {
                const std::int64_t x = first[2] + kw * l.window[2].dilation;
                if (z >= 0 && z < l.out[0] && y >= 0 && y < l.out[1] && x >= 0 && x < l.out[2]) {
                    dst[(z * l.out[1] + y) * l.out[2] + x] += value * *kernel;
                }
            }
        }
    }
}

// Adds one plane of src to all planes of dst of its group.
void add_plane(const FilterLoops& l,
               const std::int32_t* src,
               const std::int32_t* kernels,
               std::int64_t* sums) {
    for (std::int64_t z = 0; z < l.in[0]; ++z) {
        for (std::int64_t y = 0; y < l.in[1]; ++y) {
            for (std::int64_t x = 0; x < l.in[2]; ++x, ++src) {
                const std::int64_t first[3] = {z * l.window[0].stride - l.window[0].pad_begin,
                                               y * l.window[1].stride - l.window[1].pad_begin,
                                               x * l.window[2].stride - l.window[2].pad_begin};
                for (std::size_t oc = 0; oc < l.oc; ++oc) {
                    add_kernel(l, first, *src, kernels + oc * l.kernel_size(),
                               sums + oc * l.out_size());
                }
            }
        }
    }
}

void evaluate(EvalContext& context) {
    const auto& attrs = context.attrs<QuantizedDeconvolutionAttrs>();
    const Shape src = channels_first(context.input(0).get_shape(), attrs.channels_last).to_shape();
    const Shape& wei = context.input(1).get_shape();
    check_shapes(context, attrs, src, wei);
    FilterLoops l;
    l.batch = src[0];
    l.groups = static_cast<std::size_t>(attrs.groups);
    l.ic = src[1] / l.groups;
    l.oc = wei[1];
    Shape dst{src[0], l.groups * l.oc};
    const std::vector<DeconvolutionWindow> windows = windows_of(attrs, src, wei);
    for (std::size_t d = 0; d < windows.size(); ++d) {
        const std::size_t at = 3 - windows.size() + d;
        check_size(context, windows[d], d);
        l.in[at] = static_cast<std::int64_t>(src[d + 2]);
        l.out[at] = windows[d].dst;
        l.window[at] = windows[d].window;
        dst.push_back(static_cast<std::size_t>(windows[d].dst));
    }
    const std::vector<std::int32_t> from = filter_source(context, attrs, l);
    const std::vector<std::int32_t> weights =
        centered_weights(context.input(1), attrs.weight_zero_points, [&](std::size_t i) {
            const std::size_t plane = i / l.kernel_size();
            return plane / l.oc / l.ic * l.oc + plane % l.oc;
        });
    std::vector<std::int64_t> sums(shape_size(dst));
    for (std::size_t plane = 0; plane < l.batch * l.groups * l.ic; ++plane) {
        const std::size_t channel = plane % (l.groups * l.ic);
        add_plane(l, from.data() + plane * l.in_size(),
                  weights.data() + channel * l.oc * l.kernel_size(),
                  sums.data() + plane / l.ic * l.oc * l.out_size());
    }
    store_filter_sums(context, attrs, l, std::move(sums), dst);
}

const OpSpec kOps[] = {
    {.type = "QuantizedDeconvolution",
     .version = 1,
     .inputs = {2, 3},
     .make_attributes = make_attributes<QuantizedDeconvolutionAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "1D, 2D and 3D deconvolution of integers, requantized by the rule of a method",
     .refused = "rank other than 3, 4, 5; a method without a rule for it",
     .own_set = true},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::quantized_deconvolution_ops

namespace fuseq {

std::vector<DeconvolutionWindow> windows_of(const QuantizedDeconvolutionAttrs& attrs,
                                            const Shape& src,
                                            const Shape& wei) {
    const auto sizes =
        attrs.output_sizes.empty() ? std::nullopt : std::optional(attrs.output_sizes);
    return deconvolution_windows(quantized_deconvolution_ops::as_deconvolution(attrs), src, wei,
                                 sizes);
}

}  // namespace fuseq
