// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Makes a Model of the layers and edges of one <net> or body.
#pragma once

#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "fuseq/model.hpp"
#include "ir/ir_attributes.hpp"
#include "ir/ir_constant.hpp"
#include "ir/ir_document.hpp"

namespace fuseq {

// What the graphs of one file share.
struct IrContext {
    IrSource source;
    IrWeights weights;
    IrFindings findings;
    bool widen_f16 = false;  // v10
};

class IrBuilder {
public:
    // `depth`: how many bodies this graph lies in.
    IrBuilder(IrContext& context, pugi::xml_node node, std::size_t depth);

    // Nodes and connections; nothing is inferred.
    std::shared_ptr<Model> build(std::string name);
    // Infers producers first, and compares with what the ports declare.
    void validate();
    // The layers, for port maps.
    const IrGraph& graph() const { return graph_; }
    // Node of a layer, by its position in the graph.
    Node* node(std::size_t layer) const { return nodes_[layer]; }

private:
    void make_names_unique();
    void add_layer(const IrLayer& layer);
    void add_widening(const IrLayer& layer, Node* constant);
    void connect();
    void read_names(const IrLayer& layer, Node* node);
    void read_rt_info(const IrLayer& layer, Node* node);
    void check_declared(const IrLayer& layer, const Node& node);
    std::string unique_name(const std::string& base);

    IrContext& context_;
    std::size_t depth_;
    IrGraph graph_;
    std::shared_ptr<Model> model_;
    std::vector<Node*> nodes_;                  // by layer
    std::unordered_map<Node*, Node*> widened_;  // f16 Const to its Convert
    std::unordered_map<const Node*, std::size_t> layers_;
    std::unordered_set<std::string> names_;
};

// Reads the bodies and port maps of TensorIterator, Loop and If into their attributes; false for
// other operations.
bool read_ir_subgraphs(IrContext& context,
                       const IrLayer& layer,
                       Attributes& attributes,
                       std::size_t depth);

}  // namespace fuseq
