// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/support/quantized_consumer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/core.h>

#include "ops/fake_quantize.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/rewrite.hpp"

namespace fuseq {
namespace {

// A search that meets more nodes than this ends.
constexpr std::size_t kMaxVisited = 64;

// Operations whose result changes by no more than their input does. ELU and PReLU are counted
// although slopes beyond one exist: the answer serves an estimate.
bool keeps_differences(const Node& node) {
    return is_one_of(
        node, {"Add", "Subtract", "ReLU", "PReLU", "Elu", "Clamp", "Sigmoid", "Tanh", "MaxPool",
               "Concat", "Reshape", "Transpose", "Squeeze", "Unsqueeze", "Split", "VariadicSplit"});
}

double input_step(const Node& fq) {
    const auto low = evaluate_constant(fq.input(1));
    const auto high = evaluate_constant(fq.input(2));
    if (!low || !high) {
        return 0;
    }
    const std::vector<float> l = to_floats(*low);
    const std::vector<float> h = to_floats(*high);
    const auto steps = static_cast<double>(fq.attrs<FakeQuantizeAttrs>().levels - 1);
    double step = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < std::max(l.size(), h.size()); ++i) {
        const double range = static_cast<double>(h[h.size() == 1 ? 0 : std::min(i, h.size() - 1)]) -
                             l[l.size() == 1 ? 0 : std::min(i, l.size() - 1)];
        step = std::min(step, std::abs(range) / steps);
    }
    return std::isfinite(step) ? step : 0;
}

// The operation before a float operand, through DQ and data movement, for the remark.
const Node& origin_of_float(const Output& source) {
    const Node* node = source.node;
    while (node->input_count() > 0 && node->has_input(0) &&
           is_one_of(*node, {"Reshape", "Transpose", "Squeeze", "Unsqueeze"})) {
        node = node->input_node(0);
    }
    return *node;
}

}  // namespace

void explain_float_operand(const Node& consumer,
                           std::string_view pass,
                           bool src_quantized,
                           bool wei_quantized,
                           PassContext& context) {
    if (src_quantized == wei_quantized) {
        return;
    }
    const std::size_t i = src_quantized ? 1 : 0;
    context.refused(
        pass, consumer, i == 0 ? "src_not_quantized" : "weights_not_quantized",
        fmt::format("{} comes from {} in float", i == 0 ? "the source" : "the second operand",
                    describe(origin_of_float(consumer.input(i)))));
}

float largest_magnitude(const ChannelValues& values) {
    return std::max(std::abs(values.min()), std::abs(values.max()));
}

bool may_overflow(const Node& consumer, const Tensor& weights, const ChannelValues& zero_point) {
    const double farthest = largest_magnitude(zero_point);
    if (farthest > kLargestZeroPoint) {
        return true;
    }
    const double largest_src = 255.0 + farthest;
    const std::vector<double> sums =
        channel_sums(channel_order(consumer, weights.get_shape()), weights, true);
    const double largest = sums.empty() ? 0.0 : *std::max_element(sums.begin(), sums.end());
    return largest * largest_src > static_cast<double>(std::numeric_limits<std::int32_t>::max());
}

double smallest_step_after(const Node& node) {
    double smallest = std::numeric_limits<double>::infinity();
    std::vector<const Node*> stack{&node};
    std::set<const Node*> seen;
    while (!stack.empty()) {
        const Node* at = stack.back();
        stack.pop_back();
        for (const Use& use : at->users()) {
            if (use.node->is("FakeQuantize")) {
                smallest = std::min(smallest, input_step(*use.node));
            } else if (!keeps_differences(*use.node)) {
                return 0;
            } else if (seen.insert(use.node).second) {
                stack.push_back(use.node);
            }
        }
        if (seen.size() > kMaxVisited) {
            return 0;
        }
    }
    return std::isfinite(smallest) ? smallest : 0;
}

}  // namespace fuseq
