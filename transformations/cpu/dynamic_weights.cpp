// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/cpu/dynamic_weights.hpp"

#include <algorithm>
#include <cstdlib>

#include "ops/quantized/quantized_run.hpp"

namespace fuseq {
namespace {

constexpr std::int64_t kMaxSum = 1 << 24;  // exact in f32

// Sums of the magnitudes of the weights of each channel, above and below 0.
struct Magnitudes {
    std::vector<std::int64_t> above;
    std::vector<std::int64_t> below;
};

Magnitudes magnitudes(const DynamicWeights& weights,
                      const WeightOrder& order,
                      std::size_t begin,
                      std::size_t end) {
    Magnitudes sums{std::vector<std::int64_t>(order.channels, 0),
                    std::vector<std::int64_t>(order.channels, 0)};
    order.for_each([&](std::size_t i, std::size_t channel, std::size_t input) {
        if (input >= begin && input < end) {
            const int w{weights.stored[i]};
            (w > 0 ? sums.above : sums.below)[channel] += std::abs(w);
        }
    });
    return sums;
}

bool is_exact(const DynamicWeights& weights,
              const WeightOrder& order,
              std::size_t begin,
              std::size_t end,
              ElementType source) {
    const IntegerLimits limits = integer_limits(source);
    const Magnitudes sums = magnitudes(weights, order, begin, end);
    const auto taps = static_cast<std::int64_t>((end - begin) * order.inner);
    if (!weights.shifts.empty() && taps * limits.highest > kMaxSum) {
        return false;
    }
    for (std::size_t c = 0; c < order.channels; ++c) {
        // u8 is never below 0: positive and negative weights do not add up then.
        const std::int64_t sum = limits.lowest == 0
                                     ? std::max(sums.above[c], sums.below[c]) * limits.highest
                                     : (sums.above[c] + sums.below[c]) * -limits.lowest;
        if (sum > kMaxSum) {
            return false;
        }
    }
    return true;
}

}  // namespace

DynamicWeights dynamic_weights(const Tensor& tensor,
                               const std::vector<std::int64_t>& zero_points,
                               const WeightOrder& order) {
    const auto zero_of = [&](std::size_t c) {
        return zero_points.empty() ? 0 : zero_points[zero_points.size() > 1 ? c : 0];
    };
    const std::vector<std::int32_t> values = integers(tensor);
    const std::int64_t offset = tensor.get_element_type() == ElementType::u8 ? 128 : 0;
    DynamicWeights weights{values, {}, {}};
    order.for_each([&](std::size_t i, std::size_t channel, std::size_t) {
        weights.centered[i] = static_cast<std::int32_t>(values[i] - zero_of(channel));
    });
    const bool fit = std::all_of(weights.centered.begin(), weights.centered.end(),
                                 [](std::int32_t w) { return w >= -128 && w <= 127; });
    weights.stored.reserve(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        weights.stored.push_back(
            static_cast<std::int8_t>(fit ? weights.centered[i] : values[i] - offset));
    }
    for (std::size_t c = 0; !fit && c < order.channels; ++c) {
        weights.shifts.push_back(offset - zero_of(c));
    }
    return weights;
}

std::vector<std::size_t> exact_parts(const DynamicWeights& weights,
                                     const WeightOrder& order,
                                     ElementType source,
                                     std::size_t max_parts) {
    for (std::size_t count = 1; count <= std::min(max_parts, order.inputs); ++count) {
        std::vector<std::size_t> cuts{0};
        for (std::size_t p = 1; p <= count; ++p) {
            const std::size_t end = order.inputs * p / count;
            if (!is_exact(weights, order, cuts.back(), end, source)) {
                break;
            }
            cuts.push_back(end);
        }
        if (cuts.size() == count + 1) {
            return cuts;
        }
    }
    return {};
}

std::vector<std::int8_t> part_of(const DynamicWeights& weights,
                                 const WeightOrder& order,
                                 std::size_t begin,
                                 std::size_t end) {
    std::vector<std::int8_t> part;
    part.reserve((end - begin) * order.inner * (order.channels + 1));
    order.for_each([&](std::size_t i, std::size_t channel, std::size_t input) {
        if (input < begin || input >= end) {
            return;
        }
        part.push_back(weights.stored[i]);
        const bool last = !order.channels_first && channel == order.channels - 1;
        if (last && !weights.shifts.empty()) {
            part.push_back(1);
        }
    });
    if (order.channels_first && !weights.shifts.empty()) {
        part.insert(part.end(), (end - begin) * order.inner, std::int8_t{1});
    }
    return part;
}

}  // namespace fuseq
