// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/layer_selection.hpp"

#include <algorithm>
#include <map>

#include <fmt/core.h>

#include "model/nearest_name.hpp"
#include "ops/op_spec.hpp"
#include "transformations/support/rewrite.hpp"

namespace fuseq::quantizer {
namespace {

std::vector<std::string> kinds_of_operations() {
    std::vector<std::string> kinds;
    for (const OpSpec* spec : all_ops()) {
        if (!spec->internal) {
            kinds.emplace_back(spec->type);
        }
    }
    return kinds;
}

// Kinds that Glow calls otherwise, as lists of its users have them.
std::string kind_of_glow(const std::string& selector) {
    static const std::map<std::string, std::string> kKinds = {
        {"BatchedReduceMean", "ReduceMean"},
        {"ConvTranspose", "ConvolutionBackpropData"},
        {"Div", "Divide"},
        {"FullyConnected", "MatMul"},
        {"LocalResponseNormalization", "LRN"},
        {"Max", "Maximum"},
        {"Min", "Minimum"},
        {"Mul", "Multiply"},
        {"Pow", "Power"},
        {"Relu", "ReLU"},
        {"Sub", "Subtract"},
    };
    const auto found = kKinds.find(selector);
    return found == kKinds.end() ? selector : found->second;
}

bool selects(const std::string& selector, const Node& node) {
    return node.is(kind_of_glow(selector)) || matches_pattern(selector, node.name());
}

}  // namespace

bool matches_pattern(std::string_view pattern, std::string_view text) {
    // The last star may be given one character more, as long as nothing else fits.
    std::size_t p = 0;
    std::size_t t = 0;
    std::size_t star = std::string_view::npos;
    std::size_t after_star = 0;
    while (t < text.size()) {
        if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t]) &&
            pattern[p] != '*') {
            ++p;
            ++t;
        } else if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            after_star = t;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            t = ++after_star;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*') {
        ++p;
    }
    return p == pattern.size();
}

std::set<const Node*> select_layers(const Model& original,
                                    const Model& lowered,
                                    const std::vector<std::string>& selectors,
                                    std::vector<std::string>& remarks) {
    std::set<std::string> chosen;
    std::vector<std::string> names;
    const std::vector<Node*> nodes = original.ordered_nodes();
    for (const Node* node : nodes) {
        if (!node->is_constant()) {
            names.push_back(node->name());
            names.push_back(node->type());
        }
    }
    for (const std::string& selector : selectors) {
        bool found = false;
        for (const Node* node : nodes) {
            if (!node->is_constant() && selects(selector, *node)) {
                chosen.insert(node->name());
                found = true;
            }
        }
        if (!found && op_exists(kind_of_glow(selector))) {
            remarks.push_back(fmt::format("-keep_original_precision_for_nodes: the model has no {}",
                                          kind_of_glow(selector)));
        } else if (!found) {
            throw Error("quantize", fmt::format("-keep_original_precision_for_nodes: the model has "
                                                "no layer and no kind '{}'; the nearest is '{}'",
                                                selector, nearest_name(selector, names)));
        }
    }
    std::set<const Node*> result;
    for (const Node* node : lowered.ordered_nodes()) {
        const std::vector<std::string> origins = origins_of(*node);
        const bool named = std::any_of(origins.begin(), origins.end(),
                                       [&](const auto& name) { return chosen.contains(name); });
        if (!node->is_constant() && (named || chosen.contains(node->name()))) {
            result.insert(node);
        }
    }
    return result;
}

void check_kinds(const std::vector<std::string>& kinds, std::string_view option) {
    for (const std::string& kind : kinds) {
        if (!op_exists(kind)) {
            throw Error("quantize",
                        fmt::format("{}: there is no operation '{}'; the nearest is '{}'", option,
                                    kind, nearest_name(kind, kinds_of_operations())));
        }
    }
}

}  // namespace fuseq::quantizer
