// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// CTCLoss-4: logits [N,T,C], their lengths [N], labels [N,T], their lengths [N], optional blank
// index -> [N]: minus the logarithm of the probability of all paths that decode to the labels.
#include "ops/sequence/ctc_loss.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "ops/axis_groups.hpp"
#include "ops/op_list.hpp"
#include "ops/ranked_input.hpp"
#include "ops/scalars.hpp"

namespace fuseq::ctc_loss_ops {
namespace {

constexpr double kImpossible = -std::numeric_limits<double>::infinity();

enum Port : std::size_t { kLogits, kLogitLength, kLabels, kLabelLength, kBlank };

void infer(InferContext& context) {
    require_real(context, kLogits, "logits");
    const std::pair<std::size_t, const char*> ints[] = {
        {kLogitLength, "logit_length"}, {kLabels, "labels"}, {kLabelLength, "label_length"}};
    for (const auto& [port, name] : ints) {
        context.require(is_integral(context.type(port)), name, " is ",
                        to_string(context.type(port)), ", expected an integer type");
    }
    require_int_scalar(context, kBlank, "blank_index");
    const PartialShape logits = ranked_input(context, kLogits, 3, "logits");
    const PartialShape lengths = ranked_input(context, kLogitLength, 1, "logit_length");
    const PartialShape labels = ranked_input(context, kLabels, 2, "labels");
    const PartialShape counts = ranked_input(context, kLabelLength, 1, "label_length");
    Dimension images;
    const bool fits = Dimension::merge(images, logits[0], lengths[0]) &&
                      Dimension::merge(images, images, labels[0]) &&
                      Dimension::merge(images, images, counts[0]) &&
                      logits[1].compatible(labels[1]);
    context.require(fits, "logits have shape ", to_string(logits), ", logit_length ",
                    to_string(lengths), ", labels ", to_string(labels), ", label_length ",
                    to_string(counts), ", expected [N,T,C], [N], [N,T] and [N]");
    if (const auto blank = known_int(context, kBlank, -1); blank && context.has_input(kBlank)) {
        const bool is_class =
            *blank >= 0 && (logits[2].is_dynamic() || *blank < logits[2].get_length());
        context.require(is_class, "blank_index is ", *blank, ", but there are ",
                        to_string(logits[2]), " classes");
    }
    context.set_output(0, context.type(kLogits), {images});
}

double log_sum(double a, double b) {
    const double max_value = std::max(a, b);
    return max_value == kImpossible ? kImpossible
                                    : max_value + std::log1p(std::exp(std::min(a, b) - max_value));
}

// Logarithm of the sum of exp() of one row of logits.
template <class T>
double log_of_exp_sum(const T* row, std::size_t count) {
    const auto max_value = static_cast<double>(*std::max_element(row, row + count));
    double sum = 0;
    for (std::size_t c = 0; c < count; ++c) {
        sum += std::exp(static_cast<double>(row[c]) - max_value);
    }
    return max_value + std::log(sum);
}

// What the decoder makes of the labels.
std::vector<std::size_t> decoded(std::vector<std::size_t> labels, const CtcLossAttrs& attrs) {
    if (attrs.preprocess_collapse_repeated) {
        labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
    }
    if (attrs.unique) {
        std::set<std::size_t> seen;
        std::vector<std::size_t> first;
        std::copy_if(labels.begin(), labels.end(), std::back_inserter(first),
                     [&](std::size_t label) { return seen.insert(label).second; });
        labels = first;
    }
    return labels;
}

// blank, label 0, blank, label 1, ..., blank: a path follows it.
std::vector<std::size_t> chain_of(const std::vector<std::size_t>& labels, std::size_t blank) {
    std::vector<std::size_t> chain(2 * labels.size() + 1, blank);
    for (std::size_t i = 0; i < labels.size(); ++i) {
        chain[2 * i + 1] = labels[i];
    }
    return chain;
}

// Logarithm of the probability of all paths of `steps` steps. `reach[s]`: of those that have
// reached place s of the chain.
template <class T>
double log_likelihood(const T* logits,
                      std::size_t steps,
                      std::size_t classes,
                      const std::vector<std::size_t>& chain,
                      bool merge) {
    const std::size_t blank = chain[0];
    std::vector<double> reach(chain.size(), kImpossible);
    reach[0] = 0;  // before the first step: a blank of no cost; the first step may leave it
    std::vector<double> next(chain.size());
    for (std::size_t t = 0; t < steps; ++t, logits += classes) {
        const double all = log_of_exp_sum(logits, classes);
        for (std::size_t s = 0; s < chain.size(); ++s) {
            const bool label = chain[s] != blank;
            // A label is said once, or, where repetitions are merged, for several steps.
            double ways = merge || !label ? reach[s] : kImpossible;
            if (s > 0) {
                ways = log_sum(ways, reach[s - 1]);
            }
            if (s > 1 && label && (!merge || chain[s] != chain[s - 2])) {
                ways = log_sum(ways, reach[s - 2]);
            }
            next[s] = ways + static_cast<double>(logits[chain[s]]) - all;
        }
        reach.swap(next);
    }
    return chain.size() == 1 ? reach[0] : log_sum(reach.back(), reach[reach.size() - 2]);
}

// The labels of one sequence, checked.
std::vector<std::size_t> labels_of(const EvalContext& context,
                                   const std::vector<std::int64_t>& labels,
                                   std::size_t count,
                                   std::size_t sequence,
                                   std::size_t blank) {
    const Shape& shape = context.input(kLogits).get_shape();
    std::vector<std::size_t> own;
    for (std::size_t i = 0; i < count; ++i) {
        const std::int64_t label = labels[sequence * shape[1] + i];
        context.require(label >= 0 && label < static_cast<std::int64_t>(shape[2]) &&
                            label != static_cast<std::int64_t>(blank),
                        "label ", i, " of sequence ", sequence, " is ", label,
                        ", expected a class in [0, ", shape[2] - 1, "] other than the blank, ",
                        blank);
        own.push_back(static_cast<std::size_t>(label));
    }
    return own;
}

template <class T>
void run(EvalContext& context) {
    const auto& attrs = context.attrs<CtcLossAttrs>();
    const Shape& shape = context.input(kLogits).get_shape();
    const auto [steps, classes] = std::pair{shape[1], shape[2]};
    const std::vector<std::int64_t> lengths = to_ints(context.input(kLogitLength));
    const std::vector<std::int64_t> labels = to_ints(context.input(kLabels));
    const std::vector<std::int64_t> counts = to_ints(context.input(kLabelLength));
    const std::int64_t blank =
        int_input(context, kBlank, "blank_index", static_cast<std::int64_t>(classes) - 1);
    context.require(blank >= 0 && blank < static_cast<std::int64_t>(classes), "blank_index is ",
                    blank, ", but there are ", classes, " classes");
    const T* logits = context.input(kLogits).data<T>();
    T* out = context.output(0, {shape[0]}).template data<T>();
    for (std::size_t n = 0; n < shape[0]; ++n) {
        context.require(lengths[n] >= 0 && lengths[n] <= static_cast<std::int64_t>(steps),
                        "logit_length has the value ", lengths[n], ", expected one in [0, ", steps,
                        "]");
        context.require(counts[n] >= 0 && counts[n] <= lengths[n], "label_length has the value ",
                        counts[n], ", expected one in [0, ", lengths[n], "], the logit_length");
        const auto own = labels_of(context, labels, static_cast<std::size_t>(counts[n]), n,
                                   static_cast<std::size_t>(blank));
        const auto chain = chain_of(decoded(own, attrs), static_cast<std::size_t>(blank));
        out[n] = static_cast<T>(-log_likelihood(logits + n * steps * classes,
                                                static_cast<std::size_t>(lengths[n]), classes,
                                                chain, attrs.ctc_merge_repeated));
    }
}

void evaluate(EvalContext& context) {
    const Shape& shape = context.input(kLogits).get_shape();
    const bool fits = shape.size() == 3 && shape[2] > 0 &&
                      context.input(kLogitLength).get_shape() == Shape{shape[0]} &&
                      context.input(kLabels).get_shape() == Shape{shape[0], shape[1]} &&
                      context.input(kLabelLength).get_shape() == Shape{shape[0]};
    context.require(fits, "logits have shape ", to_string(shape), ", logit_length ",
                    to_string(context.input(kLogitLength).get_shape()), ", labels ",
                    to_string(context.input(kLabels).get_shape()), ", label_length ",
                    to_string(context.input(kLabelLength).get_shape()));
    dispatch_real(context, context.input(kLogits).get_element_type(),
                  [&](auto tag) { run<typename decltype(tag)::type>(context); });
}

const OpSpec kOps[] = {
    {.type = "CTCLoss",
     .version = 4,
     .inputs = {4, 5},
     .make_attributes = make_attributes<CtcLossAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Minus the logarithm of the probability of all paths that decode to the labels",
     .refused = "lengths outside of the sequences, more labels than steps, labels that are no "
                "class or the blank"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::ctc_loss_ops
