// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/execution_graph.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "model/execution_graph_json.hpp"

namespace fuseq::cpu {
namespace {

// OpenVINO's name of a kind of step: "max_pool" becomes "MaxPool" but for these.
std::string layer_type(const std::string& kind) {
    static const std::map<std::string, std::string> kNames{
        {"matmul", "MatMul"},    {"binary", "Eltwise"},       {"io_reorder", "Reorder"},
        {"copy", "Reorder"},     {"concat", "Concatenation"}, {"max_pool", "Pooling"},
        {"avg_pool", "Pooling"}, {"movement", "Transpose"}};
    if (const auto found = kNames.find(kind); found != kNames.end()) {
        return found->second;
    }
    std::string name;
    bool capital = true;
    for (const char c : kind) {
        if (c != '_') {
            name += capital ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
        }
        capital = c == '_';
    }
    return name;
}

// In their order, each once.
std::vector<std::string> distinct(const std::vector<std::string>& names) {
    std::vector<std::string> list;
    std::copy_if(names.begin(), names.end(), std::back_inserter(list),
                 [seen = std::set<std::string>()](const std::string& name) mutable {
                     return seen.insert(name).second;
                 });
    return list;
}

class GraphWriter {
public:
    GraphWriter(const Model& model, const Plan& plan) : model_(model), plan_(plan) {}

    std::string write() {
        for (std::size_t i = 0; i < plan_.inputs.size(); ++i) {
            const std::string& name = model_.parameters().at(i)->name();
            add({.name = name, .layer_type = "Input", .layers = name}, {}, {plan_.inputs[i]});
        }
        for (const auto& step : plan_.steps) {
            const StepInfo& info = step->info();
            add({.name = info.name,
                 .layer_type = layer_type(info.kind),
                 .implementation = info.implementation,
                 .layers = fmt::format("{}", fmt::join(distinct(info.layers), ",")),
                 .precision = info.src_type},
                step->inputs(), step->outputs());
        }
        for (std::size_t i = 0; i < plan_.outputs.size(); ++i) {
            const std::string& name = model_.results().at(i)->name();
            add({.name = name,
                 .layer_type = "Output",
                 .layers = name,
                 .tensors = {described(plan_.outputs[i])}},
                {plan_.outputs[i]}, {});
        }
        return writer_.text(model_.name());
    }

private:
    using Port = std::pair<std::size_t, std::size_t>;

    ExecutionTensor described(TensorId id) const {
        const PlanTensor& tensor = plan_.tensors[id];
        return {tensor.type, tensor.shape, tensor.layout == Layout::kChannelsLast};
    }

    void add(ExecutionNode node,
             const std::vector<TensorId>& inputs,
             const std::vector<TensorId>& outputs) {
        for (const TensorId id : inputs) {
            const std::vector<Port> ports = makers(id);
            node.inputs.insert(node.inputs.end(), ports.begin(), ports.end());
        }
        for (const TensorId id : outputs) {
            node.tensors.push_back(described(id));
        }
        const std::size_t position = writer_.add(node);
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            maker_[outputs[i]] = {position, i};
            makers_by_root_[plan_.root(outputs[i])].push_back({position, i});
        }
    }

    // What wrote the tensor: the step that has it as a result, or the tensor that it is a view of;
    // several steps where each writes a slice. None: a constant.
    std::vector<Port> makers(TensorId id) const {
        if (id == kNoTensor) {
            return {};
        }
        for (TensorId view = id; view != kNoTensor; view = plan_.tensors[view].alias) {
            if (const auto found = maker_.find(view); found != maker_.end()) {
                return {found->second};
            }
        }
        const auto slices = makers_by_root_.find(plan_.root(id));
        return slices == makers_by_root_.end() ? std::vector<Port>() : slices->second;
    }

    const Model& model_;
    const Plan& plan_;
    ExecutionGraphWriter<nlohmann::ordered_json> writer_;
    std::map<TensorId, Port> maker_;
    std::map<TensorId, std::vector<Port>> makers_by_root_;
};

}  // namespace

std::string execution_graph_json(const Model& transformed, const Plan& plan) {
    return GraphWriter(transformed, plan).write();
}

}  // namespace fuseq::cpu
