// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "python/native/compiled_ports.hpp"

#include <fmt/core.h>

#include "fuseq/error.hpp"
#include "python/native/errors.hpp"

namespace py = pybind11;

namespace fuseq::python {
namespace {

std::vector<CompiledPort> ready(const std::vector<Output>& ports,
                                const std::shared_ptr<const void>& owner) {
    std::vector<CompiledPort> made;
    made.reserve(ports.size());
    for (const Output& port : ports) {
        made.push_back({{port, owner}, port.get_any_name(), port.type(), port.partial_shape()});
    }
    return made;
}

// Tensor names come first, as in Model::input(name).
void add_names(const std::vector<CompiledPort>& ports,
               std::map<std::string, std::size_t, std::less<>>& names) {
    for (std::size_t i = 0; i < ports.size(); ++i) {
        for (const std::string& name : ports[i].port.output.get_names()) {
            names.emplace(name, i);
        }
    }
    for (std::size_t i = 0; i < ports.size(); ++i) {
        const Output& output = ports[i].port.output;
        const std::string& layer = output.node->name();
        names.emplace(
            output.node->output_count() == 1 ? layer : fmt::format("{}.{}", layer, output.index),
            i);
    }
}

std::string list_of(const std::vector<CompiledPort>& ports) {
    std::string text;
    for (const CompiledPort& port : ports) {
        text += fmt::format("{}'{}'", text.empty() ? "" : ", ", port.name);
    }
    return text.empty() ? "none" : text;
}

std::vector<std::string> names_of(const std::map<std::string, std::size_t, std::less<>>& names) {
    std::vector<std::string> list;
    list.reserve(names.size());
    for (const auto& [name, index] : names) {
        list.push_back(name);
    }
    return list;
}

}  // namespace

CompiledPorts::CompiledPorts(CompiledModel model) : model_(std::move(model)) {
    const auto owner = std::make_shared<const CompiledModel>(model_);
    inputs_ = ready(model_.inputs(), owner);
    outputs_ = ready(model_.outputs(), owner);
    add_names(inputs_, input_names_);
    add_names(outputs_, output_names_);
}

std::size_t CompiledPorts::find(const py::handle& key,
                                const std::vector<CompiledPort>& ports,
                                const Names& names,
                                const char* what) {
    if (py::isinstance<py::str>(key)) {
        const auto name = key.cast<std::string_view>();
        if (const auto found = names.find(name); found != names.end()) {
            return found->second;
        }
        throw Error("infer",
                    fmt::format("there is no {} '{}'; {}s: {}{}", what, name, what, list_of(ports),
                                nearest_hint(std::string(name), names_of(names))));
    }
    if (py::isinstance<PyPort>(key)) {
        const auto& port = key.cast<const PyPort&>();
        for (std::size_t i = 0; i < ports.size(); ++i) {
            if (same_port(ports[i].port.output, port.output)) {
                return i;
            }
        }
        throw Error("infer", fmt::format("port '{}' is no {} of the compiled model; {}s: {}",
                                         port.output.get_any_name(), what, what, list_of(ports)));
    }
    if (PyIndex_Check(key.ptr()) == 0) {
        throw py::type_error(fmt::format("an {} is named by an index, a name or a port, not by {}",
                                         what, py::repr(key).cast<std::string>()));
    }
    const auto index = py::int_(py::reinterpret_borrow<py::object>(key)).cast<std::int64_t>();
    const auto count = static_cast<std::int64_t>(ports.size());
    if (index < -count || index >= count) {
        throw Error("infer",
                    fmt::format("there is no {} {}; the model has {}", what, index, count));
    }
    return static_cast<std::size_t>(index < 0 ? index + count : index);
}

std::size_t CompiledPorts::input_index(const py::handle& key) const {
    return find(key, inputs_, input_names_, "input");
}

std::size_t CompiledPorts::output_index(const py::handle& key) const {
    return find(key, outputs_, output_names_, "output");
}

CompiledPorts::Place CompiledPorts::place(const py::handle& key) const {
    if (py::isinstance<PyPort>(key)) {
        const Output& output = key.cast<const PyPort&>().output;
        for (std::size_t i = 0; i < inputs_.size(); ++i) {
            if (same_port(inputs_[i].port.output, output)) {
                return {true, i};
            }
        }
        return {false, output_index(key)};
    }
    if (!py::isinstance<py::str>(key)) {
        throw py::type_error(
            fmt::format("a name or a port is needed, not {}", py::repr(key).cast<std::string>()));
    }
    const auto name = key.cast<std::string_view>();
    if (const auto found = input_names_.find(name); found != input_names_.end()) {
        return {true, found->second};
    }
    if (const auto found = output_names_.find(name); found != output_names_.end()) {
        return {false, found->second};
    }
    std::vector<std::string> all = names_of(input_names_);
    const std::vector<std::string> more = names_of(output_names_);
    all.insert(all.end(), more.begin(), more.end());
    throw Error("infer", fmt::format("there is no input or output '{}'; inputs: {}; outputs: {}{}",
                                     name, list_of(inputs_), list_of(outputs_),
                                     nearest_hint(std::string(name), all)));
}

}  // namespace fuseq::python
