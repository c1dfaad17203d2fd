// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/learned_weights.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

#include "quantizer/second_order.hpp"

namespace fuseq::quantizer {
namespace {

// Narrower scales that are tried for every channel.
constexpr int kLearnedShares = 12;
constexpr double kMinLearnedShare = 0.55;
// Moments that are held at a time.
constexpr std::size_t kMaxMomentBytes = std::size_t{192} << 20;

// Weights of each output channel, in the order of memory.
using Rows = std::vector<std::vector<float>>;

Rows rows_of(const Tensor& weights, const ChannelOrder& order) {
    const float* values = weights.data<float>();
    Rows rows(order.count());
    order.for_each_run([&](std::size_t channel, std::size_t begin, std::size_t count) {
        rows[channel].insert(rows[channel].end(), values + begin, values + begin + count);
    });
    return rows;
}

using Integers = std::vector<std::vector<std::int64_t>>;

class Learner {
public:
    Learner(const Node& anchor,
            const QuantizerOptions& options,
            const std::vector<Moments>& learn,
            const std::vector<Moments>& judge)
        : weights_(anchor.input_node(1)->constant()),
          order_(channel_order(anchor, weights_.get_shape())),
          options_(weight_options_of(anchor, options)),
          learn_(learn),
          judge_(judge),
          rows_(rows_of(weights_, order_)) {}

    LearnedWeights run() {
        const WeightScales scales = choose_weight_scales(weights_, order_, options_);
        best_.error = -1;
        judge(scales, nearest(scales));
        best_.error_of_nearest = error_of_nearest_;
        if (options_.second_order_rounding) {
            for (const Moments& moments : learn_) {
                rounding_.emplace_back(moments, options_.bias_correction);
            }
            judge(scales, second_order(scales));
            if (scales.per_channel) {
                const WeightScales narrow = narrower(scales);
                judge(narrow, second_order(narrow));
            }
        }
        return std::move(best_);
    }

private:
    const Moments& moments_of(const std::vector<Moments>& all, std::size_t channel) const {
        return all[channel / order_.channels];
    }

    Integers nearest(const WeightScales& scales) const {
        Integers integers(rows_.size());
        for (std::size_t c = 0; c < rows_.size(); ++c) {
            for (const float weight : rows_[c]) {
                integers[c].push_back(scales.channels[c].quantize(weight));
            }
        }
        return integers;
    }

    Integers second_order(const WeightScales& scales) const {
        Integers integers;
        for (std::size_t c = 0; c < rows_.size(); ++c) {
            integers.push_back(rounding_[c / order_.channels].round(rows_[c], scales.channels[c]));
        }
        return integers;
    }

    // The scale of each channel with the smallest error, weights taken one by one.
    WeightScales narrower(const WeightScales& scales) const {
        WeightScales best = scales;
        std::vector<double> smallest(rows_.size());
        for (std::size_t c = 0; c < rows_.size(); ++c) {
            smallest[c] = separate_error(c, scales.channels[c]);
        }
        for (int i = kLearnedShares - 1; i >= 0; --i) {
            const double share = kMinLearnedShare + (1 - kMinLearnedShare) * i / kLearnedShares;
            const WeightScales tried = choose_weight_scales(weights_, order_, options_, share);
            for (std::size_t c = 0; c < rows_.size(); ++c) {
                const double error = separate_error(c, tried.channels[c]);
                if (error < smallest[c]) {
                    smallest[c] = error;
                    best.channels[c] = tried.channels[c];
                }
            }
        }
        return best;
    }

    double separate_error(std::size_t channel, const ScaleAndOffset& scale) const {
        const Moments& moments = moments_of(learn_, channel);
        double sum = 0;
        for (std::size_t i = 0; i < moments.taps; ++i) {
            const float weight = rows_[channel][i];
            const double error =
                static_cast<double>(scale.dequantize(scale.quantize(weight)) - weight);
            sum += error * error * moments.second(i, i);
        }
        return sum;
    }

    std::vector<float> errors_of(std::size_t channel,
                                 const ScaleAndOffset& scale,
                                 const std::vector<std::int64_t>& integers) const {
        std::vector<float> errors(integers.size());
        for (std::size_t i = 0; i < errors.size(); ++i) {
            errors[i] = scale.dequantize(integers[i]) - rows_[channel][i];
        }
        return errors;
    }

