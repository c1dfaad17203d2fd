// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/onnx/graph_order.hpp"

#include <fmt/core.h>

#include <onnx/onnx_pb.h>

#include <queue>
#include <unordered_map>
#include <unordered_set>

namespace fuseq::onnx_reader {
namespace {

using ::onnx::GraphProto;
using ::onnx::NodeProto;

constexpr int kGiven = -1;  // an input or an initializer, made by no node

// Value name to the node that makes it.
using Producers = std::unordered_map<std::string, int>;

Place at(const Place& place, const NodeProto& node) {
    return {.file = place.file, .layer = layer_name(node), .op = operator_name(node)};
}

Producers find_producers(const GraphProto& graph, const Place& place) {
    Producers producers;
    for (const auto& input : graph.input()) {
        place.require(!input.name().empty(), "an input of the graph has no name");
        place.require(producers.emplace(input.name(), kGiven).second,
                      "two inputs of the graph have "
                      "the name '",
                      input.name(), "'");
    }
    std::unordered_set<std::string> initializers;
    const auto add_initializer = [&](const std::string& name) {
        place.require(initializers.insert(name).second, "two initializers have the name '", name,
                      "'");
        producers.emplace(name, kGiven);  // an input of that name gets its default value
    };
    for (const auto& initializer : graph.initializer()) {
        add_initializer(initializer.name());
    }
    for (const auto& initializer : graph.sparse_initializer()) {
        add_initializer(initializer.values().name());
    }
    for (int i = 0; i < graph.node_size(); ++i) {
        for (const std::string& output : graph.node(i).output()) {
            const bool added = output.empty() || producers.emplace(output, i).second;
            at(place, graph.node(i))
                .require(added, "output '", output, "' is defined a second time");
        }
    }
    return producers;
}

void visit_graph_reads(const GraphProto& graph,
                       const std::function<void(const std::string&)>& visit);

// Values that a node reads, in the bodies of If and Loop too.
void visit_reads(const NodeProto& node, const std::function<void(const std::string&)>& visit) {
    for (const std::string& input : node.input()) {
        if (!input.empty()) {
            visit(input);
        }
    }
    for (const auto& attribute : node.attribute()) {
        if (attribute.has_g()) {
            visit_graph_reads(attribute.g(), visit);
        }
    }
}

// Those that the body does not define itself.
void visit_graph_reads(const GraphProto& graph,
                       const std::function<void(const std::string&)>& visit) {
    std::unordered_set<std::string> own;
    for (const auto& input : graph.input()) {
        own.insert(input.name());
    }
    for (const auto& initializer : graph.initializer()) {
        own.insert(initializer.name());
    }
    for (const NodeProto& node : graph.node()) {
        own.insert(node.output().begin(), node.output().end());
    }
    const auto outside = [&](const std::string& name) {
        if (!own.contains(name)) {
            visit(name);
        }
    };
    for (const NodeProto& node : graph.node()) {
        visit_reads(node, outside);
    }
    for (const auto& output : graph.output()) {
        outside(output.name());
    }
}

std::string text_of_cycle(const GraphProto& graph, const std::vector<int>& open) {
    constexpr std::size_t kShown = 8;
    std::string names;
    std::size_t count = 0;
    for (int i = 0; i < graph.node_size(); ++i) {
        if (open[static_cast<std::size_t>(i)] > 0 && ++count <= kShown) {
            names += (names.empty() ? "'" : ", '") + layer_name(graph.node(i)) + "'";
        }
    }
    return names + (count > kShown ? fmt::format(" and {} more", count - kShown) : "");
}

}  // namespace

std::string layer_name(const NodeProto& node) {
    if (!node.name().empty()) {
        return node.name();
    }
    for (const std::string& output : node.output()) {
        if (!output.empty()) {
            return output;
        }
    }
    return node.op_type();
}

std::string operator_name(const NodeProto& node) {
    const std::string domain = domain_of(node.domain());
    return domain.empty() ? node.op_type() : domain + ":" + node.op_type();
}

std::string domain_of(const std::string& domain) {
    return domain == "ai.onnx" ? "" : domain;
}

std::vector<int> ordered_nodes(const GraphProto& graph,
                               const std::function<bool(const std::string&)>& outer,
                               const Place& place) {
    const Producers producers = find_producers(graph, place);
    const auto count = static_cast<std::size_t>(graph.node_size());
    std::vector<std::vector<int>> readers(count);
    std::vector<int> open(count, 0);  // inputs whose producers are not in the order yet
    for (int i = 0; i < graph.node_size(); ++i) {
        const NodeProto& node = graph.node(i);
        visit_reads(node, [&](const std::string& name) {
            const auto found = producers.find(name);
            at(place, node)
                .require(found != producers.end() || outer(name), "input '", name,
                         "' is defined nowhere: no node, initializer or input of the "
                         "graph has this name");
            if (found != producers.end() && found->second != kGiven) {
                readers[static_cast<std::size_t>(found->second)].push_back(i);
                ++open[static_cast<std::size_t>(i)];
            }
        });
    }
    for (const auto& output : graph.output()) {
        place.require(producers.contains(output.name()) || outer(output.name()), "output '",
                      output.name(), "' of the graph is defined nowhere");
    }
    std::priority_queue<int, std::vector<int>, std::greater<>> ready;
    for (int i = 0; i < graph.node_size(); ++i) {
        if (open[static_cast<std::size_t>(i)] == 0) {
            ready.push(i);
        }
    }
    std::vector<int> order;
    while (!ready.empty()) {
        const int next = ready.top();
        ready.pop();
        order.push_back(next);
        for (const int reader : readers[static_cast<std::size_t>(next)]) {
            if (--open[static_cast<std::size_t>(reader)] == 0) {
                ready.push(reader);
            }
        }
    }
    place.require(order.size() == count,
                  "the graph has a cycle; these nodes are on it or read "
                  "from it: ",
                  text_of_cycle(graph, open));
    return order;
}

}  // namespace fuseq::onnx_reader
