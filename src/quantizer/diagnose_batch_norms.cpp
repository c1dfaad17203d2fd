// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "fuseq/diagnosis.hpp"
#include "fuseq/error.hpp"
#include "ops/batch_norm_inference.hpp"
#include "ops/op_spec.hpp"
#include "transformations/support/constants.hpp"

namespace fuseq {
namespace {

// The greatest scale is too large when it is so many times the median.
constexpr float kOutlier = 8;
constexpr float kDeadShare = 0.01f;  // of epsilon

constexpr const char* kSmallerLayer =
    "a smaller layer before the batch norm, so that no weights come close to zero";
constexpr const char* kLeakyRelu =
    "a leaky ReLU or another variant that does not die in place of the ReLU";
constexpr const char* kReluAfter = "the ReLU after the batch norm and not before it";

struct Parameters {
    std::vector<float> gamma;
    std::vector<float> beta;
    std::vector<float> mean;
    std::vector<float> variance;
};

std::optional<Parameters> parameters_of(const Node& node, const BatchNormPorts& ports) {
    Parameters result;
    for (const auto& [port, values] : {std::pair{ports.gamma, &result.gamma},
                                       {ports.beta, &result.beta},
                                       {ports.mean, &result.mean},
                                       {ports.variance, &result.variance}}) {
        const auto tensor = evaluate_constant(node.input(port));
        if (!tensor || tensor->get_size() == 0) {
            return std::nullopt;
        }
        *values = to_floats(*tensor);
    }
    return result;
}

float median_magnitude(std::vector<float> values) {
    for (float& value : values) {
        value = std::abs(value);
    }
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

BatchNormDiagnosis diagnose(const Node& node, const Parameters& p, bool after_relu) {
    const float epsilon = node.attrs<BatchNormInferenceAttrs>().epsilon;
    BatchNormDiagnosis result;
    result.layer = node.name();
    result.channels = p.gamma.size();
    result.after_relu = after_relu;
    std::vector<float> scales;
    std::vector<float> biases;
    for (std::size_t c = 0; c < p.gamma.size(); ++c) {
        const double scale = static_cast<double>(p.gamma[c]) /
                             std::sqrt(static_cast<double>(p.variance[c]) + epsilon);
        scales.push_back(static_cast<float>(scale));
        biases.push_back(static_cast<float>(p.beta[c] - p.mean[c] * scale));
        if (p.variance[c] < kDeadShare * epsilon) {
            result.dead.push_back(c);
        }
    }
    const auto greatest = std::max_element(scales.begin(), scales.end());
    result.channel = static_cast<std::size_t>(greatest - scales.begin());
    result.max_scale = *greatest;
    result.min_scale = *std::min_element(scales.begin(), scales.end());
    result.min_bias = *std::min_element(biases.begin(), biases.end());
    result.max_bias = *std::max_element(biases.begin(), biases.end());
    result.gamma = p.gamma[result.channel];
    result.variance = p.variance[result.channel];
    result.mean = p.mean[result.channel];
    const bool outlier = std::max(std::abs(result.min_scale), std::abs(result.max_scale)) >
                         kOutlier * median_magnitude(scales);
    if (!result.dead.empty() || outlier) {
        result.remedies.emplace_back(kSmallerLayer);
        if (after_relu) {
            result.remedies.emplace_back(kLeakyRelu);
            result.remedies.emplace_back(kReluAfter);
        }
    }
    return result;
}

}  // namespace

std::vector<BatchNormDiagnosis> diagnose_batch_norms(const Model& model) {
    std::vector<BatchNormDiagnosis> result;
    for (const Node* node : model.ordered_nodes()) {
        if (!node->is("BatchNormInference")) {
            continue;
        }
        const BatchNormPorts ports =
            batch_norm_ports(node->spec().version, node->input(0).partial_shape());
        if (const auto parameters = parameters_of(*node, ports)) {
            result.push_back(
                diagnose(*node, *parameters, node->input_node(ports.data)->is("ReLU")));
        }
    }
    return result;
}

std::string to_string(const BatchNormDiagnosis& d) {
    std::string text = fmt::format(
        "batch norm '{}': scales {:g} to {:g}, biases {:g} to {:g}; the greatest scale is of "
        "channel {} "
        "(gamma {:g}, variance {:g}, mean {:g})",
        d.layer, d.min_scale, d.max_scale, d.min_bias, d.max_bias, d.channel, d.gamma, d.variance,
        d.mean);
    if (!d.dead.empty()) {
        constexpr std::size_t kShown = 8;
        text += fmt::format("; {} of {} channels are dead{}:", d.dead.size(), d.channels,
                            d.after_relu ? " after a ReLU" : "");
        for (std::size_t i = 0; i < std::min(kShown, d.dead.size()); ++i) {
            text += fmt::format(" {}", d.dead[i]);
        }
        text += d.dead.size() > kShown ? " ..." : "";
    }
    for (std::size_t i = 0; i < d.remedies.size(); ++i) {
        text += (i == 0 ? "; what helps: " : ", or ") + d.remedies[i];
    }
    return text;
}

}  // namespace fuseq
