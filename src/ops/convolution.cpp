// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Convolution-1: src [N, C, spatial...], wei [OC, C, kernel...] -> dst [N, OC, spatial...]
// GroupConvolution-1: wei [G, OC/G, C/G, kernel...]
// Integer sources and weights (after the low-precision transformations) give f32; input 2 is then
// the zero point of src: src stands for (src - zero_point), padding for zero. It is one integer,
// or, of a depthwise convolution, one a channel. Input 3 is that of the weights, f32, one value or
// one a channel of dst: wei stands for (wei - zero_point).
#include "ops/convolution.hpp"

#include "ops/filter_operands.hpp"
#include "ops/op_list.hpp"

namespace fuseq {

std::vector<Window> convolution_windows(const ConvolutionAttrs& attrs,
                                        const Shape& src,
                                        const Shape& wei) {
    const std::size_t spatial = src.size() - 2;
    std::vector<Window> windows(spatial);
    for (std::size_t d = 0; d < spatial; ++d) {
        Window& w = windows[d];
        w.size = static_cast<std::int64_t>(wei[wei.size() - spatial + d]);
        w.stride = at_or(attrs.strides, d, 1);
        w.dilation = at_or(attrs.dilations, d, 1);
        w.pad_begin = at_or(attrs.pads_begin, d, 0);
        w.pad_end = at_or(attrs.pads_end, d, 0);
        resolve_padding(attrs.auto_pad, static_cast<std::int64_t>(src[d + 2]), w);
    }
    return windows;
}

Dimension convolution_size(const InferContext& context,
                           const ConvolutionAttrs& attrs,
                           std::size_t d,
                           const Dimension& in,
                           const Dimension& kernel) {
    const bool same =
        attrs.auto_pad == AutoPad::kSameUpper || attrs.auto_pad == AutoPad::kSameLower;
    const std::int64_t stride = at_or(attrs.strides, d, 1);
    if (in.is_dynamic() || kernel.is_dynamic()) {
        if (kernel.is_dynamic() && !same) {
            return Dimension::dynamic();
        }
    }
    Window window{kernel.is_static() ? kernel.get_length() : 1, stride,
                  at_or(attrs.dilations, d, 1), at_or(attrs.pads_begin, d, 0),
                  at_or(attrs.pads_end, d, 0)};
    context.require(window.size >= 1, "the kernel has size 0");
    const auto positions = [&](std::int64_t size) {
        Window w = window;
        resolve_padding(attrs.auto_pad, size, w);
        return window_positions(size, w);
    };
    if (in.is_static()) {
        const std::int64_t size = positions(in.get_length());
        context.require(size >= 1, "the kernel of extent ", window.extent(),
                        " does not fit into the padded src of size ", in.get_length(),
                        " (spatial dimension ", d, ")");
        return size;
    }
    const bool open = in.get_max_length() == Dimension::kUnbounded;
    return {positions(in.get_min_length()),
            open ? Dimension::kUnbounded : positions(in.get_max_length())};
}

}  // namespace fuseq

