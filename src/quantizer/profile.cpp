// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/profile.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "fuseq/error.hpp"

namespace fuseq::quantizer {
namespace {

// Of a run of values. Not finite when one of them is not.
struct Statistics {
    float min = 0;
    float max = 0;
    double sum = 0;
};

Statistics statistics(std::span<const float> values) {
    // Four of each: one chain of additions would wait for itself.
    constexpr std::size_t kLanes = 4;
    float min[kLanes];
    float max[kLanes];
    double sum[kLanes]{};
    std::fill_n(min, kLanes, values[0]);
    std::fill_n(max, kLanes, values[0]);
    std::size_t i = 0;
    for (; i + kLanes <= values.size(); i += kLanes) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            const float value = values[i + lane];
            min[lane] = value < min[lane] ? value : min[lane];
            max[lane] = value > max[lane] ? value : max[lane];
            sum[lane] += static_cast<double>(value);
        }
    }
    for (; i < values.size(); ++i) {
        min[0] = std::min(min[0], values[i]);
        max[0] = std::max(max[0], values[i]);
        sum[0] += static_cast<double>(values[i]);
    }
    return {*std::min_element(min, min + kLanes), *std::max_element(max, max + kLanes),
            (sum[0] + sum[1]) + (sum[2] + sum[3])};
}

RealRange united(const RealRange& a, const RealRange& b) {
    return {std::min(a.min, b.min), std::max(a.max, b.max)};
}

bool has_channels(const Shape& shape) {
    return shape.size() >= 2 && shape[1] <= kMostChannels;
}

[[noreturn]] void fail_not_finite(std::span<const float> values) {
    const auto bad =
        std::find_if(values.begin(), values.end(), [](float v) { return !std::isfinite(v); });
    throw Error("quantize", fmt::format("has the value {:g} at position {} of {}",
                                        bad == values.end() ? values[0] : *bad,
                                        bad - values.begin(), values.size()));
}

}  // namespace

void TensorProfile::add(std::span<const float> values, const Shape& shape) {
    if (values.empty()) {
        return;
    }
    TensorProfile seen;
    seen.histogram = Histogram(histogram.most_bins());
    const std::size_t count = has_channels(shape) ? shape[1] : 1;
    const std::size_t batch = has_channels(shape) ? shape[0] : 1;
    const std::size_t run = values.size() / (batch * count);
    seen.channels.resize(count);
    seen.channel_sums.resize(count);
    double sum = 0;
    for (std::size_t n = 0; n < batch; ++n) {
        for (std::size_t c = 0; c < count; ++c) {
            const Statistics s = statistics(values.subspan((n * count + c) * run, run));
            const RealRange seen_here{s.min, s.max};
            seen.channels[c] = n == 0 ? seen_here : united(seen.channels[c], seen_here);
            seen.channel_sums[c] += s.sum;
            seen.range = n + c == 0 ? seen_here : united(seen.range, seen_here);
            sum += s.sum;
        }
    }
    // Comparisons pass over NaN, a sum does not.
    if (!std::isfinite(sum) || !std::isfinite(seen.range.min) || !std::isfinite(seen.range.max)) {
        fail_not_finite(values);
    }
    seen.channel_count = batch * run;
    if (!has_channels(shape)) {
        seen.channels.clear();
        seen.channel_sums.clear();
        seen.channel_count = 0;
    }
    seen.histogram.cover(seen.range);
    seen.histogram.add(values);
    merge(seen);
}

void TensorProfile::merge(const TensorProfile& other) {
    if (other.empty()) {
        return;
    }
    if (empty()) {
        *this = other;
        return;
    }
    range = united(range, other.range);
    histogram.merge(other.histogram);
    if (channels.size() != other.channels.size()) {
        // Inputs of several shapes: no channel means the same in all of them.
        channels.clear();
        channel_sums.clear();
        channel_count = 0;
        return;
    }
    for (std::size_t c = 0; c < channels.size(); ++c) {
        channels[c] = united(channels[c], other.channels[c]);
        channel_sums[c] += other.channel_sums[c];
    }
    channel_count += other.channel_count;
}

void Profile::require_same_graph(const Profile& other, const std::string& what) const {
    const std::string difference = first_difference(graph, other.graph);
    if (!difference.empty()) {
        throw Error("quantize", fmt::format("{} belongs to another graph: {}", what, difference));
    }
    if (other.histogram_bins != histogram_bins) {
        throw Error("quantize", fmt::format("{} has histograms of {} bins, not {}", what,
                                            other.histogram_bins, histogram_bins));
    }
    if (other.not_lowered != not_lowered) {
        std::string kinds;
        for (const std::string& kind : other.not_lowered) {
            kinds += fmt::format("{}{}", kinds.empty() ? "" : ",", kind);
        }
        throw Error("quantize",
                    fmt::format("{} was made with -do_not_lower_nodes_for_profiling={}; what is "
                                "not lowered for profiling must not be lowered for quantizing",
                                what, kinds));
    }
}

void Profile::merge(const Profile& other) {
    require_same_graph(other, "the profile");
    for (const auto& [name, tensor] : other.tensors) {
        const auto [found, added] = tensors.emplace(name, tensor);
        if (!added) {
            found->second.merge(tensor);
        }
    }
    inputs += other.inputs;
}

}  // namespace fuseq::quantizer
