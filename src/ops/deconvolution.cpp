// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// ConvolutionBackpropData-1: src [N, IC, spatial...], wei [IC, OC, kernel...] -> dst [N, OC, ...]
// GroupConvolutionBackpropData-1: wei [G, IC/G, OC/G, kernel...]
// Input 2, optional, is the spatial shape of dst; the padding follows from it. Integer sources and
// weights (after the low-precision transformations) give f32; input 3 is then the zero point of
// src, and input 4 that of the weights, f32, one value or one a channel of dst.
#include "ops/deconvolution.hpp"

#include <algorithm>

#include "ops/filter_operands.hpp"
#include "ops/op_list.hpp"
#include "ops/shape_values.hpp"

namespace fuseq::deconvolution_ops {
namespace {

bool grouped(const Node& node) {
    return node.is("GroupConvolutionBackpropData");
}

bool is_explicit(AutoPad auto_pad) {
    return auto_pad == AutoPad::kExplicit || auto_pad == AutoPad::kNotset;
}

// Size of dst before padding is cut off.
std::int64_t full_size(const Window& window, std::int64_t src) {
    return src == 0 ? 0 : (src - 1) * window.stride + window.extent();
}

// Padding of a dst of given size: what the full result has too much is shared between both ends.
void share_padding(AutoPad auto_pad,
                   std::int64_t total,
                   std::size_t d,
                   const DeconvolutionAttrs& attrs,
                   Window& w) {
    if (auto_pad == AutoPad::kValid) {
        w.pad_begin = 0;
    } else if (is_explicit(auto_pad) && !attrs.pads_begin.empty()) {
        w.pad_begin = at_or(attrs.pads_begin, d, 0);
    } else {
        const std::int64_t cut = std::max<std::int64_t>(0, total);
        // Of an odd amount, same_upper takes the larger part at the beginning (sic: the definition
        // of the operation, the opposite of a convolution's).
        w.pad_begin = auto_pad == AutoPad::kSameUpper ? cut - cut / 2 : cut / 2;
    }
    w.pad_end = total - w.pad_begin;
}

DeconvolutionWindow resolve(const DeconvolutionAttrs& attrs,
                            std::size_t d,
                            std::int64_t kernel,
                            std::int64_t src,
                            std::optional<std::int64_t> wanted) {
    DeconvolutionWindow result;
    Window& w = result.window;
    w.size = kernel;
    w.stride = at_or(attrs.strides, d, 1);
    w.dilation = at_or(attrs.dilations, d, 1);
    const std::int64_t full = full_size(w, src) + at_or(attrs.output_padding, d, 0);
    if (wanted) {
        result.dst = *wanted;
        share_padding(attrs.auto_pad, full - *wanted, d, attrs, w);
        return result;
    }
    if (is_explicit(attrs.auto_pad)) {
        w.pad_begin = at_or(attrs.pads_begin, d, 0);
        w.pad_end = at_or(attrs.pads_end, d, 0);
    }
    result.dst = full - w.pad_begin - w.pad_end;
    return result;
}

// Sizes beyond this are mistakes; it keeps all products far from overflow.
constexpr std::int64_t kLargestSize = std::int64_t{1} << 32;

template <class Context>
void check_output_shape(const Context& context,
                        const std::vector<std::int64_t>& sizes,
                        std::size_t spatial) {
    context.require(sizes.size() == spatial, "output_shape has ", sizes.size(),
                    " values, expected ", spatial);
    for (const std::int64_t size : sizes) {
        context.require(size >= 1 && size <= kLargestSize, "output_shape has the value ", size,
                        ", expected one in [1, ", kLargestSize, "]");
    }
}

template <class Context>
void check_dst(const Context& context, std::int64_t dst, std::int64_t src, std::size_t d) {
    context.require(dst >= 1, "dst has size ", dst, " in spatial dimension ", d,
                    ": the padding is larger than the result for a src of size ", src);
}

template <class Context>
void check_operands(const Context& context, const PartialShape& src, const PartialShape& wei) {
    const bool groups = grouped(context.node());
    check_filter_ranks(context, src, wei, groups);
    const auto& attrs = context.template attrs<DeconvolutionAttrs>();
    check_window_lists(context, src.rank() - 2, attrs);
    check_window_list(context, "output_padding", src.rank() - 2, attrs.output_padding, 0);
    check_filter_channels(context, src, wei, groups ? 1 : 0, groups);
    for (std::size_t d = wei.rank() - (src.rank() - 2); d < wei.rank(); ++d) {
        context.require(!wei[d].is_static() || wei[d].get_length() >= 1, "the kernel has size ",
                        to_string(wei[d]));
    }
}

Dimension output_size(const InferContext& context,
                      std::size_t d,
                      const Dimension& src,
                      const Dimension& kernel) {
    const auto& attrs = context.attrs<DeconvolutionAttrs>();
    if (kernel.is_dynamic()) {
        return Dimension::dynamic();
    }
    const std::int64_t taps = kernel.get_length();
    context.require(taps >= 1 && taps <= kLargestSize, "the kernel has size ", taps);
    const auto size = [&](std::int64_t in) {
        context.require(in <= kLargestSize, "src has size ", in);
        return resolve(attrs, d, taps, in, std::nullopt).dst;
    };
    if (src.is_static()) {
        const std::int64_t dst = size(src.get_length());
        check_dst(context, dst, src.get_length(), d);
        return dst;
    }
    const bool open =
        src.get_max_length() == Dimension::kUnbounded || src.get_max_length() > kLargestSize;
    const std::int64_t low =
        size(std::min<std::int64_t>(std::max<std::int64_t>(1, src.get_min_length()), kLargestSize));
    return {std::max<std::int64_t>(0, low),
            open ? Dimension::kUnbounded : std::max<std::int64_t>(0, size(src.get_max_length()))};
}

void infer(InferContext& context) {
    const ElementType type = filter_output_type(context, 3);
    const PartialShape& src = context.shape(0);
    const PartialShape& wei = context.shape(1);
    if (!src.rank_is_static() || !wei.rank_is_static()) {
        context.set_output(0, type, PartialShape::dynamic());
        return;
    }
    check_operands(context, src, wei);
    const std::size_t spatial = src.rank() - 2;
    PartialShape dst = src;
    dst[1] = grouped(context.node()) ? wei[0] * wei[2] : wei[1];
    check_filter_zero_points(context, 3, src[1], dst[1]);
    std::optional<std::vector<std::int64_t>> wanted;
    std::optional<std::vector<Dimension>> open;
    if (context.has_input(2)) {
        require_int_list(context, 2, "output_shape");
        wanted = context.ints(2);
        open = shape_values(context, 2);
    }
    if (wanted) {
        check_output_shape(context, *wanted, spatial);
    }
    for (std::size_t d = 0; d < spatial; ++d) {
        if (context.has_input(2)) {
            dst[d + 2] = open && open->size() == spatial ? (*open)[d] : Dimension::dynamic();
        } else {
            dst[d + 2] = output_size(context, d, src[d + 2], wei[wei.rank() - spatial + d]);
        }
    }
    context.set_output(0, type, dst);
}

// Everything as three spatial dimensions; missing leading ones have size 1.
struct Loops {
    std::int64_t batch, groups, ic, oc;  // channels of one group
    std::int64_t src[3]{1, 1, 1}, dst[3]{1, 1, 1};
    Window window[3];
    Shape shape;  // of dst
};

Loops loops_of(const EvalContext& context) {
    const Shape& src = context.input(0).get_shape();
    const Shape& wei = context.input(1).get_shape();
    check_operands(context, src, wei);
    std::optional<std::vector<std::int64_t>> wanted;
    if (context.has_input(2)) {
        wanted = to_ints(context.input(2));
        check_output_shape(context, *wanted, src.size() - 2);
    }
    const std::size_t first = grouped(context.node()) ? 1 : 0;
    Loops loops{};
    loops.batch = static_cast<std::int64_t>(src[0]);
    loops.groups = first == 1 ? static_cast<std::int64_t>(wei[0]) : 1;
    loops.ic = static_cast<std::int64_t>(wei[first]);
    loops.oc = static_cast<std::int64_t>(wei[first + 1]);
    loops.shape = {src[0], static_cast<std::size_t>(loops.groups * loops.oc)};
    const auto windows =
        deconvolution_windows(context.attrs<DeconvolutionAttrs>(), src, wei, wanted);
    for (std::size_t d = 0; d < windows.size(); ++d) {
        const std::size_t at = 3 - windows.size() + d;
        loops.src[at] = static_cast<std::int64_t>(src[d + 2]);
        loops.dst[at] = windows[d].dst;
        loops.window[at] = windows[d].window;
        check_dst(context, loops.dst[at], loops.src[at], d);
        loops.shape.push_back(static_cast<std::size_t>(loops.dst[at]));
    }
    return loops;
}

// Adds value * kernel to the plane of dst, from the place of the element `at` of src on.
template <class Wei>
void add_kernel(const Loops& l,
                const std::int64_t at[3],
                double value,
                const Wei* wei,
                double wei_zero_point,
                double* dst) {
    const auto place = [&](std::size_t d, std::int64_t k) {
        return at[d] * l.window[d].stride - l.window[d].pad_begin + k * l.window[d].dilation;
    };
    const auto inside = [&](std::size_t d, std::int64_t p) { return p >= 0 && p < l.dst[d]; };
    for (std::int64_t kd = 0; kd < l.window[0].size; ++kd) {
        const std::int64_t z = place(0, kd);
        for (std::int64_t kh = 0; kh < l.window[1].size; ++kh) {
            const std::int64_t y = place(1, kh);
            for (std::int64_t kw = 0; kw < l.window[2].size; ++kw, ++wei) {
                const std::int64_t x = place(2, kw);
                if (inside(0, z) && inside(1, y) && inside(2, x)) {
                    dst[(z * l.dst[1] + y) * l.dst[2] + x] +=
                        value * (static_cast<double>(*wei) - wei_zero_point);
                }
            }
        }
    }
}

struct PlaneZeroPoints {
    double src, wei;
};

// One plane of src through one kernel into one plane of dst.
template <class Src, class Wei>
void add_plane(const Loops& l,
               const Src* src,
               const Wei* wei,
               const PlaneZeroPoints& zero_points,
               double* dst) {
    std::int64_t at[3];
    for (at[0] = 0; at[0] < l.src[0]; ++at[0]) {
        for (at[1] = 0; at[1] < l.src[1]; ++at[1]) {
            for (at[2] = 0; at[2] < l.src[2]; ++at[2]) {
                add_kernel(l, at, static_cast<double>(*src++) - zero_points.src, wei,
                           zero_points.wei, dst);
            }
        }
    }
}

template <class Src, class Wei, class Dst>
void run(
    const Loops& l, const Src* src, const Wei* wei, Dst* dst, const FilterZeroPoints& zero_points) {
    const std::int64_t src_plane = l.src[0] * l.src[1] * l.src[2];
    const std::int64_t taps = l.window[0].size * l.window[1].size * l.window[2].size;
    std::vector<double> sums(static_cast<std::size_t>(l.dst[0] * l.dst[1] * l.dst[2]));
    for (std::int64_t n = 0; n < l.batch; ++n) {
        for (std::int64_t oc = 0; oc < l.groups * l.oc; ++oc) {
            const std::int64_t group = oc / l.oc;
            std::fill(sums.begin(), sums.end(), 0.0);
            for (std::int64_t ic = 0; ic < l.ic; ++ic) {
                const Src* plane = src + ((n * l.groups + group) * l.ic + ic) * src_plane;
                const Wei* kernel = wei + ((group * l.ic + ic) * l.oc + oc % l.oc) * taps;
                const auto channel = static_cast<std::size_t>(group * l.ic + ic);
                add_plane(l, plane, kernel,
                          {zero_points.src[channel], zero_points.wei[static_cast<std::size_t>(oc)]},
                          sums.data());
            }
            dst = std::transform(sums.begin(), sums.end(), dst,
                                 [](double sum) { return static_cast<Dst>(sum); });
        }
    }
}

void evaluate(EvalContext& context) {
    const Loops loops = loops_of(context);
    dispatch_filter(context, context.output(0, loops.shape), 3,
                    [&](const auto* src, const auto* wei, auto* dst, const auto& zero_points) {
                        run(loops, src, wei, dst, zero_points);
                    });
}

OpSpec row(std::string_view type, std::string_view summary) {
    return {.type = type,
            .version = 1,
            .inputs = {2, 3},
            .make_attributes = make_attributes<DeconvolutionAttrs>,
            .infer = infer,
            .evaluate = evaluate,
            .summary = summary,
            .refused =
                "rank other than 3, 4, 5; strides or dilations below 1; negative pads or "
                "output_padding",
            .binary_sources = 2};
}

const OpSpec kOps[] = {
    row("ConvolutionBackpropData", "1D, 2D and 3D deconvolution (transposed convolution)"),
    row("GroupConvolutionBackpropData", "Deconvolution in groups, depthwise included"),
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::deconvolution_ops

namespace fuseq {

std::vector<DeconvolutionWindow> deconvolution_windows(
    const DeconvolutionAttrs& attrs,
    const Shape& src,
    const Shape& wei,
    const std::optional<std::vector<std::int64_t>>& output_shape) {
    const std::size_t spatial = src.size() - 2;
    std::vector<DeconvolutionWindow> windows;
    for (std::size_t d = 0; d < spatial; ++d) {
        windows.push_back(deconvolution_ops::resolve(
            attrs, d, static_cast<std::int64_t>(wei.at(wei.size() - spatial + d)),
            static_cast<std::int64_t>(src[d + 2]),
            output_shape ? std::optional(output_shape->at(d)) : std::nullopt));
    }
    return windows;
}

}  // namespace fuseq
