// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "python/native/ports.hpp"

#include <fmt/core.h>

#include <functional>

#include <pybind11/stl.h>

#include "fuseq/error.hpp"
#include "fuseq/layout.hpp"
#include "python/native/bindings.hpp"
#include "python/native/py_tensor.hpp"
#include "python/native/types.hpp"

namespace py = pybind11;

namespace fuseq::python {
namespace {

py::object shape_object(const PyPort& self) {
    return py::module_::import("fuseq").attr("Shape")(
        std::vector<std::size_t>(self.output.shape()));
}

std::string name_of(const PyPort& self) {
    return self.output.get_any_name();
}

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
    py::class_<PyNode>(module, "Node", "A layer of a Model.")
        .def_property_readonly("friendly_name",
                               [](const PyNode& self) { return self.node->name(); })
        .def_property_readonly("name", [](const PyNode& self) { return self.node->name(); })
        .def("get_friendly_name", [](const PyNode& self) { return self.node->name(); })
        .def("get_name", [](const PyNode& self) { return self.node->name(); })
        .def("get_type_name", [](const PyNode& self) { return self.node->type(); })
        .def_property_readonly("type_name", [](const PyNode& self) { return self.node->type(); })
        .def("get_attributes", &attributes_of,
             "Attributes by name; subgraphs and tensors are left out.")
        .def("get_rt_info", [](const PyNode& self) { return self.node->rt_info; })
        .def_property_readonly("rt_info", [](const PyNode& self) { return self.node->rt_info; })
        .def("get_input_size", [](const PyNode& self) { return self.node->input_count(); })
        .def("get_output_size", [](const PyNode& self) { return self.node->output_count(); })
        .def("input_value", &input_value, py::arg("index"), "The port that an input reads.")
        .def("output", &output_of, py::arg("index") = 0)
        .def("outputs", &outputs_of)
        .def("get_output_element_type",
             [](const PyNode& self, std::size_t i) {
                 return PyType{output_of(self, i).output.type()};
             })
        .def("get_output_partial_shape",
             [](const PyNode& self, std::size_t i) {
                 return output_of(self, i).output.partial_shape();
             })
        .def("get_output_shape",
             [](const PyNode& self, std::size_t i) { return shape_object(output_of(self, i)); })
        .def(
            "get_layout", [](const PyNode& self) { return get_layout(output_of(self, 0).output); },
            "Of a Parameter: the layout that the model states.")
        .def(
            "set_layout",
            [](const PyNode& self, const Layout& layout) {
                set_layout(output_of(self, 0).output, layout);
            },
            py::arg("layout"))
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
}

}  // namespace fuseq::python
