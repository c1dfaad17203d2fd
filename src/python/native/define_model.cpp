// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// fuseq.Model.
#include <fmt/core.h>

#include <algorithm>

#include <pybind11/stl.h>

#include "fuseq/error.hpp"
#include "fuseq/model.hpp"
#include "fuseq/save_model.hpp"
#include "fuseq/variable_state.hpp"
#include "python/native/bindings.hpp"
#include "python/native/ports.hpp"
#include "python/native/shapes.hpp"
#include "python/native/types.hpp"

namespace py = pybind11;

namespace fuseq::python {
namespace {

using Handle = std::shared_ptr<Model>;
using ModelClass = py::class_<Model, Handle>;

PyPort port_of(const Handle& self, const py::object& key, bool input) {
    const auto by_index = [&](std::size_t i) { return input ? self->input(i) : self->output(i); };
    if (py::isinstance<py::str>(key)) {
        const auto name = key.cast<std::string>();
        return {input ? self->input(name) : self->output(name), self};
    }
    if (!key.is_none()) {
        return {by_index(key.cast<std::size_t>()), self};
    }
    const std::size_t count = input ? self->parameters().size() : self->results().size();
    if (count != 1) {
        throw Error("model", fmt::format("the model has {}{}: say which one, by index or name",
                                         count, input ? " inputs" : " outputs"));
    }
    return {by_index(0), self};
}

// The layer name of the input that a key of reshape() stands for.
std::string input_name(const Handle& self, const py::handle& key) {
    if (py::isinstance<py::str>(key)) {
        return self->input(key.cast<std::string>()).node->name();
    }
    if (py::isinstance<PyPort>(key)) {
        return key.cast<const PyPort&>().output.node->name();
    }
    return self->input(key.cast<std::size_t>()).node->name();
}

void reshape(const Handle& self, const py::object& shapes) {
    if (!py::isinstance<py::dict>(shapes)) {
        self->reshape(partial_shape_from(shapes));
        return;
    }
    std::map<std::string, PartialShape> wanted;
    for (const auto& [key, shape] : py::reinterpret_borrow<py::dict>(shapes)) {
        wanted[input_name(self, key)] =
            partial_shape_from(py::reinterpret_borrow<py::object>(shape));
    }
    self->reshape(wanted);
}

// A name, or ("layer", number of its output).
std::string name_of_output(const py::handle& name) {
    if (!py::isinstance<py::tuple>(name)) {
        return name.cast<std::string>();
    }
    const auto [layer, index] = name.cast<std::pair<std::string, std::size_t>>();
    return index == 0 ? layer : layer + "." + std::to_string(index);
}

std::vector<PyPort> add_outputs(const Handle& self, const py::object& names) {
    std::vector<PyPort> added;
    const auto add = [&](const py::handle& name) {
        added.push_back({py::isinstance<PyPort>(name)
                             ? self->add_output(name.cast<const PyPort&>().output)
                             : self->add_output(name_of_output(name)),
                         self});
    };
    const bool pair = py::isinstance<py::tuple>(names) && py::len(names) == 2 &&
                      py::isinstance<py::int_>(names[py::int_(1)]);
    if (!pair && (py::isinstance<py::list>(names) || py::isinstance<py::tuple>(names))) {
        for (const py::handle name : names) {
            add(name);
        }
    } else {
        add(names);
    }
    return added;
}

bool is_dynamic(const Handle& self) {
    for (const Node* node : self->ordered_nodes()) {
        for (std::size_t i = 0; i < node->output_count(); ++i) {
            if (node->port(i).shape.is_dynamic()) {
                return true;
            }
        }
    }
    return false;
}

PyNode only_result(const Handle& self) {
    (void)port_of(self, py::none(), false);  // refuses several
    return {self->results().front(), self};
}

// Where a layer stands among the parameters or results; -1 where it does not, as in OpenVINO.
std::int64_t place_among(const std::vector<Node*>& nodes, const Node* node) {
    const auto found = std::find(nodes.begin(), nodes.end(), node);
    return found == nodes.end() ? -1 : found - nodes.begin();
}

// Of a Result, or of the port that feeds one.
std::int64_t result_index(const Handle& self, const py::object& what) {
    if (py::isinstance<PyNode>(what)) {
        return place_among(self->results(), what.cast<const PyNode&>().node);
    }
    const Output& wanted = what.cast<const PyPort&>().output;
    const std::vector<Output> outputs = self->outputs();
    const auto found = std::find_if(outputs.begin(), outputs.end(), [&](const Output& output) {
        return same_port(output, wanted);
    });
    return found == outputs.end() ? -1 : found - outputs.begin();
}

std::vector<std::string> variable_names(const Handle& self) {
    std::vector<std::string> names;
    for (const Variable& variable : variables_of(*self)) {
        names.push_back(variable.name);
    }
    return names;
}

// What is asked by the number of an output.
void define_outputs_by_number(ModelClass& model) {
    model.def("get_output_size", [](const Handle& self) { return self->results().size(); })
        .def(
            "get_output_op",
            [](const Handle& self, std::size_t i) {
                (void)self->output(i);  // refuses a wrong number
                return PyNode{self->results()[i], self};
            },
            py::arg("index"), "The Result.")
        .def(
            "get_output_element_type",
            [](const Handle& self, std::size_t i) { return PyType{self->output(i).type()}; },
            py::arg("index"))
        .def(
            "get_output_partial_shape",
            [](const Handle& self, std::size_t i) { return self->output(i).partial_shape(); },
            py::arg("index"))
        .def(
            "get_output_shape",
            [](const Handle& self, std::size_t i) {
                return shape_object({self->output(i), self});
            },
            py::arg("index"))
        .def_property_readonly("result", &only_result)
        .def("get_result", &only_result, "Of a model with one output.")
        .def("get_result_index", &result_index, py::arg("value"),
             "Which output a Result or a port is; -1 for none.")
        .def(
            "get_parameter_index",
            [](const Handle& self, const PyNode& parameter) {
                return place_among(self->parameters(), parameter.node);
            },
            py::arg("parameter"), "Which input a Parameter is; -1 for none.");
}

void define_model_ports(ModelClass& model) {
    model
        .def_property_readonly("inputs",
                               [](const Handle& self) { return with_owner(self->inputs(), self); })
        .def_property_readonly("outputs",
                               [](const Handle& self) { return with_owner(self->outputs(), self); })
        .def(
            "input",
            [](const Handle& self, const py::object& key) { return port_of(self, key, true); },
            py::arg("index_or_name") = py::none(),
            "By index or name; without either for a model with one input. Raises Error naming the "
            "inputs there are.")
        .def(
            "output",
            [](const Handle& self, const py::object& key) { return port_of(self, key, false); },
            py::arg("index_or_name") = py::none(),
            "By index or name; without either for a model with one output. Raises Error naming the "
            "outputs there are.")
        .def("reshape", &reshape, py::arg("shapes"),
             "New shapes of the inputs: one for a model with one input, or a dict by index, name "
             "or port. Raises Error, and leaves the model as it was, where a layer refuses them.")
        .def(
            "add_outputs", &add_outputs, py::arg("outputs"),
            "Makes tensors or layers, by name, ('layer', number of its output) or port, outputs of "
            "the model.");
}

}  // namespace

void define_model(py::module_& module) {
    ModelClass model(module, "Model", "A graph of layers, as read from a file.");
    define_model_ports(model);
    define_outputs_by_number(model);
    model.def_property_readonly("name", &Model::name)
        .def("get_name", &Model::name)
        .def_property("friendly_name", &Model::name, &Model::set_name)
        .def("get_friendly_name", &Model::name)
        .def("set_friendly_name", &Model::set_name, py::arg("name"))
        .def(
            "get_ops", [](const Handle& self) { return with_owner(self->ordered_nodes(), self); },
            "All layers, producers first.")
        .def("get_ordered_ops",
             [](const Handle& self) { return with_owner(self->ordered_nodes(), self); })
        .def("get_parameters",
             [](const Handle& self) { return with_owner(self->parameters(), self); })
        .def("get_results", [](const Handle& self) { return with_owner(self->results(), self); })
        .def_property_readonly(
            "parameters", [](const Handle& self) { return with_owner(self->parameters(), self); })
        .def_property_readonly("results",
                               [](const Handle& self) { return with_owner(self->results(), self); })
        .def("is_dynamic", &is_dynamic)
        .def_property_readonly("dynamic", &is_dynamic)
        .def("clone", &Model::clone, "A copy; constants share their memory.")
        .def("__deepcopy__",
             [](const Model& self, const py::object& /*memo*/) { return self.clone(); })
        .def("validate_nodes_and_infer_types", &Model::validate)
        .def("get_variables", &variable_names, "Names of the variables (ReadValue, Assign).")
        .def(
            "to_text", [](const Model& self) { return self.to_text(); }, "One line a layer.")
        .def_static("from_text", &Model::from_text, py::arg("text"))
        .def("__repr__", [](const Model& self) {
            return fmt::format("<Model: '{}', {} inputs, {} outputs>", self.name(),
                               self.parameters().size(), self.results().size());
        });
    module.def(
        "_save_model",
        [](const Model& self, const std::string& xml, const std::string& bin, int version) {
            save_model(self, xml, bin, version);
        },
        py::call_guard<py::gil_scoped_release>());
}

}  // namespace fuseq::python
