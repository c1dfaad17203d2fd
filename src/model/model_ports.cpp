// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Inputs and outputs of a Model: finding them by name, reshaping, adding outputs.
#include <algorithm>

#include <fmt/core.h>

#include "fuseq/model.hpp"
#include "model/nearest_name.hpp"
#include "ops/parameter.hpp"

namespace fuseq {
namespace {

std::string layer_output_name(const Output& port) {
    const std::string& layer = port.node->name();
    return port.node->output_count() == 1 ? layer : layer + "." + std::to_string(port.index);
}

std::string list_names(const std::vector<Output>& ports) {
    std::string text;
    for (const Output& port : ports) {
        text += fmt::format("{}'{}'", text.empty() ? "" : ", ", port.get_any_name());
    }
    return text.empty() ? "none" : text;
}

// Of all the names that ports answer to.
std::string nearest_port(std::string_view name, const std::vector<Output>& ports) {
    std::vector<std::string> names;
    for (const Output& port : ports) {
        names.push_back(port.node->name());
        names.insert(names.end(), port.get_names().begin(), port.get_names().end());
    }
    return did_you_mean(name, names);
}

}  // namespace

std::vector<Output> Model::inputs() const {
    std::vector<Output> ports;
    for (Node* parameter : parameters_) {
        ports.push_back(parameter->output());
    }
    return ports;
}

std::vector<Output> Model::outputs() const {
    std::vector<Output> ports;
    for (Node* result : results_) {
        ports.push_back(result->input(0));
    }
    return ports;
}

std::size_t Model::input_index(std::string_view name) const {
    const std::vector<Output> ports = inputs();
    for (std::size_t i = 0; i < ports.size(); ++i) {
        if (ports[i].get_names().contains(std::string(name))) {
            return i;
        }
    }
    for (std::size_t i = 0; i < ports.size(); ++i) {
        if (ports[i].node->name() == name) {
            return i;
        }
    }
    throw Error("model", fmt::format("there is no input '{}'; inputs: {}{}", name,
                                     list_names(ports), nearest_port(name, ports)));
}

std::size_t Model::output_index(std::string_view name) const {
    const std::vector<Output> ports = outputs();
    for (std::size_t i = 0; i < ports.size(); ++i) {
        if (ports[i].get_names().contains(std::string(name))) {
            return i;
        }
    }
    for (std::size_t i = 0; i < ports.size(); ++i) {
        if (output_name(i) == name || results_[i]->name() == name) {
            return i;
        }
    }
    throw Error("model", fmt::format("there is no output '{}'; outputs: {}{}", name,
                                     list_names(ports), nearest_port(name, ports)));
}

std::string Model::output_name(std::size_t index) const {
    return layer_output_name(results_.at(index)->input(0));
}

Output Model::input(std::string_view name) const {
    return inputs()[input_index(name)];
}
Output Model::output(std::string_view name) const {
    return outputs()[output_index(name)];
}

Output Model::input(std::size_t index) const {
    if (index >= parameters_.size()) {
        throw Error("model", fmt::format("there is no input {}; the model has {}", index,
                                         parameters_.size()));
    }
    return parameters_[index]->output();
}

Output Model::output(std::size_t index) const {
    if (index >= results_.size()) {
        throw Error("model",
                    fmt::format("there is no output {}; the model has {}", index, results_.size()));
    }
    return results_[index]->input(0);
}

void Model::reshape(const std::map<std::string, PartialShape>& shapes) {
    std::vector<PartialShape> before;
    for (Node* parameter : parameters_) {
        before.push_back(parameter->attrs<ParameterAttrs>().shape);
    }
    std::map<std::size_t, PartialShape> wanted;
    for (const auto& [name, shape] : shapes) {
        wanted[input_index(name)] = shape;
    }
    try {
        for (const auto& [index, shape] : wanted) {
            parameters_[index]->attrs<ParameterAttrs>().shape = shape;
        }
        validate();
    } catch (...) {
        for (std::size_t i = 0; i < parameters_.size(); ++i) {
            parameters_[i]->attrs<ParameterAttrs>().shape = before[i];
        }
        validate();
        throw;
    }
}

void Model::reshape(const PartialShape& shape) {
    if (parameters_.size() != 1) {
        throw Error("model", fmt::format("reshape with one shape needs one input, the model has {}",
                                         parameters_.size()));
    }
    reshape({{parameters_[0]->name(), shape}});
}

Output Model::add_output(Output port) {
    for (const Node* result : results_) {
        if (result->input(0) == port) {
            return port;
        }
    }
    add_result(unique_name(layer_output_name(port) + "/sink"), port);
    return port;
}

Output Model::add_output(std::string_view tensor_or_layer_name) {
    for (const auto& node : nodes_) {
        for (std::size_t i = 0; i < node->output_count(); ++i) {
            if (node->port(i).names.contains(std::string(tensor_or_layer_name))) {
                return add_output(node->output(i));
            }
        }
    }
    for (const auto& node : nodes_) {
        if (!node->is("Result") && node->output_count() > 0) {
            if (node->name() == tensor_or_layer_name) {
                return add_output(node->output(0));
            }
            for (std::size_t i = 0; i < node->output_count(); ++i) {
                if (layer_output_name(node->output(i)) == tensor_or_layer_name) {
                    return add_output(node->output(i));
                }
            }
        }
    }
    std::vector<Output> ports;
    for (const auto& node : nodes_) {
        for (std::size_t i = 0; i < node->output_count(); ++i) {
            ports.push_back(node->output(i));
        }
    }
    throw Error("model", fmt::format("there is no layer or tensor '{}'{}", tensor_or_layer_name,
                                     nearest_port(tensor_or_layer_name, ports)));
}

}  // namespace fuseq
