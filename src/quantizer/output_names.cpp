// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/output_names.hpp"

#include <string>
#include <vector>

namespace fuseq::quantizer {

void keep_output_names(const Model& original, Model& model) {
    const std::vector<Output> wanted = original.outputs();
    const std::vector<Output> outputs = model.outputs();
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const std::string& name = wanted[i].node->name();
        Node& node = *outputs[i].node;
        if (node.name() == name || node.is("Parameter") ||
            node.output_count() != wanted[i].node->output_count()) {
            continue;
        }
        if (Node* other = model.find(name); other != nullptr) {
            other->set_name(model.unique_name(name + "/WithoutBiases"));
        }
        node.set_name(name);
    }
}

}  // namespace fuseq::quantizer
