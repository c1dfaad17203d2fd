// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Writes the other conversions of element types as Convert, so that they fold and fuse as it does;
// in bodies too.
//
//   Law:     the type of a result follows from the types of the inputs, not from their values.
//   Before:  ConvertLike(x, like) | ConvertPromoteTypes(x, y)
//   After:   Convert(x) to the type of the result | Convert(x), Convert(y)
//   Refuses: nothing.
//   Source:  the definitions of the operations.
#include "transformations/common/replace_convert_variants.hpp"

#include "ops/convert.hpp"
#include "transformations/support/bodies.hpp"
#include "transformations/support/rewrite.hpp"

namespace fuseq {
namespace {

constexpr std::string_view kName = "replace_convert_variants";

void convert_output(Node& node, std::size_t i) {
    ConvertAttrs attributes;
    attributes.destination_type = node.port(i).type;
    Model& model = node.model();
    const std::string suffix = node.output_count() == 1 ? "" : "." + std::to_string(i);
    Node* convert = model.add("Convert", 1, model.unique_name(node.name() + suffix + "/convert"),
                              {node.input(i)}, attributes);
    add_origins(*convert, node);
    redirect(node.output(i), convert->output());
}

bool replace_in(Model& model, PassContext& context) {
    bool changed = false;
    for (Node* node : model.ordered_nodes()) {
        if (!is_one_of(*node, {"ConvertLike", "ConvertPromoteTypes"})) {
            continue;
        }
        for (std::size_t i = 0; i < node->output_count(); ++i) {
            convert_output(*node, i);
        }
        context.rewritten(kName, *node);
        model.remove(node);
        changed = true;
    }
    return changed;
}

}  // namespace

bool replace_convert_variants(Model& model, PassContext& context) {
    bool changed = false;
    for (Model* part : model_and_bodies(model)) {
        changed = replace_in(*part, context) || changed;
    }
    return changed;
}

}  // namespace fuseq
