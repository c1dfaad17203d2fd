// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/graph_hash.hpp"

#include <algorithm>
#include <map>

#include <fmt/core.h>

#include "model/hash.hpp"
#include "ops/op_spec.hpp"

namespace fuseq::quantizer {
namespace {

class Hasher {
public:
    void add(std::string_view text) {
        const std::size_t size = text.size();
        value_ = hash_bytes(&size, sizeof size, value_);
        value_ = hash_bytes(text.data(), size, value_);
    }
    void add(std::uint64_t number) { value_ = hash_bytes(&number, sizeof number, value_); }
    void add(const Tensor& tensor) {
        add(to_string(tensor.get_element_type()));
        add(to_string(tensor.get_shape()));
        value_ = hash_bytes(tensor.data(), tensor.get_byte_size(), value_);
    }
    std::uint64_t value() const { return value_; }

private:
    std::uint64_t value_ = 0;
};

void add_attributes(Hasher& hasher, const Node& node) {
    for (const NamedAttribute& item : list_attributes(node.attributes())) {
        hasher.add(item.name);
        if (const auto* body = std::get_if<std::shared_ptr<Model>*>(&item.ref)) {
            hasher.add(**body ? hash_graph(***body).value : 0);
        } else if (const auto* tensor = std::get_if<Tensor*>(&item.ref)) {
            if (**tensor) {
                hasher.add(**tensor);
            }
        } else if (!node.is("Parameter") || item.name != "shape") {
            hasher.add(attribute_to_text(item.ref));
        }
    }
}

std::uint64_t hash_layer(const Node& node) {
    Hasher hasher;
    hasher.add(node.type());
    hasher.add(static_cast<std::uint64_t>(node.spec().version));
    add_attributes(hasher, node);
    for (const Output& input : node.inputs()) {
        if (!input) {
            hasher.add(0);
        } else if (input.node->is_constant()) {
            hasher.add(input.node->constant());
        } else {
            hasher.add(input.node->name());
            hasher.add(input.index);
        }
    }
    return hasher.value();
}

}  // namespace

GraphHash hash_graph(const Model& model) {
    GraphHash graph;
    for (const Node* node : model.ordered_nodes()) {
        if (!node->is_constant()) {
            graph.layers.push_back({node->name(), hash_layer(*node)});
        }
    }
    std::vector<GraphHash::Layer> sorted = graph.layers;
    std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
        return std::tie(a.name, a.hash) < std::tie(b.name, b.hash);
    });
    Hasher hasher;
    for (const GraphHash::Layer& layer : sorted) {
        hasher.add(layer.name);
        hasher.add(layer.hash);
    }
    graph.value = hasher.value();
    return graph;
}

std::string first_difference(const GraphHash& expected, const GraphHash& other) {
    if (expected.value == other.value) {
        return {};
    }
    std::multimap<std::string, std::uint64_t> theirs;
    for (const GraphHash::Layer& layer : other.layers) {
        theirs.emplace(layer.name, layer.hash);
    }
    for (const GraphHash::Layer& layer : expected.layers) {
        auto [at, end] = theirs.equal_range(layer.name);
        if (at == end) {
            return fmt::format("it has no layer '{}'", layer.name);
        }
        const auto same =
            std::find_if(at, end, [&](const auto& item) { return item.second == layer.hash; });
        if (same == end) {
            return fmt::format(
                "its layer '{}' has another operation, other attributes, constants or sources",
                layer.name);
        }
        theirs.erase(same);
    }
    return fmt::format("it has one more layer, '{}'", theirs.begin()->first);
}

}  // namespace fuseq::quantizer
