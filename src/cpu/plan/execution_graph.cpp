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

namespace fuseq::cpu {
namespace {

using nlohmann::ordered_json;

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

// oneDNN's letters, "acdb" for channels-last memory of four dimensions.
std::string layout_letters(const PlanTensor& tensor) {
    if (!tensor.shape.rank_is_static()) {
        return "undef";
    }
    std::string letters;
    for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
        letters += static_cast<char>('a' + i);
    }
    if (tensor.layout == Layout::kChannelsLast && letters.size() > 2) {
        letters.erase(1, 1);
        letters += 'b';
    }
    return letters.empty() ? "x" : letters;
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
            add_node(name, "Input", {}, {plan_.inputs[i]}, "unknown", {name});
        }
        for (const auto& step : plan_.steps) {
            const StepInfo& info = step->info();
            add_node(info.name, layer_type(info.kind), step->inputs(), step->outputs(),
                     info.implementation, info.layers);
            if (!info.src_type.empty()) {
                nodes_.back()["info"]["runtimePrecision"] = info.src_type;
            }
        }
        for (std::size_t i = 0; i < plan_.outputs.size(); ++i) {
            const std::string& name = model_.results().at(i)->name();
            add_node(name, "Output", {plan_.outputs[i]}, {}, "unknown", {name});
            const PlanTensor& tensor = plan_.tensors[plan_.outputs[i]];
            nodes_.back()["info"]["outputPrecisions"] = to_string(tensor.type);
            nodes_.back()["info"]["outputLayouts"] = layout_letters(tensor);
            nodes_.back()["info"]["runtimePrecision"] = to_string(tensor.type);
        }
        return ordered_json{{"name", model_.name()}, {"nodes", nodes_}}.dump(1);
    }

private:
    using Port = std::pair<std::size_t, std::size_t>;

    void add_node(const std::string& name,
                  const std::string& type,
                  const std::vector<TensorId>& inputs,
                  const std::vector<TensorId>& outputs,
                  const std::string& implementation,
                  const std::vector<std::string>& layers) {
        ordered_json sources = ordered_json::array();
        for (const TensorId id : inputs) {
            for (const Port& port : makers(id)) {
                sources.push_back({port.first, port.second});
            }
        }
        ordered_json ports = ordered_json::array();
        std::vector<std::string> types;
        std::vector<std::string> layouts;
        for (const TensorId id : outputs) {
            const PlanTensor& tensor = plan_.tensors[id];
            types.push_back(to_string(tensor.type));
            layouts.push_back(layout_letters(tensor));
            ports.push_back({{"type", types.back()}, {"shape", to_string(tensor.shape)}});
            maker_[id] = {nodes_.size(), ports.size() - 1};
            makers_by_root_[plan_.root(id)].push_back(maker_[id]);
        }
        nodes_.push_back(
            {{"name", name},
             {"inputs", sources},
             {"outputs", ports},
             {"info",
              {{"layerType", type},
               {"primitiveType", implementation},
               {"originalLayersNames", fmt::format("{}", fmt::join(distinct(layers), ","))},
               {"outputPrecisions", fmt::format("{}", fmt::join(types, ","))},
               {"outputLayouts", fmt::format("{}", fmt::join(layouts, ","))},
               {"runtimePrecision", types.empty() ? "undefined" : types.front()},
               {"execOrder", std::to_string(nodes_.size())}}}});
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
    ordered_json nodes_ = ordered_json::array();
    std::map<TensorId, Port> maker_;
    std::map<TensorId, std::vector<Port>> makers_by_root_;
};

}  // namespace

std::string execution_graph_json(const Model& transformed, const Plan& plan) {
    return GraphWriter(transformed, plan).write();
}

}  // namespace fuseq::cpu
