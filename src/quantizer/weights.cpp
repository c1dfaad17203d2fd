// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/weights.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fuseq::quantizer {
namespace {

// Scales from this share of the full range up are tried for the smallest squared error.
constexpr double kMinShare = 0.5;
constexpr int kShares = 50;

IntegerRange integers_of(const QuantizerOptions& options) {
    return options.weights_of_7_bits ? IntegerRange{-64, 63}
                                     : integer_range(options.weights_precision);
}

// Elements of each output channel, as runs of memory.
struct Run {
    std::size_t begin;
    std::size_t count;
};
std::vector<std::vector<Run>> runs_of(const ChannelOrder& order) {
    std::vector<std::vector<Run>> runs(order.count());
    order.for_each_run([&](std::size_t channel, std::size_t begin, std::size_t count) {
        runs[channel].push_back({begin, count});
    });
    return runs;
}

RealRange range_of(const float* values, const std::vector<Run>& runs) {
    RealRange range;  // 0 is in every range
    for (const Run& run : runs) {
        const auto [min, max] =
            std::minmax_element(values + run.begin, values + run.begin + run.count);
        range = {std::min(range.min, *min), std::max(range.max, *max)};
    }
    return range;
}

double squared_error(const float* values, const std::vector<Run>& runs, const ScaleAndOffset& s) {
    double sum = 0;
    for (const Run& run : runs) {
        for (std::size_t i = run.begin; i < run.begin + run.count; ++i) {
            const double error = static_cast<double>(values[i]) -
                                 static_cast<double>(s.dequantize(s.quantize(values[i])));
            sum += error * error;
        }
    }
    return sum;
}

ScaleAndOffset best_scale(const float* values,
                          const std::vector<Run>& runs,
                          RealRange range,
                          const QuantizerOptions& options) {
    const IntegerRange integers = integers_of(options);
    ScaleAndOffset best = choose_scale(range, options.weights_schema, integers);
    if (options.weights_calibration != Calibration::kMse) {
        return best;
    }
    double smallest = squared_error(values, runs, best);
    for (int i = kShares - 1; i >= 0; --i) {
        const double share = kMinShare + (1 - kMinShare) * i / kShares;
        const RealRange part{static_cast<float>(range.min * share),
                             static_cast<float>(range.max * share)};
        const ScaleAndOffset tried = choose_scale(part, options.weights_schema, integers);
        const double error = squared_error(values, runs, tried);
        if (error < smallest) {
            smallest = error;
            best = tried;
        }
    }
    return best;
}

}  // namespace

WeightScales choose_weight_scales(const Tensor& weights,
                                  const ChannelOrder& order,
                                  const QuantizerOptions& options,
                                  double share) {
    const float* values = weights.data<float>();
    const std::vector<std::vector<Run>> runs = runs_of(order);
    const auto choose = [&](const std::vector<Run>& part) {
        const RealRange range = range_of(values, part);
        return best_scale(
            values, part,
            {static_cast<float>(range.min * share), static_cast<float>(range.max * share)},
            options);
    };
    WeightScales scales;
    scales.per_channel = options.channelwise && runs.size() > 1;
    if (!scales.per_channel) {
        const std::vector<Run> all{{0, weights.get_size()}};
        scales.channels.assign(runs.size(), choose(all));
        return scales;
    }
    for (const std::vector<Run>& channel : runs) {
        scales.channels.push_back(choose(channel));
    }
    return scales;
}

QuantizerOptions weight_options_of(const Node& anchor, QuantizerOptions options) {
    if (options.rowwise && anchor.is("MatMul")) {
        options.weights_schema = QuantizationSchema::kAsymmetric;
        options.channelwise = true;
    }
    return options;
}

RoundedWeights rounded_weights(const Shape& shape,
                               const ChannelOrder& order,
                               const WeightScales& scales,
                               const std::vector<std::vector<std::int64_t>>& integers,
                               QuantizationPrecision precision) {
    const bool bytes = precision == QuantizationPrecision::kInt8;
    RoundedWeights rounded{Tensor(bytes ? ElementType::i8 : ElementType::i16, shape),
                           Tensor(ElementType::f32, shape)};
    float* values = rounded.values.data<float>();
    const auto write = [&](auto* to) {
        std::vector<std::size_t> done(order.count());
        order.for_each_run([&](std::size_t channel, std::size_t begin, std::size_t count) {
            for (std::size_t i = begin; i < begin + count; ++i) {
                const std::int64_t q = integers[channel][done[channel]++];
                to[i] = static_cast<std::remove_reference_t<decltype(*to)>>(q);
                values[i] = scales.channels[channel].dequantize(q);
            }
        });
    };
    if (bytes) {
        write(rounded.integers.data<std::int8_t>());
    } else {
        write(rounded.integers.data<std::int16_t>());
    }
    return rounded;
}

RoundedWeights round_weights(const Tensor& weights,
                             const ChannelOrder& order,
                             const WeightScales& scales,
                             QuantizationPrecision precision) {
    const float* from = weights.data<float>();
    std::vector<std::vector<std::int64_t>> integers(order.count());
    order.for_each_run([&](std::size_t channel, std::size_t begin, std::size_t count) {
        for (std::size_t i = begin; i < begin + count; ++i) {
            integers[channel].push_back(scales.channels[channel].quantize(from[i]));
        }
    });
    return rounded_weights(weights.get_shape(), order, scales, integers, precision);
}

namespace {

float own_scale(float bias, const IntegerRange& integers) {
    constexpr float kLeast = std::numeric_limits<float>::min();
    const double step =
        std::abs(static_cast<double>(bias)) / static_cast<double>(integers.max - integers.min);
    if (step < static_cast<double>(kLeast)) {
        return kLeast;  // any scale will do for next to nothing
    }
    const RealRange range{std::min(bias, 0.0f), std::max(bias, 0.0f)};
    return choose_scale(range, QuantizationSchema::kSymmetric, integers).scale;
}

}  // namespace

BiasScale choose_bias_scale(float bias,
                            float input_scale,
                            float weight_scale,
                            QuantizationPrecision precision) {
    const float product = input_scale * weight_scale;
    if (bias == 0 && product > 0) {
        return {product, std::nullopt};
    }
    const float own = own_scale(bias, integer_range(precision));
    if (product >= own) {
        return {product, std::nullopt};
    }
    if (precision != QuantizationPrecision::kInt32) {
        return {own, std::nullopt};
    }
    // The product must not end up below again by rounding.
    float raised = own / input_scale;
    if (raised * input_scale < own) {
        raised = std::nextafter(raised, std::numeric_limits<float>::infinity());
    }
    return {raised * input_scale, raised};
}

}  // namespace fuseq::quantizer