    // Keeps the integers if they are the best so far, without or with shifted biases.
    void judge(const WeightScales& scales, const Integers& integers) {
        double as_it_is = 0;
        double shifted = 0;
        std::vector<double> shifts(rows_.size());
        for (std::size_t c = 0; c < rows_.size(); ++c) {
            const std::vector<float> errors = errors_of(c, scales.channels[c], integers[c]);
            shifts[c] = mean_shift(moments_of(learn_, c), errors);
            const Moments& judging = moments_of(judge_, c);
            const double without = output_error(judging, errors, 0);
            as_it_is += without;
            // The error is quadratic in the shift. Rounding must not take it below nothing.
            shifted += std::max(
                without + shifts[c] * shifts[c] - 2 * shifts[c] * mean_shift(judging, errors), 0.0);
        }
        if (best_.error < 0) {
            error_of_nearest_ = as_it_is;
        }
        const bool shift = options_.bias_correction && shifted < as_it_is;
        const double error = shift ? shifted : as_it_is;
        if (best_.error < 0 || error < best_.error) {
            best_.error = error;
            best_.scales = scales;
            best_.rounded = rounded_weights(weights_.get_shape(), order_, scales, integers,
                                            options_.weights_precision);
            best_.shifts = shift ? shifts : std::vector<double>(rows_.size());
        }
    }

    const Tensor weights_;
    ChannelOrder order_;
    QuantizerOptions options_;
    const std::vector<Moments>& learn_;
    const std::vector<Moments>& judge_;
    Rows rows_;
    std::vector<RoundingOrder> rounding_;  // one a group
    LearnedWeights best_;
    double error_of_nearest_ = 0;
};

// The anchors from `begin` on whose moments fit into memory together; at least one.
std::vector<const Node*> next_part(const std::vector<const Node*>& anchors, std::size_t begin) {
    std::vector<const Node*> part;
    std::size_t bytes = 0;
    for (std::size_t i = begin; i < anchors.size(); ++i) {
        bytes += 2 * moments_bytes(*anchors[i]);
        if (!part.empty() && bytes > kMaxMomentBytes) {
            break;
        }
        part.push_back(anchors[i]);
    }
    return part;
}

}  // namespace

LearnedWeights learn_weights(const Node& anchor,
                             const QuantizerOptions& options,
                             const std::vector<Moments>& learn,
                             const std::vector<Moments>& judge) {
    return Learner(anchor, options, learn, judge).run();
}

LearnedLayers learn_layers(const Model& model,
                           const std::vector<const Node*>& anchors,
                           const QuantizerOptions& options,
                           const DataSplit& split,
                           const CalibrationInputs& inputs) {
    std::vector<const Node*> able;
    std::copy_if(anchors.begin(), anchors.end(), std::back_inserter(able),
                 [](const Node* anchor) { return has_moments(*anchor); });
    LearnedLayers result;
    for (std::size_t begin = 0; begin < able.size();) {
        const std::vector<const Node*> part = next_part(able, begin);
        begin += part.size();
        const MomentsOfLayers learn =
            collect_moments(model, part, options.device, split.learn, inputs);
        const MomentsOfLayers judge =
            collect_moments(model, part, options.device, split.judge, inputs);
        std::vector<LearnedWeights> learned(part.size());
        std::atomic<std::size_t> next{0};
        std::exception_ptr failure;
        std::mutex mutex;
        const auto work = [&] {
            try {
                for (std::size_t i = next++; i < part.size(); i = next++) {
                    const std::string& name = part[i]->name();
                    learned[i] = learn_weights(*part[i], options, learn.at(name), judge.at(name));
                }
            } catch (...) {
                const std::scoped_lock lock(mutex);
                failure = std::current_exception();
            }
        };
        std::vector<std::jthread> threads;
        for (unsigned i = 1; i < std::thread::hardware_concurrency(); ++i) {
            threads.emplace_back(work);
        }
        work();
        threads.clear();
        if (failure) {
            std::rethrow_exception(failure);
        }
        for (std::size_t i = 0; i < part.size(); ++i) {
            result.emplace(part[i]->name(), std::move(learned[i]));
        }
    }
    return result;
}

}  // namespace fuseq::quantizer
