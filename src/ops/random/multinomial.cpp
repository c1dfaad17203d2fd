// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Multinomial-13: classes drawn with the given probabilities, a row a batch element.
//
// As the specification and OpenVINO's reference have it: element i of the output belongs to the
// i-th double in [0, 1) of Philox with the two seeds, and is the first class whose cumulative
// probability reaches it. Each run draws the same; seeds that are both 0 draw
// other numbers in each run. (The CPU device of OpenVINO takes other numbers, of single precision.)
#include "ops/random/multinomial.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "model/typed.hpp"
#include "ops/axis_groups.hpp"
#include "ops/op_list.hpp"
#include "ops/random/seeds.hpp"
#include "ops/scalars.hpp"
#include "ops/stated_sizes.hpp"

namespace fuseq::multinomial_ops {
namespace {

constexpr std::int64_t kMaxSamples = std::int64_t{1} << 31;

template <class Context>
void check_samples(const Context& context, std::int64_t samples) {
    context.require(samples >= 0 && samples <= kMaxSamples, "num_samples is ", samples,
                    ", expected a value in [0, ", kMaxSamples, "]");
}

template <class Context>
void check_classes(const Context& context, std::int64_t samples, std::int64_t classes) {
    context.require(
        context.template attrs<MultinomialAttrs>().with_replacement || samples <= classes,
        "num_samples is ", samples, ", without replacement only ", classes,
        " classes can be drawn");
}

void infer(InferContext& context) {
    const auto& attrs = context.attrs<MultinomialAttrs>();
    check_seeds(context, attrs);
    const ElementType type = attrs.convert_type;
    context.require(type == ElementType::i32 || type == ElementType::i64, "convert_type is ",
                    to_string(type), ", expected i32 or i64");
    require_real(context, 0, "probs");
    require_int_scalar(context, 1, "num_samples");
    const PartialShape& probs = context.shape(0);
    context.require(probs.compatible(PartialShape::dynamic(2)), "probs has shape ",
                    to_string(probs), ", expected [batch, classes]");
    const bool ranked = probs.rank_is_static();
    const auto samples = known_int(context, 1, 0);
    if (samples) {
        check_samples(context, *samples);
        if (ranked && probs[1].is_static()) {
            check_classes(context, *samples, probs[1].get_length());
        }
    }
    context.set_output(0, type,
                       PartialShape{ranked ? probs[0] : Dimension::dynamic(),
                                    samples ? Dimension(*samples) : Dimension::dynamic()});
}

// The weights of the classes of one batch element, proportional to their probabilities.
template <class T>
std::vector<double> weights_of(const EvalContext& context, const T* probs, std::size_t classes) {
    std::vector<double> weights(probs, probs + classes);
    if (context.attrs<MultinomialAttrs>().log_probs) {
        // Relative to the largest: exp() of it alone may be infinite.
        const double max_value = *std::max_element(weights.begin(), weights.end());
        for (double& weight : weights) {
            context.require(!std::isnan(weight) && std::isfinite(max_value),
                            "probs has the logarithm ", weight, ", expected finite values");
            weight = std::exp(weight - max_value);
        }
    }
    double sum = 0;
    for (const double weight : weights) {
        context.require(std::isfinite(weight) && weight >= 0, "probs has the value ", weight,
                        ", expected finite values, 0 or more");
        sum += weight;
    }
    context.require(sum > 0, "all values of probs are 0");
    return weights;
}

// The first class whose cumulative weight reaches the part `sample` of the whole; never one of
// weight 0.
std::size_t class_of(const std::vector<double>& weights, double sample) {
    double sum = 0;
    for (const double weight : weights) {
        sum += weight;
    }
    std::size_t last = weights.size();
    double reached = 0;
    for (std::size_t c = 0; c < weights.size(); ++c) {
        reached += weights[c];
        if (weights[c] > 0) {
            last = c;
            if (sample * sum <= reached) {
                break;
            }
        }
    }
    return last;
}

// The i-th double of the sequence.
double unit_sample(const PhiloxKey& key, std::size_t i) {
    const auto group = philox(key, i / 2);
    return i % 2 == 0 ? philox_double(group[0], group[1]) : philox_double(group[2], group[3]);
}

template <class T>
void draw(EvalContext& context, std::size_t samples, std::vector<std::int64_t>& drawn) {
    const Tensor& probs = context.input(0);
    const std::size_t batch = probs.get_shape()[0];
    const std::size_t classes = probs.get_shape()[1];
    const auto& attrs = context.attrs<MultinomialAttrs>();
    const PhiloxKey key = key_of(attrs);
    for (std::size_t b = 0; b < batch && samples > 0; ++b) {
        std::vector<double> weights = weights_of(context, probs.data<T>() + b * classes, classes);
        for (std::size_t s = 0; s < samples; ++s) {
            const std::size_t drawn_class = class_of(weights, unit_sample(key, drawn.size()));
            context.require(drawn_class < classes, "probs has ", s,
                            " values above 0, without replacement ", samples,
                            " classes cannot be drawn");
            drawn.push_back(static_cast<std::int64_t>(drawn_class));
            if (!attrs.with_replacement) {
                weights[drawn_class] = 0;
            }
        }
    }
}

void evaluate(EvalContext& context) {
    const Shape& shape = context.input(0).get_shape();
    context.require(shape.size() == 2, "probs has shape ", to_string(shape),
                    ", expected [batch, classes]");
    const std::int64_t samples = int_input(context, 1, "num_samples", 0);
    check_samples(context, samples);
    check_classes(context, samples, static_cast<std::int64_t>(shape[1]));
    const auto count = static_cast<std::size_t>(samples);
    context.require(shape[1] > 0 || count == 0 || shape[0] == 0, "probs has no classes");
    const Shape drawn_shape{shape[0], count};
    check_element_count(context, drawn_shape, "the result");
    Tensor& out = context.output(0, drawn_shape);
    std::vector<std::int64_t> drawn;
    drawn.reserve(out.get_size());
    dispatch_real(context, context.input(0).get_element_type(),
                  [&](auto tag) { draw<typename decltype(tag)::type>(context, count, drawn); });
    convert_values(ElementType::i64, drawn.data(), out.get_element_type(), out.data(),
                   drawn.size());
}

const OpSpec kOps[] = {
    {.type = "Multinomial",
     .version = 13,
     .inputs = {2, 2},
     .make_attributes = make_attributes<MultinomialAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Classes drawn with given probabilities",
     .refused = "probabilities that are negative, not finite or all 0; without replacement more "
                "samples than classes above 0; seeds below 0 or above 2^63 - 1; more than 2^28 "
                "samples in all"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::multinomial_ops
