// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/execution_graph.hpp"

#include <map>
#include <utility>

#include <nlohmann/json.hpp>

#include "fuseq/error.hpp"
#include "ops/op_spec.hpp"

namespace fuseq {
namespace {

using nlohmann::json;

// Types and shapes are those that the device said; nothing is inferred.
struct ExecutionNodeAttrs final : AttributesOf<ExecutionNodeAttrs> {
    void visit(AttributeVisitor&) override {}
};

void keep_outputs(InferContext&) {}

constexpr OpSpec kExecutionNode{.type = "ExecutionNode",
                                .version = 0,
                                .inputs = {0, Arity::kMany},
                                .make_attributes = &make_attributes<ExecutionNodeAttrs>,
                                .infer = &keep_outputs,
                                .evaluate = nullptr,
                                .summary = "A step of a compiled model"};

// Times of steps, each name in the order of execution.
class Times {
public:
    explicit Times(const std::vector<std::vector<ProfilingInfo>>& runs) {
        for (const std::vector<ProfilingInfo>& run : runs) {
            std::map<std::string, std::size_t> seen;
            for (const ProfilingInfo& info : run) {
                Total& total = totals_[{info.node_name, seen[info.node_name]++}];
                total.us += info.real_time_us;
                ++total.count;
            }
        }
    }
    std::string next(const std::string& name) {
        const auto found = totals_.find({name, asked_[name]++});
        return found == totals_.end() ? "not_executed"
                                      : std::to_string(found->second.us / found->second.count);
    }

private:
    struct Total {
        std::int64_t us = 0;
        std::int64_t count = 0;
    };
    std::map<std::pair<std::string, std::size_t>, Total> totals_;
    std::map<std::string, std::size_t> asked_;
};

class GraphBuilder {
public:
    GraphBuilder(const json& graph, const std::vector<std::vector<ProfilingInfo>>& runs)
        : graph_(graph),
          times_(runs),
          model_(std::make_shared<Model>(graph.at("name").get<std::string>())) {}

    std::shared_ptr<Model> build() {
        for (const json& item : graph_.at("nodes")) {
            add(item);
        }
        return model_;
    }

private:
    void add(const json& item) {
        const auto name = item.at("name").get<std::string>();
        const auto type = item.at("info").at("layerType").get<std::string>();
        std::vector<Output> inputs;
        for (const json& source : item.at("inputs")) {
            inputs.push_back(
                {nodes_.at(source.at(0).get<std::size_t>()), source.at(1).get<std::size_t>()});
        }
        Node* node = nullptr;
        if (type == "Input") {
            const json& port = item.at("outputs").at(0);
            node = model_->add_parameter(name, type_of(port), shape_of(port));
        } else if (type == "Output" && !inputs.empty()) {
            node = model_->add_result(name, inputs.front());
        } else {
            node = add_step(model_->unique_name(name), std::move(inputs), item.at("outputs"));
        }
        node->rt_info = item.at("info").get<std::map<std::string, std::string>>();
        node->rt_info["execTimeMcs"] =
            type == "Input" || type == "Output" ? "not_executed" : times_.next(name);
        nodes_.push_back(node);
    }

    Node* add_step(const std::string& name, std::vector<Output> inputs, const json& outputs) {
        Node* node = model_->add_unchecked(kExecutionNode, name, std::move(inputs),
                                           std::make_unique<ExecutionNodeAttrs>());
        node->set_output_count(outputs.size());
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            node->port(i).type = type_of(outputs[i]);
            node->port(i).shape = shape_of(outputs[i]);
        }
        return node;
    }

    static ElementType type_of(const json& port) {
        return parse_element_type(port.at("type").get<std::string>())
            .value_or(ElementType::undefined);
    }
    static PartialShape shape_of(const json& port) {
        return PartialShape::parse(port.at("shape").get<std::string>());
    }

    const json& graph_;
    Times times_;
    std::shared_ptr<Model> model_;
    std::vector<Node*> nodes_;
};

}  // namespace

std::shared_ptr<Model> execution_graph(const std::string& text,
                                       const std::vector<std::vector<ProfilingInfo>>& runs) {
    try {
        const json graph = json::parse(text);
        return GraphBuilder(graph, runs).build();
    } catch (const json::exception& error) {
        throw Error("compile", std::string("the device's execution graph: ") + error.what());
    }
}

}  // namespace fuseq
