// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "python/native/ports.hpp"

#include <fmt/core.h>

#include <functional>

#include <pybind11/stl.h>

#include "python/native/bindings.hpp"
#include "python/native/types.hpp"

namespace py = pybind11;

namespace fuseq::python {
namespace {

std::string name_of(const PyPort& self) {
    return self.output.get_any_name();
}

void define_port(py::module_& module) {
    py::class_<PyPort>(module, "ConstOutput",
                       "An input or output of a Model or CompiledModel. It can be a key of the "
                       "inputs of a call and of its results.")
        .def_property_readonly("any_name", &name_of)
        .def("get_any_name", &name_of, "A tensor name, or the layer's name when it has none.")
        .def_property_readonly("names", [](const PyPort& self) { return self.output.get_names(); })
        .def("get_names", [](const PyPort& self) { return self.output.get_names(); })
        .def_property_readonly("shape", &shape_object,
                               "The Shape; raises Error when a size is not known.")
        .def("get_shape", &shape_object)
        .def_property_readonly("partial_shape",
                               [](const PyPort& self) { return self.output.partial_shape(); })
        .def("get_partial_shape", [](const PyPort& self) { return self.output.partial_shape(); })
        .def_property_readonly("element_type",
                               [](const PyPort& self) { return PyType{self.output.type()}; })
        .def("get_element_type", [](const PyPort& self) { return PyType{self.output.type()}; })
        .def_property_readonly("index", [](const PyPort& self) { return self.output.index; })
        .def(
            "get_index", [](const PyPort& self) { return self.output.index; },
            "Which result of its layer it is.")
        .def_property_readonly("node",
                               [](const PyPort& self) {
                                   return PyNode{self.output.node, self.owner};
                               })
        .def("get_node",
             [](const PyPort& self) {
                 return PyNode{self.output.node, self.owner};
             })
        .def(
            "__eq__",
            [](const PyPort& a, const PyPort& b) { return same_port(a.output, b.output); },
            py::is_operator())
        .def("__hash__",
             [](const PyPort& self) {
                 return std::hash<std::string>()(self.output.node->name()) + self.output.index;
             })
        .def("__repr__", [](const PyPort& self) {
            return fmt::format("<ConstOutput: '{}' {} {}>", name_of(self),
                               to_string(self.output.type()),
                               to_string(self.output.partial_shape()));
        });
}

}  // namespace

py::object shape_object(const PyPort& port) {
    return py::module_::import("fuseq").attr("Shape")(
        std::vector<std::size_t>(port.output.shape()));
}

bool same_port(const Output& a, const Output& b) {
    return a == b || (a.index == b.index && a.node->name() == b.node->name() &&
                      a.node->type() == b.node->type());
}

std::vector<PyPort> with_owner(const std::vector<Output>& ports,
                               const std::shared_ptr<const void>& owner) {
    std::vector<PyPort> owned;
    owned.reserve(ports.size());
    for (const Output& port : ports) {
        owned.push_back({port, owner});
    }
    return owned;
}

std::vector<PyNode> with_owner(const std::vector<Node*>& nodes,
                               const std::shared_ptr<const void>& owner) {
    std::vector<PyNode> owned;
    owned.reserve(nodes.size());
    for (Node* node : nodes) {
        owned.push_back({node, owner});
    }
    return owned;
}

void define_ports(py::module_& module) {
    define_port(module);
}

}  // namespace fuseq::python
