// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/support/activation_type.hpp"

#include <algorithm>
#include <unordered_set>

#include "transformations/support/rewrite.hpp"

namespace fuseq {
namespace {

// Operations that give what they read, or some of it, in the same integers.
bool passes(const Node& node) {
    return is_one_of(
        node, {"BatchToSpace", "Broadcast",       "Clamp",   "Concat",       "DepthToSpace",
               "Gather",       "Interpolate",     "MaxPool", "Pad",          "ReLU",
               "ReduceMax",    "ReduceMin",       "Reshape", "Reverse",      "ReverseSequence",
               "Roll",         "ShuffleChannels", "Slice",   "SpaceToDepth", "Split",
               "Squeeze",      "StridedSlice",    "Tile",    "Transpose",    "Unsqueeze",
               "VariadicSplit"});
}

bool is_second_operand_of_matmul(const Use& use) {
    return use.node->is("MatMul") && use.index == 1;
}

bool is_source_of_deconvolution(const Use& use) {
    return use.index == 0 &&
           is_one_of(*use.node, {"ConvolutionBackpropData", "GroupConvolutionBackpropData"});
}

// Whether a consumer of that kind reads the integers: at once, or after operations that DQ passes.
bool feeds(const Node& fq, bool (*consumer)(const Use&)) {
    std::vector<const Node*> stack{&fq};
    std::unordered_set<const Node*> seen;
    while (!stack.empty()) {
        const Node* node = stack.back();
        stack.pop_back();
        for (const Use& use : node->users()) {
            if (consumer(use)) {
                return true;
            }
            if (passes(*use.node) && seen.insert(use.node).second) {
                stack.push_back(use.node);
            }
        }
    }
    return false;
}

}  // namespace

void ActivationTypes::add(const Node& fq, bool symmetric) {
    choices_[&fq] = feeds(fq, is_second_operand_of_matmul)                ? Choice::kMustBeSigned
                    : symmetric && !feeds(fq, is_source_of_deconvolution) ? Choice::kSigned
                                                                          : Choice::kUnsigned;
}

std::vector<const Node*> ActivationTypes::quantizers_after(const Node& concat) const {
    std::vector<const Node*> found;
    std::vector<const Node*> stack{&concat};
    std::unordered_set<const Node*> seen;
    while (!stack.empty()) {
        const Node* node = stack.back();
        stack.pop_back();
        const std::size_t inputs = node->is("Concat") ? node->input_count() : 1;
        for (std::size_t i = 0; i < inputs; ++i) {
            const Node* source = node->input_node(i);
            if (choices_.contains(source)) {
                found.push_back(source);
            } else if (!passes(*source)) {
                return {};  // the Concat stays in float
            } else if (seen.insert(source).second) {
                stack.push_back(source);
            }
        }
    }
    return found;
}

void ActivationTypes::unify() {
    std::vector<std::vector<const Node*>> sets;
    for (const Node* concat : model_.find_all("Concat")) {
        sets.push_back(quantizers_after(*concat));
    }
    // A choice only ever rises, so that this ends.
    for (bool changed = true; changed;) {
        changed = false;
        for (const std::vector<const Node*>& set : sets) {
            Choice strongest = Choice::kSigned;
            for (const Node* fq : set) {
                strongest = std::max(strongest, choices_.at(fq));
            }
            for (const Node* fq : set) {
                changed = changed || choices_.at(fq) != strongest;
                choices_[fq] = strongest;
            }
        }
    }
}

ElementType ActivationTypes::of(const Node& fq) const {
    return choices_.at(&fq) == Choice::kUnsigned ? ElementType::u8 : ElementType::i8;
}

}  // namespace fuseq
