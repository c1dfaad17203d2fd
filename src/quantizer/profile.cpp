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

bool has_channels(const Shape& shape, std::size_t dim) {
    return shape.size() >= 2 && shape[dim] <= kMaxChannels;
}

// Ranges and sums of channels, which lie `run` values at a time in `batch` blocks.
void see_channels(TensorProfile& seen, std::span<const float> values, std::size_t batch) {
    const std::size_t count = seen.channels.size();
    const std::size_t run = values.size() / (batch * count);
    for (std::size_t n = 0; n < batch; ++n) {
        for (std::size_t c = 0; c < count; ++c) {
            const Statistics s = statistics(values.subspan((n * count + c) * run, run));
            const RealRange here{s.min, s.max};
            seen.channels[c] = n == 0 ? here : united(seen.channels[c], here);
            seen.channel_sums[c] += s.sum;
        }
    }
}

// The same for runs of one value.
void see_last_dimension(TensorProfile& seen, std::span<const float> values) {
    const std::size_t count = seen.channels.size();
    for (std::size_t c = 0; c < count; ++c) {
        seen.channels[c] = {values[c], values[c]};
    }
    for (std::size_t i = 0; i < values.size(); i += count) {
        for (std::size_t c = 0; c < count; ++c) {
            RealRange& range = seen.channels[c];
            const float value = values[i + c];
            range = {value < range.min ? value : range.min, value > range.max ? value : range.max};
            seen.channel_sums[c] += static_cast<double>(value);
        }
    }
}

[[noreturn]] void fail_not_finite(std::span<const float> values) {
    const auto bad =
        std::find_if(values.begin(), values.end(), [](float v) { return !std::isfinite(v); });
    throw Error("quantize", fmt::format("has the value {:g} at position {} of {}",
                                        bad == values.end() ? values[0] : *bad,
                                        bad - values.begin(), values.size()));
}

}  // namespace

void TensorProfile::add(std::span<const float> values,
                        const Shape& shape,
                        std::size_t channel_dim) {
    if (values.empty()) {
        return;
    }
    const bool known = has_channels(shape, channel_dim);
    TensorProfile seen;
    seen.histogram = Histogram(histogram.max_bins());
    seen.channels.resize(known ? shape[channel_dim] : 1);
    seen.channel_sums.resize(seen.channels.size());
    std::size_t batch = 1;
    for (std::size_t d = 0; known && d < channel_dim; ++d) {
        batch *= shape[d];
    }
    if (known && batch * seen.channels.size() == values.size()) {
        see_last_dimension(seen, values);
    } else {
        see_channels(seen, values, batch);
    }
    double sum = 0;
    seen.range = seen.channels[0];
    for (std::size_t c = 0; c < seen.channels.size(); ++c) {
        seen.range = united(seen.range, seen.channels[c]);
        sum += seen.channel_sums[c];
    }
    // Comparisons pass over NaN, a sum does not.
    if (!std::isfinite(sum) || !std::isfinite(seen.range.min) || !std::isfinite(seen.range.max)) {
        fail_not_finite(values);
    }
    seen.channel_count = values.size() / seen.channels.size();
    if (!known) {
        seen.channels.clear();
        seen.channel_sums.clear();
        seen.channel_count = 0;
    }
    seen.histogram.cover(seen.range);
    seen.histogram.add(values);
    merge(seen);
}

void TensorProfile::divide_channels(const std::vector<float>& factors) {
    for (std::size_t c = 0; c < channels.size(); ++c) {
        channels[c] = {channels[c].min / factors.at(c), channels[c].max / factors.at(c)};
        channel_sums[c] /= static_cast<double>(factors.at(c));
        range = c == 0 ? channels[c] : united(range, channels[c]);
    }
    histogram = Histogram(histogram.max_bins());
    histogram.cover(range);
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
