// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <cmath>

#include "ops/recurrent/recurrent.hpp"

namespace fuseq {
namespace {

struct Known {
    std::string_view name;
    GateActivation activation;  // with the defaults of alpha and beta
};

const Known kKnown[] = {
    {"sigmoid", {[](double x, double, double) { return 1 / (1 + std::exp(-x)); }, 0, 0}},
    {"tanh", {[](double x, double, double) { return std::tanh(x); }, 0, 0}},
    {"relu", {[](double x, double, double) { return std::max(x, 0.0); }, 0, 0}},
    {"hardsigmoid",
     {[](double x, double a, double b) { return std::clamp(a * x + b, 0.0, 1.0); }, 0.2, 0.5}},
    {"softsign", {[](double x, double, double) { return x / (1 + std::abs(x)); }, 0, 0}},
    {"softplus", {[](double x, double, double) { return std::log1p(std::exp(x)); }, 0, 0}},
    {"elu", {[](double x, double a, double) { return x < 0 ? a * std::expm1(x) : x; }, 1, 0}},
    {"leakyrelu", {[](double x, double a, double) { return x < 0 ? a * x : x; }, 0.01, 0}},
    {"thresholdedrelu", {[](double x, double a, double) { return x > a ? x : 0.0; }, 1, 0}},
    {"scaledtanh", {[](double x, double a, double b) { return a * std::tanh(b * x); }, 1, 1}},
    {"affine", {[](double x, double a, double b) { return a * x + b; }, 1, 0}},
};

std::vector<std::string> default_names(RecurrentKind kind) {
    switch (kind) {
        case RecurrentKind::kLstm: return {"sigmoid", "tanh", "tanh"};
        case RecurrentKind::kGru: return {"sigmoid", "tanh"};
        case RecurrentKind::kRnn: return {"tanh"};
    }
    return {};
}

}  // namespace

std::optional<std::vector<GateActivation>> gate_activations(const RecurrentAttrs& attrs,
                                                            RecurrentKind kind) {
    std::vector<std::string> names = default_names(kind);
    if (!attrs.activations.empty()) {
        if (attrs.activations.size() != names.size()) {
            return std::nullopt;
        }
        names = attrs.activations;
    }
    std::vector<GateActivation> result;
    for (std::string& name : names) {
        std::transform(name.begin(), name.end(), name.begin(),
                       [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        const auto* known = std::find_if(std::begin(kKnown), std::end(kKnown),
                                         [&](const Known& k) { return k.name == name; });
        if (known == std::end(kKnown)) {
            return std::nullopt;
        }
        GateActivation activation = known->activation;
        activation.name = name;
        const std::size_t i = result.size();
        if (i < attrs.activations_alpha.size()) {
            activation.alpha = static_cast<double>(attrs.activations_alpha[i]);
        }
        if (i < attrs.activations_beta.size()) {
            activation.beta = static_cast<double>(attrs.activations_beta[i]);
        }
        result.push_back(activation);
    }
    return result;
}

}  // namespace fuseq
