// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Computes what depends on nothing but constants.
//
//   Law:     an operation of constants is a constant; so is a value that shape inference knows
//            (ShapeOf of a known shape and what is computed from it).
//   Before:  Const, Const -> any operation      After:  Const
//   Refuses: results that are much larger than what they are computed from: Tile, Broadcast and
//            the like stay operations (constant_too_large). Weights that are quantized stay for
//            normalize_weights and quantize_wide_products. Random operations run at each inference.
//   Source:  DESIGN.md section 2.
#include "transformations/common/fold_constants.hpp"

#include <algorithm>
#include <unordered_set>

#include <fmt/core.h>

#include "ops/kernel_states.hpp"
#include "ops/op_spec.hpp"
#include "transformations/support/constant_cache.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/rewrite.hpp"
#include "transformations/support/weights.hpp"
#include "transformations/support/wide_integers.hpp"

namespace fuseq {
namespace fold_constants_pass {
namespace {

constexpr std::string_view kName = "fold_constants";

// A constant may be this large, or as large as twice its inputs (f16 -> f32).
constexpr std::size_t kAlwaysAllowedBytes = std::size_t{64} << 20;
constexpr std::size_t kAllowedGrowth = 4;

std::unordered_set<const Node*> quantized_weights(const Model& model) {
    std::unordered_set<const Node*> nodes;
    for (const Node* node : model.ordered_nodes()) {
        auto chain = match_weight_chain(*node);
        chain = chain ? chain : match_wide_weights(*node);
        if (chain) {
            nodes.insert(chain->quantizer.begin(), chain->quantizer.end());
            nodes.insert(chain->layout.begin(), chain->layout.end());
            // The numbers themselves may be widened (u8 -> Convert -> FakeQuantize).
            nodes.insert(chain->stored.node);
        }
    }
    return nodes;
}

bool can_evaluate(const Node& node) {
    if (node.is_constant() || node.spec().evaluate == nullptr || node.is("Result") ||
        node.input_count() == 0) {
        return false;
    }
    return std::all_of(node.inputs().begin(), node.inputs().end(),
                       [](const Output& input) { return !input || known_constant(input); }) &&
           !is_random(node);
}

bool too_large(const Node& node) {
    std::size_t inputs = 0;
    for (const Output& input : node.inputs()) {
        // Packed elements count as the bytes that they become.
        const Tensor* const value = input ? known_constant(input) : nullptr;
        inputs += value ? std::max(value->get_byte_size(), value->get_size()) : 0;
    }
    std::size_t outputs = 0;
    for (std::size_t i = 0; i < node.output_count(); ++i) {
        if (node.port(i).shape.is_static()) {
            outputs += byte_size_of(node.port(i).type, shape_size(node.port(i).shape.to_shape()));
        }
    }
    return outputs > std::max(kAlwaysAllowedBytes, kAllowedGrowth * inputs);
}

bool is_read(const Node& node) {
    for (std::size_t i = 0; i < node.output_count(); ++i) {
        if (!node.port(i).uses.empty()) {
            return true;
        }
    }
    return false;
}

std::vector<Tensor> values_of(Node& node, const PassContext& context) {
    std::vector<Tensor> known;
    for (std::size_t i = 0; i < node.output_count(); ++i) {
        if (!node.port(i).known_value) {
            break;
        }
        known.push_back(node.port(i).known_value);
    }
    if (known.size() == node.output_count()) {
        return known;
    }
    if (!can_evaluate(node)) {
        return {};
    }
    std::vector<Tensor> inputs;
    for (const Output& input : node.inputs()) {
        inputs.push_back(input ? *known_constant(input) : Tensor());
    }
    return context.computed(fmt::format("{} {}", kName, computation_of(node)), inputs,
                            [&] { return evaluate_node(node, inputs); });
}

bool fold(Model& model, PassContext& context, const std::unordered_set<const Node*>& keep) {
    bool changed = false;
    for (Node* node : model.ordered_nodes()) {
        const bool foldable = !node->is_constant() && !node->is("Result") &&
                              !node->is("Parameter") && is_read(*node) && !keep.contains(node);
        if (!foldable) {
            continue;
        }
        if (can_evaluate(*node) && too_large(*node)) {
            context.refused(kName, *node, "constant_too_large",
                            "the result is much larger than the constants it is computed from");
            continue;
        }
        const std::vector<Tensor> values = values_of(*node, context);
        for (std::size_t i = 0; i < values.size(); ++i) {
            const Output constant = make_constant(
                model, node->name() + (i == 0 ? "" : "." + std::to_string(i)), values[i]);
            constant.node->origins = origins_of(*node);
            redirect(node->output(i), constant);
            changed = true;
        }
    }
    return changed;
}

bool run(Model& model, PassContext& context) {
    std::unordered_set<const Node*> keep;
    if (context.options().low_precision) {
        keep = quantized_weights(model);
    }
    return fold(model, context, keep);
}

}  // namespace
}  // namespace fold_constants_pass

bool fold_constants(Model& model, PassContext& context) {
    return fold_constants_pass::run(model, context);
}

bool fold_all_constants(Model& model, PassContext& context) {
    return fold_constants_pass::fold(model, context, {});
}

}  // namespace fuseq
