// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/quantized/rules/method_choice.hpp"

#include <fmt/core.h>

#include <set>

#include "fuseq/error.hpp"
#include "ops/quantized/quantized_attributes.hpp"
#include "ops/quantized/requantize_sums.hpp"
#include "ops/quantized/rules/methods.hpp"

namespace fuseq {
namespace {

// Bodies are shared between copies of a model; each gets a copy of its own first.
void visit_bodies(Node& node, const auto& visit) {
    for (const NamedAttribute& attribute : list_attributes(node.attributes())) {
        if (auto* const* body = std::get_if<std::shared_ptr<Model>*>(&attribute.ref)) {
            if (**body) {
                **body = (**body)->clone();
                visit(***body);
            }
        }
    }
}

void collect(const Model& model, std::set<std::string>& names) {
    for (const Node* node : model.ordered_nodes()) {
        if (quantize_method(*node) != nullptr) {
            names.insert(node->name());
        }
        for (const NamedAttribute& attribute : list_attributes(node->attributes())) {
            if (auto* const* body = std::get_if<std::shared_ptr<Model>*>(&attribute.ref)) {
                if (**body) {
                    collect(***body, names);
                }
            }
        }
    }
}

void apply(Model& model, const MethodChoice& choice) {
    for (Node* node : model.ordered_nodes()) {
        visit_bodies(*node, [&](Model& body) { apply(body, choice); });
        QuantizeMethod* method = quantize_method(*node);
        if (method == nullptr) {
            continue;
        }
        const auto own = choice.layers.find(node->name());
        *method = own != choice.layers.end() ? own->second : choice.all.value_or(*method);
        const RuleChoice* rule = rule_of(*node);
        if (rule != nullptr && rule->rule == RoundingRule::kRefused) {
            throw Error("property", fmt::format("layer '{}': the method {} gives no rule for {}",
                                                node->name(), to_string(*method), node->type()));
        }
    }
}

}  // namespace

MethodChoice parse_method_choice(const std::string& all, const std::vector<std::string>& layers) {
    MethodChoice choice;
    if (!all.empty()) {
        choice.all = parse_quantize_method(all);
    }
    for (const std::string& item : layers) {
        const std::size_t colon = item.rfind(':');  // names may have colons too
        if (colon == std::string::npos || colon == 0) {
            throw Error("property",
                        fmt::format("'{}' is not <layer>:<method>, as in conv1:TFLITE", item));
        }
        choice.layers[item.substr(0, colon)] = parse_quantize_method(item.substr(colon + 1));
    }
    return choice;
}

void check_method_layers(const Model& model, const MethodChoice& choice) {
    if (choice.layers.empty()) {
        return;
    }
    std::set<std::string> known;
    collect(model, known);
    for (const auto& [layer, method] : choice.layers) {
        if (!known.contains(layer)) {
            throw Error(
                "property",
                fmt::format("QUANTIZE_METHOD_LAYERS: there is no layer '{}' that a method rounds",
                            layer));
        }
    }
}

void apply_method_choice(Model& model, const MethodChoice& choice) {
    if (!choice.empty()) {
        apply(model, choice);
    }
}

std::vector<LayerRule> layer_rules(const Model& model) {
    std::vector<LayerRule> rules;
    for (const Node* node : model.ordered_nodes()) {
        if (rule_of(*node) != nullptr) {
            rules.push_back({node->name(), node->type(), rule_text(*node)});
        } else if (node->is("RequantizeSums")) {
            const auto& attrs = node->attrs<RequantizeSumsAttrs>();
            rules.push_back({node->origins.empty() ? node->name() : node->origins.front(),
                             node->type(), attrs.rule_name});
        }
    }
    return rules;
}

}  // namespace fuseq
