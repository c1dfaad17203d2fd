// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/choices.hpp"

#include "quantizer/layer_kinds.hpp"

namespace fuseq::quantizer {
namespace {

bool chooses(const Node& node) {
    static const std::set<std::string> kKinds{"CTCGreedyDecoder",
                                              "CTCGreedyDecoderSeqLen",
                                              "DetectionOutput",
                                              "MatrixNms",
                                              "MulticlassNms",
                                              "NonMaxSuppression",
                                              "NonZero",
                                              "Proposal",
                                              "TopK"};
    return kKinds.contains(node.type());
}

bool reads_one_of(const Node& node, const std::set<const Node*>& nodes) {
    for (std::size_t i = 0; i < node.input_count(); ++i) {
        if (node.has_input(i) && nodes.contains(node.input_node(i))) {
            return true;
        }
    }
    return false;
}

}  // namespace

std::set<const Node*> after_choices(const Model& model) {
    std::set<const Node*> computed;
    std::set<const Node*> chosen;
    for (const Node* node : model.ordered_nodes()) {
        if (node->is("ShapeOf")) {
            continue;  // shapes do not follow from values
        }
        if (kind_of(*node) == LayerKind::kAnchor || reads_one_of(*node, computed)) {
            computed.insert(node);
            if (chooses(*node) || reads_one_of(*node, chosen)) {
                chosen.insert(node);
            }
        }
    }
    return chosen;
}

}  // namespace fuseq::quantizer
