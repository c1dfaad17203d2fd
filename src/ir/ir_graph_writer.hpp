// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Writes the layers and edges of a Model, or of a body, below an XML element.
#pragma once

#include <cstdint>
#include <unordered_map>

#include <pugixml.hpp>

#include "fuseq/model.hpp"
#include "ir/weights_writer.hpp"

namespace fuseq {

class IrGraphWriter {
public:
    IrGraphWriter(const Model& model, WeightsWriter& weights);

    // Parameters first and Results last, in the order of the model; ids count from 0.
    void write(pugi::xml_node parent);
    std::size_t id(const Node* node) const { return ids_.at(node); }

private:
    void write_layer(pugi::xml_node layers, const Node& node);
    void write_execution_node(pugi::xml_node layer, const Node& node);
    void write_constant(pugi::xml_node data, const Node& node);
    void write_ports(pugi::xml_node layer, const Node& node);
    void write_edges(pugi::xml_node edges, const Node& node);

    const Model& model_;
    bool execution_graph_;
    WeightsWriter& weights_;
    std::unordered_map<const Node*, std::size_t> ids_;
};

// The bodies and port maps of TensorIterator, Loop and If; false for other operations.
bool write_ir_subgraphs(pugi::xml_node layer, const Node& node, WeightsWriter& weights);

}  // namespace fuseq
