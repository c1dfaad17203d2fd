// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The properties QUANTIZE_METHOD and QUANTIZE_METHOD_LAYERS: other methods than those that the
// reader of a model gave its operations.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fuseq/model.hpp"
#include "ops/quantized/quantize_method.hpp"

namespace fuseq {

inline constexpr const char* kQuantizeMethod = "QUANTIZE_METHOD";
inline constexpr const char* kQuantizeMethodLayers = "QUANTIZE_METHOD_LAYERS";

struct MethodChoice {
    std::optional<QuantizeMethod> all;
    std::map<std::string, QuantizeMethod> layers;
    bool empty() const { return !all && layers.empty(); }
};

// From the values of the properties: a method or nothing; "name:METHOD" each. Throws
// Error("property") for an unknown method or an item without one.
MethodChoice parse_method_choice(const std::string& all, const std::vector<std::string>& layers);

// Throws Error("property") where a layer is missing or has no method.
void check_method_layers(const Model& model, const MethodChoice& choice);
// Sets the methods in the model and its bodies, and checks that they have a rule for each of the
// operations; throws Error("property") naming the layer.
void apply_method_choice(Model& model, const MethodChoice& choice);

// One a layer that rounds.
struct LayerRule {
    std::string layer;
    std::string operation;
    std::string rule;  // rule_text()
};
std::vector<LayerRule> layer_rules(const Model& model);

}  // namespace fuseq
