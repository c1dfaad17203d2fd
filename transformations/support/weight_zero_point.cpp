// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/support/weight_zero_point.hpp"

#include <algorithm>
#include <cmath>

#include "transformations/support/weights.hpp"

namespace fuseq {
namespace {

// Share of the results of an FQ that may round to another integer: about what check_layers.py of
// the oracle takes for ties, and a 4096th cost some models 4 to 7 % of their time.
constexpr double kHarmlessShare = 1.0 / (1 << 10);
// In groups, where the sums of windows cost as much as the layer itself.
constexpr double kHarmlessShareInGroups = 1.0 / (1 << 8);
// A sum that is moved by less than this part of what it could be: f32 resolves 2^-24 of it.
constexpr double kHarmlessPart = 1.0 / (1 << 20);

double largest_source(const Dequantize& src) {
    const double lowest = src.q.type() == ElementType::u8 ? 0 : -128;
    double largest = 0;
    for (const float z : src.zero_point.list()) {
        largest = std::max({largest, std::abs(lowest - z), std::abs(lowest + 255 - z)});
    }
    return largest;
}

}  // namespace

std::vector<float> zero_points_that_matter(const Node& consumer,
                                           const Dequantize& src,
                                           const IntegerWeights& weights,
                                           const ResultSteps& result) {
    if (weights.zero_point.empty()) {
        return {};
    }
    const ChannelOrder order = channel_order(consumer, weights.values.get_shape());
    const std::vector<double> magnitudes = channel_sums(order, weights.values, true);
    const double farthest = largest_source(src);
    const double share = order.groups > 1 ? kHarmlessShareInGroups : kHarmlessShare;
    const auto taps = static_cast<double>(order.taps());
    for (std::size_t c = 0; c < magnitudes.size(); ++c) {
        const double sum = std::abs(weights.zero_point_of(c)) * taps;
        const double scale = std::abs(result.scale[result.scale.size() == 1 ? 0 : c]);
        const bool harmless = result.step > 0 ? sum * farthest * scale <= share * result.step
                                              : sum <= kHarmlessPart * magnitudes[c];
        if (!harmless) {
            return weights.zero_point;
        }
    }
    return {};
}

}  // namespace fuseq