namespace fuseq::convolution_ops {
namespace {

bool grouped(const Node& node) {
    return node.is("GroupConvolution");
}

// Ranks, attributes and channels fit each other.
template <class Context>
void check_operands(const Context& context, const PartialShape& src, const PartialShape& wei) {
    const bool groups = grouped(context.node());
    check_filter_ranks(context, src, wei, groups);
    check_window_lists(context, src.rank() - 2, context.template attrs<ConvolutionAttrs>());
    check_filter_channels(context, src, wei, groups ? 2 : 1, groups);
}

void infer(InferContext& context) {
    const PartialShape& src = context.shape(0);
    const PartialShape& wei = context.shape(1);
    const ElementType type = filter_output_type(context, 2);
    const std::size_t extra = grouped(context.node()) ? 1 : 0;
    if (!wei.rank_is_static() || !src.rank_is_static()) {
        context.set_output(0, type, PartialShape::dynamic());
        return;
    }
    const std::size_t spatial = src.rank() - 2;
    check_operands(context, src, wei);
    PartialShape dst = src;
    dst[1] = extra ? wei[0] * wei[1] : wei[0];
    check_filter_zero_points(context, 2, src[1], dst[1]);
    for (std::size_t d = 0; d < spatial; ++d) {
        dst[d + 2] = convolution_size(context, context.attrs<ConvolutionAttrs>(), d, src[d + 2],
                                      wei[wei.rank() - spatial + d]);
    }
    context.set_output(0, type, dst);
}

// All convolutions as three-dimensional ones; missing leading dimensions have size 1.
struct Geometry {
    std::size_t batch, groups, ic, oc;  // channels of one group
    std::int64_t in[3]{1, 1, 1}, out[3]{1, 1, 1};
    Window window[3];
};

Geometry geometry(const Node& node,
                  const ConvolutionAttrs& attrs,
                  const Shape& src,
                  const Shape& wei) {
    const bool groups = grouped(node);
    Geometry g{};
    g.batch = src[0];
    g.groups = groups ? wei[0] : 1;
    g.oc = wei[groups ? 1 : 0];
    g.ic = wei[groups ? 2 : 1];
    const std::vector<Window> windows = convolution_windows(attrs, src, wei);
    const std::size_t shift = 3 - windows.size();
    for (std::size_t d = 0; d < windows.size(); ++d) {
        g.window[shift + d] = windows[d];
        g.in[shift + d] = static_cast<std::int64_t>(src[d + 2]);
        g.out[shift + d] = window_positions(g.in[shift + d], windows[d]);
    }
    return g;
}

template <class Src, class Wei>
double sum_window(const Geometry& g,
                  const Src* src,
                  const Wei* wei,
                  const std::int64_t at[3],
                  const ZeroPoints& zero_points,
                  std::size_t first_channel,
                  double wei_zero_point) {
    double sum = 0;
    for (std::size_t c = 0; c < g.ic; ++c) {
        const double zero_point = zero_points[first_channel + c];
        for (std::int64_t kd = 0; kd < g.window[0].size; ++kd) {
            const std::int64_t z = at[0] + kd * g.window[0].dilation;
            for (std::int64_t kh = 0; kh < g.window[1].size; ++kh) {
                const std::int64_t y = at[1] + kh * g.window[1].dilation;
                for (std::int64_t kw = 0; kw < g.window[2].size; ++kw, ++wei) {
                    const std::int64_t x = at[2] + kw * g.window[2].dilation;
                    if (z >= 0 && z < g.in[0] && y >= 0 && y < g.in[1] && x >= 0 && x < g.in[2]) {
                        const Src value = src[(z * g.in[1] + y) * g.in[2] + x];
                        sum += (static_cast<double>(value) - zero_point) *
                               (static_cast<double>(*wei) - wei_zero_point);
                    }
                }
            }
        }
        src += g.in[0] * g.in[1] * g.in[2];
    }
    return sum;
}

template <class Src, class Wei, class Dst>
void run(const Geometry& g,
         const Src* src,
         const Wei* wei,
         Dst* dst,
         const FilterZeroPoints& zero_points) {
    const std::int64_t in_size = g.in[0] * g.in[1] * g.in[2];
    const std::int64_t kernel = g.window[0].size * g.window[1].size * g.window[2].size;
    for (std::size_t n = 0; n < g.batch; ++n) {
        for (std::size_t oc = 0; oc < g.groups * g.oc; ++oc) {
            const std::size_t channel = oc / g.oc * g.ic;  // first one of the group
            const std::size_t first = n * g.groups * g.ic + channel;
            const Src* channels = src + static_cast<std::int64_t>(first) * in_size;
            const Wei* filter = wei + static_cast<std::int64_t>(oc * g.ic) * kernel;
            for (std::int64_t od = 0; od < g.out[0]; ++od) {
                for (std::int64_t oh = 0; oh < g.out[1]; ++oh) {
                    for (std::int64_t ow = 0; ow < g.out[2]; ++ow) {
                        const std::int64_t at[3] = {
                            od * g.window[0].stride - g.window[0].pad_begin,
                            oh * g.window[1].stride - g.window[1].pad_begin,
                            ow * g.window[2].stride - g.window[2].pad_begin};
                        *dst++ =
                            static_cast<Dst>(sum_window(g, channels, filter, at, zero_points.src,
                                                        channel, zero_points.wei[oc]));
                    }
                }
            }
        }
    }
}

void evaluate(EvalContext& context) {
    const Tensor& src = context.input(0);
    const Tensor& wei = context.input(1);
    check_operands(context, src.get_shape(), wei.get_shape());
    const Geometry g = geometry(context.node(), context.attrs<ConvolutionAttrs>(), src.get_shape(),
                                wei.get_shape());
    Shape shape = src.get_shape();
    shape[1] = g.groups * g.oc;
    for (std::size_t d = 2; d < shape.size(); ++d) {
        const std::int64_t size = g.out[3 - (shape.size() - 2) + d - 2];
        context.require(size >= 1, "the kernel does not fit into the padded src of size ", shape[d],
                        " (spatial dimension ", d - 2, ")");
        shape[d] = static_cast<std::size_t>(size);
    }
    Tensor& dst = context.output(0, shape);
    dispatch_filter(context, dst, 2,
                    [&](const auto* from, const auto* filters, auto* to, const auto& zero_points) {
                        run(g, from, filters, to, zero_points);
                    });
}

OpSpec row(std::string_view type, std::string_view summary) {
    return {.type = type,
            .version = 1,
            .inputs = {2, 2},
            .make_attributes = make_attributes<ConvolutionAttrs>,
            .infer = infer,
            .evaluate = evaluate,
            .summary = summary,
            .refused = "rank other than 3, 4, 5; strides or dilations below 1; negative pads",
            .binary_sources = 2};
}

const OpSpec kOps[] = {
    row("Convolution", "1D, 2D and 3D convolution"),
    row("GroupConvolution", "Convolution in groups, depthwise included"),
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::convolution_ops
