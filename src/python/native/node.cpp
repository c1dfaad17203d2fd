// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// fuseq.Node.
#include <fmt/core.h>

#include <functional>

#include <pybind11/stl.h>

#include "fuseq/error.hpp"
#include "fuseq/layout.hpp"
#include "python/native/bindings.hpp"
#include "python/native/ports.hpp"
#include "python/native/py_tensor.hpp"
#include "python/native/types.hpp"

namespace py = pybind11;

namespace fuseq::python {
namespace {

using NodeClass = py::class_<PyNode>;

// Attributes as Python values: numbers, text, lists; what has neither form is left out.
py::object attribute_value(const AttributeRef& ref) {
    if (const auto* number = std::get_if<std::int64_t*>(&ref)) {
        return py::int_(**number);
    }
    if (const auto* flag = std::get_if<bool*>(&ref)) {
        return py::bool_(**flag);
    }
    if (const auto* real = std::get_if<float*>(&ref)) {
        return py::float_(**real);
    }
    if (const auto* list = std::get_if<std::vector<std::int64_t>*>(&ref)) {
        return py::cast(**list);
    }
    if (const auto* list = std::get_if<std::vector<float>*>(&ref)) {
        return py::cast(**list);
    }
    if (const auto* list = std::get_if<std::vector<std::string>*>(&ref)) {
        return py::cast(**list);
    }
    if (std::holds_alternative<std::shared_ptr<Model>*>(ref) ||
        std::holds_alternative<Tensor*>(ref)) {
        return py::none();
    }
    return py::str(attribute_to_text(ref));
}

py::dict attributes_of(const PyNode& self) {
    py::dict values;
    for (const NamedAttribute& attribute :
         list_attributes(static_cast<const Node*>(self.node)->attributes())) {
        const py::object value = attribute_value(attribute.ref);
        if (!value.is_none() && !attribute.internal) {
            values[py::str(attribute.name)] = value;
        }
    }
    return values;
}

PyPort output_of(const PyNode& self, std::size_t index) {
    if (index >= self.node->output_count()) {
        throw Error("model", fmt::format("layer '{}' has no output {}; it has {}",
                                         self.node->name(), index, self.node->output_count()));
    }
    return {self.node->output(index), self.owner};
}

PyPort input_value(const PyNode& self, std::size_t index) {
    if (!self.node->has_input(index)) {
        throw Error("model", fmt::format("layer '{}' has no input {}; it has {}", self.node->name(),
                                         index, self.node->input_count()));
    }
    return {self.node->input(index), self.owner};
}

std::vector<PyPort> input_values(const PyNode& self) {
    std::vector<PyPort> ports;
    for (std::size_t i = 0; i < self.node->input_count(); ++i) {
        if (self.node->has_input(i)) {
            ports.push_back(input_value(self, i));
        }
    }
    return ports;
}

std::vector<PyPort> outputs_of(const PyNode& self) {
    std::vector<PyPort> ports;
    for (std::size_t i = 0; i < self.node->output_count(); ++i) {
        ports.push_back(output_of(self, i));
    }
    return ports;
}

py::array constant_value(const PyNode& self) {
    return copy_of(self.node->constant());
}

PyType type_of_port(const PyPort& port) {
    return {port.output.type()};
}

PartialShape partial_shape_of(const PyPort& port) {
    return port.output.partial_shape();
}

// What an input or an output is like: the same three questions of each.
template <class Get>
void define_ports_of(NodeClass& node, const std::string& which, Get port) {
    node.def(("get_" + which + "_element_type").c_str(),
             [port](const PyNode& self, std::size_t i) { return type_of_port(port(self, i)); },
             py::arg("index"))
        .def(("get_" + which + "_partial_shape").c_str(),
             [port](const PyNode& self, std::size_t i) { return partial_shape_of(port(self, i)); },
             py::arg("index"))
        .def(("get_" + which + "_shape").c_str(),
             [port](const PyNode& self, std::size_t i) { return shape_object(port(self, i)); },
             py::arg("index"));
}

// Of the first output, which is the only one of most layers.
void define_first_output(NodeClass& node) {
    const auto type = [](const PyNode& self) { return type_of_port(output_of(self, 0)); };
    const auto partial = [](const PyNode& self) { return partial_shape_of(output_of(self, 0)); };
    const auto shape = [](const PyNode& self) { return shape_object(output_of(self, 0)); };
    const auto layout = [](const PyNode& self) { return get_layout(output_of(self, 0).output); };
    const auto set = [](const PyNode& self, const Layout& layout_of_it) {
        set_layout(output_of(self, 0).output, layout_of_it);
    };
    node.def("get_element_type", type)
        .def_property_readonly("element_type", type)
        .def("get_partial_shape", partial)
        .def_property_readonly("partial_shape", partial)
        .def("get_shape", shape)
        .def_property_readonly("shape", shape)
        .def("get_layout", layout, "Of a Parameter: the layout that the model states.")
        .def("set_layout", set, py::arg("layout"))
        .def_property("layout", layout, set);
}

}  // namespace

void define_node(py::module_& module) {
    NodeClass node(module, "Node", "A layer of a Model.");
    const auto name = [](const PyNode& self) { return self.node->name(); };
    const auto set_name = [](const PyNode& self, const std::string& to) {
        self.node->set_name(to);
    };
    node.def_property("friendly_name", name, set_name)
        .def_property_readonly("name", name)
        .def("get_friendly_name", name)
        .def("set_friendly_name", set_name, py::arg("name"))
        .def("get_name", name)
        .def("get_type_name", [](const PyNode& self) { return self.node->type(); })
        .def_property_readonly("type_name", [](const PyNode& self) { return self.node->type(); })
        .def("get_attributes", &attributes_of,
             "Attributes by name; subgraphs and tensors are left out.")
        .def("get_rt_info", [](const PyNode& self) { return self.node->rt_info; })
        .def_property_readonly("rt_info", [](const PyNode& self) { return self.node->rt_info; })
        .def("get_input_size", [](const PyNode& self) { return self.node->input_count(); })
        .def("get_output_size", [](const PyNode& self) { return self.node->output_count(); })
        .def("input_value", &input_value, py::arg("index"), "The port that an input reads.")
        .def("input_values", &input_values, "The ports that the inputs read.")
        .def("output", &output_of, py::arg("index") = 0)
        .def("outputs", &outputs_of)
        .def_property_readonly("data", &constant_value,
                               "Values of a Constant; raises Error for any other layer.")
        .def("get_data", &constant_value)
        .def(
            "__eq__", [](const PyNode& a, const PyNode& b) { return a.node == b.node; },
            py::is_operator())
        .def("__hash__", [](const PyNode& self) { return std::hash<const void*>()(self.node); })
        .def("__repr__", [](const PyNode& self) {
            return fmt::format("<Node: {} '{}'>", self.node->type(), self.node->name());
        });
    define_ports_of(node, "input", &input_value);
    define_ports_of(node, "output", &output_of);
    define_first_output(node);
}

}  // namespace fuseq::python
