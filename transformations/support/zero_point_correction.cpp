// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/support/zero_point_correction.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "ops/broadcast.hpp"
#include "ops/convolution.hpp"
#include "transformations/support/weights.hpp"

namespace fuseq {
namespace {

// Which taps of a one-dimensional window lie inside the source: [first, last).
struct Taps {
    std::int64_t first = 0;
    std::int64_t last = 0;
    auto operator<=>(const Taps&) const = default;
};

Taps taps_inside(const Window& window, std::int64_t position, std::int64_t size) {
    const std::int64_t start = position * window.stride - window.pad_begin;
    Taps taps{window.size, 0};
    for (std::int64_t k = 0; k < window.size; ++k) {
        const std::int64_t at = start + k * window.dilation;
        if (at >= 0 && at < size) {
            taps.first = std::min(taps.first, k);
            taps.last = k + 1;
        }
    }
    return taps.last == 0 ? Taps{0, 0} : taps;
}

// The convolution as three-dimensional; missing leading dimensions have size 1.
struct Geometry {
    Window window[3];
    std::vector<Taps> taps[3];  // of each output position of a dimension
    std::size_t channels = 0;   // OC
    std::size_t depth = 0;      // input channels of one output channel
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
    const auto windows = convolution_windows(conv.attrs<ConvolutionAttrs>(), sizes, wei);
    Geometry g;
    const std::size_t shift = 3 - spatial;
    for (std::size_t d = 0; d < shift; ++d) {
        g.taps[d] = {Taps{0, 1}};
    }
    for (std::size_t d = 0; d < spatial; ++d) {
        g.window[shift + d] = windows[d];
        for (std::int64_t i = 0; i < dst[d + 2].get_length(); ++i) {
            g.taps[shift + d].push_back(
                taps_inside(windows[d], i, static_cast<std::int64_t>(sizes[d + 2])));
        }
    }
    const std::size_t first = conv.is("GroupConvolution") ? 1 : 0;
    g.channels = wei[0] * (first == 1 ? wei[1] : 1);
    g.depth = wei[first + 1];
    return g;
}

// Sum of the weights of one output channel over a box of taps.
double box_sum(
    const Geometry& g, const std::int8_t* wei, const Taps& d, const Taps& h, const Taps& w) {
    double sum = 0;
    for (std::size_t c = 0; c < g.depth; ++c) {
        for (std::int64_t kd = d.first; kd < d.last; ++kd) {
            for (std::int64_t kh = h.first; kh < h.last; ++kh) {
                for (std::int64_t kw = w.first; kw < w.last; ++kw) {
                    sum += wei[(kd * g.window[1].size + kh) * g.window[2].size + kw];
                }
            }
        }
        wei += g.window[0].size * g.window[1].size * g.window[2].size;
    }
    return sum;
}

using BoxKey = std::array<Taps, 3>;

// Sums for every different box, computed once a channel.
class BoxSums {
public:
    BoxSums(const Geometry& g, const Tensor& weights, std::size_t channel)
        : g_(g),
          wei_(weights.data<std::int8_t>() +
               channel * (weights.get_size() / std::max<std::size_t>(g.channels, 1))) {}
    double operator()(const Taps& d, const Taps& h, const Taps& w) {
        const auto [it, added] = sums_.try_emplace(BoxKey{d, h, w}, 0.0);
        if (added) {
            it->second = box_sum(g_, wei_, d, h, w);
        }
        return it->second;
    }

private:
    const Geometry& g_;
    const std::int8_t* wei_;
    std::map<BoxKey, double> sums_;
};

std::vector<Taps> distinct(std::vector<Taps> taps) {
    std::sort(taps.begin(), taps.end());
    taps.erase(std::unique(taps.begin(), taps.end()), taps.end());
    return taps;
}

}  // namespace

std::vector<double> weight_sums(const Node& consumer, const Tensor& weights) {
    const std::vector<std::size_t> channels =
        output_channel_of_elements(consumer, weights.get_shape());
    const std::int8_t* values = weights.data<std::int8_t>();
    std::vector<double> sums;
    for (std::size_t i = 0; i < channels.size(); ++i) {
        if (channels[i] >= sums.size()) {
            sums.resize(channels[i] + 1, 0.0);
        }
        sums[channels[i]] += values[i];
    }
    return sums;
}

std::vector<double> largest_padded_sums(const Node& conv, const Tensor& weights) {
    const Geometry g = geometry_of(conv, weights);
    const std::vector<double> whole = weight_sums(conv, weights);
    const std::vector<Taps> taps[] = {distinct(g.taps[0]), distinct(g.taps[1]),
                                      distinct(g.taps[2])};
    std::vector<double> largest(g.channels, 0.0);
    for (std::size_t oc = 0; oc < g.channels; ++oc) {
        BoxSums sums(g, weights, oc);
        for (const Taps& d : taps[0]) {
            for (const Taps& h : taps[1]) {
                for (const Taps& w : taps[2]) {
                    largest[oc] = std::max(largest[oc], std::abs(whole[oc] - sums(d, h, w)));
                }
            }
        }
    }
    return largest;
}

std::vector<double> inside_sums(const Node& conv, const Tensor& weights) {
    const Geometry g = geometry_of(conv, weights);
    std::vector<double> values;
    values.reserve(g.channels * g.taps[0].size() * g.taps[1].size() * g.taps[2].size());
    for (std::size_t oc = 0; oc < g.channels; ++oc) {
        BoxSums sums(g, weights, oc);
        for (const Taps& d : g.taps[0]) {
            for (const Taps& h : g.taps[1]) {
                for (const Taps& w : g.taps[2]) {
                    values.push_back(sums(d, h, w));
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

bool has_padding(const Node& conv) {
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
