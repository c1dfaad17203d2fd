// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Small edits that all passes share.
#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "fuseq/model.hpp"
#include "transformations/pass.hpp"

namespace fuseq {

// Exactly one input of one node reads this port.
bool has_single_use(const Output& port);

// The nodes on the way to `last`, each the source (input 0) of the next and read by it alone;
// `last` is the last one. `types` names those before it, nearest first. Empty when they are others.
std::vector<const Node*> chain_to(const Node& last, std::initializer_list<std::string_view> types);

// Calls rewrite(Node&), which says whether it did, for every node of a type, and tells `context` of
// those that were rewritten under the name of the pass. Whether there were any.
template <class Rewrite>
bool rewrite_each(Model& model,
                  std::string_view type,
                  PassContext& context,
                  std::string_view pass,
                  const Rewrite& rewrite) {
    bool changed = false;
    for (Node* node : model.find_all(type)) {
        if (rewrite(*node)) {
            context.rewritten(pass, *node);
            changed = true;
        }
    }
    return changed;
}

// Every reader of `from` but the nodes in `except` reads `to` instead. Tensor names move along.
void redirect(const Output& from, const Output& to, std::initializer_list<const Node*> except = {});

// These readers of `from` read `to` instead. Tensor names move along.
void move_uses(const std::vector<Use>& uses, const Output& from, const Output& to);

// `node` stands for the IR layers of `other` too, from now on.
void add_origin(Node& node, const std::string& layer);
void add_origins(Node& node, const Node& other);
// Names of the IR layers that a node stands for; its own name when nothing was fused into it.
std::vector<std::string> origins_of(const Node& node);

// A node of the same operation and attributes with other inputs; it stands for the same layers.
Node* copy_node(const Node& node, std::string name, std::vector<Output> inputs);

// "Multiply 'scale_3'" for remarks.
std::string describe(const Node& node);

// Whether the node is one of these operations.
bool is_one_of(const Node& node, std::initializer_list<std::string_view> types);

// Convolution, GroupConvolution, both BackpropData, MatMul.
bool takes_weights(const Node& node);

}  // namespace fuseq
