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
namespace replace_convert_variants_pass {
namespace {

constexpr std::string_view kName = "replace_convert_variants";

// Each Convert gets the name that the output has as one of the model.
void convert_outputs(Node& node) {
    const std::string name = node.name();
    const std::vector<std::string> origins = origins_of(node);
    Model& model = node.model();
    node.set_name(model.unique_name(name + "/replaced"));
    for (std::size_t i = 0; i < node.output_count(); ++i) {
        ConvertAttrs attributes;
        attributes.destination_type = node.port(i).type;
        const std::string suffix = node.output_count() == 1 ? "" : "." + std::to_string(i);
        Node* convert =
            model.add("Convert", 1, model.unique_name(name + suffix), {node.input(i)}, attributes);
        convert->origins = origins;
        redirect(node.output(i), convert->output());
    }
}

bool replace_in(Model& model, PassContext& context) {
    bool changed = false;
    for (Node* node : model.ordered_nodes()) {
        if (!is_one_of(*node, {"ConvertLike", "ConvertPromoteTypes"})) {
            continue;
        }
        context.rewritten(kName, *node);
        convert_outputs(*node);
        model.remove(node);
        changed = true;
    }
    return changed;
}

bool run(Model& model, PassContext& context) {
    bool changed = false;
    for (Model* part : model_and_bodies(model)) {
        changed = replace_in(*part, context) || changed;
    }
    return changed;
}

}  // namespace
}  // namespace replace_convert_variants_pass

bool replace_convert_variants(Model& model, PassContext& context) {
    return replace_convert_variants_pass::run(model, context);
}

}  // namespace fuseq
