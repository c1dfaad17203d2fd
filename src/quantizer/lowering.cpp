// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/lowering.hpp"

#include <algorithm>

#include "ops/kernel_states.hpp"
#include "ops/op_spec.hpp"
#include "transformations/common/decompose_attention.hpp"
#include "transformations/common/decompose_batch_norm.hpp"
#include "transformations/common/fold_multiply_add_chains.hpp"
#include "transformations/common/fold_multiply_into_weights.hpp"
#include "transformations/common/normalize_constant_operands.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/rewrite.hpp"

namespace fuseq::quantizer {
namespace {

// What reads nothing but constants. Values that follow from shapes stay computed: the model may be
// reshaped later.
bool fold_constant_layers(Model& model, PassContext& /*context*/) {
    bool changed = false;
    for (Node* node : model.ordered_nodes()) {
        const auto& inputs = node->inputs();
        const bool constant =
            !node->is_constant() && !node->is("Result") && !inputs.empty() &&
            node->output_count() == 1 &&
            is_one_of(*node, {"Convert", "Reshape", "Transpose", "Squeeze", "Unsqueeze", "Multiply",
                              "Add", "Subtract", "Divide"}) &&
            std::all_of(inputs.begin(), inputs.end(),
                        [](const Output& input) { return input && input.node->is_constant(); });
        if (!constant) {
            continue;
        }
        std::vector<Tensor> values;
        values.reserve(inputs.size());
        for (const Output& input : inputs) {
            values.push_back(input.node->constant());
        }
        const Output folded = make_constant(model, node->name(), evaluate_node(*node, values)[0]);
        folded.node->origins = origins_of(*node);
        redirect(node->output(), folded);
        changed = true;
    }
    return changed;
}

struct Lowering {
    std::string_view kind;
    Pass pass;
};
const Lowering kLowerings[] = {
    {"BatchNormInference", {"decompose_batch_norm", decompose_batch_norm}},
    {"ScaledDotProductAttention", {"decompose_attention", decompose_attention}},
};

}  // namespace

std::shared_ptr<Model> lower(const Model& model, const std::vector<std::string>& not_lowered) {
    std::vector<Pass> passes{{"fold_constant_layers", fold_constant_layers}};
    for (const Lowering& lowering : kLowerings) {
        if (std::find(not_lowered.begin(), not_lowered.end(), lowering.kind) == not_lowered.end()) {
            passes.push_back(lowering.pass);
        }
    }
    passes.insert(passes.end(), {{"normalize_constant_operands", normalize_constant_operands},
                                 {"fold_multiply_add_chains", fold_multiply_add_chains},
                                 {"fold_multiply_into_weights", fold_multiply_into_weights}});
    std::shared_ptr<Model> copy = model.clone();
    PassContext context;
    run_passes(*copy, context, passes);
    copy->remove_dead_nodes();
    copy->validate();
    return copy;
}

}  // namespace fuseq::quantizer
