// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/support/bodies.hpp"

#include <variant>

namespace fuseq {

std::vector<Model*> model_and_bodies(Model& model) {
    std::vector<Model*> models{&model};
    for (std::size_t i = 0; i < models.size(); ++i) {
        for (Node* node : models[i]->ordered_nodes()) {
            for (const NamedAttribute& item : list_attributes(node->attributes())) {
                const auto* const* body = std::get_if<std::shared_ptr<Model>*>(&item.ref);
                if (body != nullptr && **body) {
                    models.push_back((*body)->get());
                }
            }
        }
    }
    return models;
}

}  // namespace fuseq
