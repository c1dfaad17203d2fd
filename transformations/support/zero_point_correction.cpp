// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/support/zero_point_correction.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "ops/convolution.hpp"
#include "ops/deconvolution.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/rewrite.hpp"
#include "transformations/support/weights.hpp"

namespace fuseq {
namespace {

// The taps of a one-dimensional window that meet the source at one position, ascending.
using Taps = std::vector<std::int64_t>;

bool is_deconvolution(const Node& conv) {
    return is_one_of(conv, {"ConvolutionBackpropData", "GroupConvolutionBackpropData"});
}

bool is_grouped(const Node& conv) {
    return is_one_of(conv, {"GroupConvolution", "GroupConvolutionBackpropData"});
}

Taps taps_of_convolution(const Window& window, std::int64_t position, std::int64_t src) {
    Taps taps;
    for (std::int64_t k = 0; k < window.size; ++k) {
        const std::int64_t at = position * window.stride - window.pad_begin + k * window.dilation;
        if (at >= 0 && at < src) {
            taps.push_back(k);
        }
    }
    return taps;
}

Taps taps_of_deconvolution(const Window& window, std::int64_t position, std::int64_t src) {
    Taps taps;
    for (std::int64_t k = 0; k < window.size; ++k) {
        const std::int64_t at = position + window.pad_begin - k * window.dilation;
        if (at >= 0 && at % window.stride == 0 && at / window.stride < src) {
            taps.push_back(k);
        }
    }
    return taps;
}

// The windows of the spatial dimensions, padding resolved.
std::vector<Window> windows_of(const Node& conv, const Shape& src, const Shape& wei) {
    if (!is_deconvolution(conv)) {
        return convolution_windows(conv.attrs<ConvolutionAttrs>(), src, wei);
    }
    std::optional<std::vector<std::int64_t>> output_shape;
    if (conv.has_input(2)) {
        output_shape = to_ints(*evaluate_constant(conv.input(2)));
    }
    std::vector<Window> windows;
    for (const DeconvolutionWindow& w :
         deconvolution_windows(conv.attrs<DeconvolutionAttrs>(), src, wei, output_shape)) {
        windows.push_back(w.window);
    }
    return windows;
}

// As three-dimensional; missing leading dimensions have size 1.
struct Geometry {
    std::int64_t kernel[3]{1, 1, 1};
    std::vector<Taps> kinds[3];           // different sets of taps of a dimension
    std::vector<std::size_t> kind_at[3];  // of each output position of a dimension
    std::size_t channels = 0;             // OC
    std::size_t per_group = 0;            // output channels of a group
    std::size_t depth = 0;                // input channels of one output channel
    bool transposed = false;              // weights [depth, per_group, ...] in each group
    std::int64_t kernel_size() const { return kernel[0] * kernel[1] * kernel[2]; }
    // Number of the kernel of an output and an input channel among all kernels.
    std::size_t kernel_number(std::size_t oc, std::size_t ic) const {
        const std::size_t group = oc / per_group;
        const std::size_t first = group * per_group * depth;
        const std::size_t in_group = oc % per_group;
        return first + (transposed ? ic * per_group + in_group : in_group * depth + ic);
    }
};

Geometry geometry_of(const Node& conv, const Tensor& weights) {
    const PartialShape& src = conv.input(0).partial_shape();
    const PartialShape& dst = conv.port().shape;
    const std::size_t spatial = src.rank() - 2;
    // Batch and channels do not matter to the windows.
    Shape sizes(src.rank(), 1);
    for (std::size_t d = 0; d < spatial; ++d) {
        sizes[d + 2] = static_cast<std::size_t>(src[d + 2].get_length());
    }
    const Shape& wei = weights.get_shape();
    const std::vector<Window> windows = windows_of(conv, sizes, wei);
    const auto taps = is_deconvolution(conv) ? taps_of_deconvolution : taps_of_convolution;
    Geometry g;
    const std::size_t shift = 3 - spatial;
    for (std::size_t d = 0; d < shift; ++d) {
        g.kinds[d] = {Taps{0}};
        g.kind_at[d] = {0};
    }
    for (std::size_t d = 0; d < spatial; ++d) {
        g.kernel[shift + d] = windows[d].size;
        for (std::int64_t i = 0; i < dst[d + 2].get_length(); ++i) {
            const Taps met = taps(windows[d], i, src[d + 2].get_length());
            auto& kinds = g.kinds[shift + d];
            const auto found = std::find(kinds.begin(), kinds.end(), met);
            g.kind_at[shift + d].push_back(static_cast<std::size_t>(found - kinds.begin()));
            if (found == kinds.end()) {
                kinds.push_back(met);
            }
        }
    }
    const std::size_t first = is_grouped(conv) ? 1 : 0;
    g.transposed = is_deconvolution(conv);
    g.per_group = wei[first + (g.transposed ? 1 : 0)];
    g.depth = wei[first + (g.transposed ? 0 : 1)];
    g.channels = g.per_group * (first == 1 ? wei[0] : 1);
    return g;
}

// Sum of the weights of one output channel over a box of taps.
double box_sum(const Geometry& g,
               const IntegerWeights& weights,
               std::size_t oc,
               const std::array<const Taps*, 3>& box) {
    const auto taps =
        static_cast<double>(g.depth * box[0]->size() * box[1]->size() * box[2]->size());
    double sum = -weights.zero_point_of(oc) * taps;
    for (std::size_t ic = 0; ic < g.depth; ++ic) {
        const std::int8_t* kernel =
            weights.values.data<std::int8_t>() +
            static_cast<std::int64_t>(g.kernel_number(oc, ic)) * g.kernel_size();
        for (const std::int64_t d : *box[0]) {
            for (const std::int64_t h : *box[1]) {
                for (const std::int64_t w : *box[2]) {
                    sum += kernel[(d * g.kernel[1] + h) * g.kernel[2] + w];
                }
            }
        }
    }
    return sum;
}

// Sums of one output channel for all combinations of kinds, row-major.
std::vector<double> box_sums(const Geometry& g, const IntegerWeights& weights, std::size_t oc) {
    std::vector<double> sums;
    for (const Taps& d : g.kinds[0]) {
        for (const Taps& h : g.kinds[1]) {
            for (const Taps& w : g.kinds[2]) {
                sums.push_back(box_sum(g, weights, oc, {&d, &h, &w}));
            }
        }
    }
    return sums;
}

}  // namespace

std::vector<double> weight_sums(const Node& consumer, const IntegerWeights& weights) {
    const Tensor& values = weights.values;
    const ChannelOrder order = channel_order(consumer, values.get_shape());
    const auto taps = static_cast<double>(order.taps());
    std::vector<double> sums = channel_sums(order, values, false);
    for (std::size_t c = 0; c < sums.size(); ++c) {
        sums[c] -= weights.zero_point_of(c) * taps;
    }
    return sums;
}

std::vector<double> largest_missed_sums(const Node& conv, const IntegerWeights& weights) {
    const Geometry g = geometry_of(conv, weights.values);
    const std::vector<double> whole = weight_sums(conv, weights);
    std::vector<double> largest(g.channels, 0.0);
    for (std::size_t oc = 0; oc < g.channels; ++oc) {
        for (const double sum : box_sums(g, weights, oc)) {
            largest[oc] = std::max(largest[oc], std::abs(whole[oc] - sum));
        }
    }
    return largest;
}

std::vector<double> met_sums(const Node& conv, const IntegerWeights& weights) {
    const Geometry g = geometry_of(conv, weights.values);
    std::vector<double> values;
    values.reserve(g.channels * g.kind_at[0].size() * g.kind_at[1].size() * g.kind_at[2].size());
    for (std::size_t oc = 0; oc < g.channels; ++oc) {
        const std::vector<double> sums = box_sums(g, weights, oc);
        for (const std::size_t d : g.kind_at[0]) {
            for (const std::size_t h : g.kind_at[1]) {
                const std::size_t row = (d * g.kinds[1].size() + h) * g.kinds[2].size();
                for (const std::size_t w : g.kind_at[2]) {
                    values.push_back(sums[row + w]);
                }
            }
        }
    }
    return values;
}

bool has_static_spatial_shape(const Node& conv) {
    const PartialShape& src = conv.input(0).partial_shape();
    const PartialShape& dst = conv.port().shape;
    if (!src.rank_is_static() || !dst.rank_is_static()) {
        return false;
    }
    for (std::size_t d = 2; d < src.rank(); ++d) {
        if (src[d].is_dynamic() || dst[d].is_dynamic()) {
            return false;
        }
    }
    return true;
}

bool may_miss_source(const Node& conv) {
    if (is_deconvolution(conv)) {
        return true;
    }
    const auto& attrs = conv.attrs<ConvolutionAttrs>();
    if (attrs.auto_pad == AutoPad::kValid) {
        return false;
    }
    if (attrs.auto_pad == AutoPad::kSameUpper || attrs.auto_pad == AutoPad::kSameLower) {
        return true;
    }
    const auto positive = [](std::int64_t pad) { return pad != 0; };
    return std::any_of(attrs.pads_begin.begin(), attrs.pads_begin.end(), positive) ||
           std::any_of(attrs.pads_end.begin(), attrs.pads_end.end(), positive);
}

}  // namespace fuseq
