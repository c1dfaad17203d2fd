// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/diagnose_tensors.hpp"

#include <algorithm>
#include <cmath>

namespace fuseq::quantizer {
namespace {

// From where on something is said about it.
constexpr double kHighSaturation = 0.001;
constexpr double kManyUnused = 0.5;
constexpr double kWideSpread = 16;

// Share of counted values that lie more than half a step beyond the limits; bins count by their
// centers, as far as values were seen.
double saturation(const TensorProfile& seen, const ScaleAndOffset& scale) {
    const Histogram& histogram = seen.histogram;
    const double half = static_cast<double>(scale.scale) / 2;
    const RealRange limits = scale.limits();
    const std::uint64_t total = histogram.total();
    std::uint64_t outside = 0;
    for (std::size_t bin = 0; bin < histogram.counts().size(); ++bin) {
        const double center = std::clamp(histogram.center(bin), static_cast<double>(seen.range.min),
                                         static_cast<double>(seen.range.max));
        if (center < static_cast<double>(limits.min) - half ||
            center > static_cast<double>(limits.max) + half) {
            outside += histogram.counts()[bin];
        }
    }
    return total > 0 ? static_cast<double>(outside) / static_cast<double>(total) : 0;
}

// Levels that no value in the seen range gets.
std::size_t unused_levels(const ScaleAndOffset& scale, const RealRange& seen) {
    const std::int64_t used = scale.quantize(seen.max) - scale.quantize(seen.min) + 1;
    return static_cast<std::size_t>(std::max<std::int64_t>(0, scale.integers.levels() - used));
}

// The greatest magnitude of a channel over that of the median one; 1 where channels are not known.
double channel_spread(const std::vector<RealRange>& channels) {
    std::vector<float> magnitudes;
    magnitudes.reserve(channels.size());
    for (const RealRange& range : channels) {
        magnitudes.push_back(magnitude(range));
    }
    if (magnitudes.size() < 2) {
        return 1;
    }
    std::sort(magnitudes.begin(), magnitudes.end());
    const float median = magnitudes[magnitudes.size() / 2];
    return median > 0 ? static_cast<double>(magnitudes.back() / median) : 1;
}

std::string remedy_for(const QuantizedTensor& tensor, std::int64_t levels) {
    if (tensor.saturated > kHighSaturation) {
        return "values are clipped: -quantization_calibration none, or -headroom";
    }
    if (static_cast<double>(tensor.unused_levels) > kManyUnused * static_cast<double>(levels)) {
        return "levels are wasted: -quantization_schema asymmetric";
    }
    if (tensor.channel_spread > kWideSpread) {
        return "one channel sets the scale of all: equalization, or the layer in float";
    }
    return {};
}

}  // namespace

std::vector<QuantizedTensor> diagnose_tensors(const Placement& placement,
                                              const std::vector<PlaceScales>& scales,
                                              const Profile& profile) {
    std::vector<QuantizedTensor> result;
    for (std::size_t p = 0; p < placement.places.size(); ++p) {
        const std::string name = tensor_name(placement.places[p].tensor);
        const TensorProfile& seen = profile.tensors.at(name);
        const ScaleAndOffset& first = scales[p][0];
        QuantizedTensor tensor;
        tensor.name = name;
        tensor.scales = scales[p].size();
        tensor.low = first.limits().min;
        tensor.high = first.limits().max;
        if (scales[p].size() == 1) {
            tensor.saturated = saturation(seen, first);
            tensor.unused_levels = unused_levels(first, seen.range);
            tensor.channel_spread = channel_spread(seen.channels);
            tensor.remedy = remedy_for(tensor, first.integers.levels());
        }
        result.push_back(std::move(tensor));
    }
    return result;
}

}  // namespace fuseq::quantizer
