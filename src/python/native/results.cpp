// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "python/native/results.hpp"

#include <fmt/core.h>

#include <pybind11/stl.h>

#include "fuseq/error.hpp"
#include "python/native/bindings.hpp"

namespace py = pybind11;

namespace fuseq::python {
namespace {

std::vector<PyPort> result_keys(const PyResults& self) {
    std::vector<PyPort> keys;
    for (const CompiledPort& output : self.ports->outputs()) {
        keys.push_back(output.port);
    }
    return keys;
}

py::object item(const PyResults& self, const py::object& key) {
    return self.arrays[self.ports->output_index(key)];
}

py::tuple as_tuple(const PyResults& self) {
    return py::tuple(py::cast(self.arrays));
}

py::list items_of(const PyResults& self) {
    py::list items;
    const std::vector<PyPort> keys = result_keys(self);
    for (std::size_t i = 0; i < keys.size(); ++i) {
        items.append(py::make_tuple(keys[i], self.arrays[i]));
    }
    return items;
}

py::list result_names(const PyResults& self) {
    py::list names;
    for (const CompiledPort& output : self.ports->outputs()) {
        names.append(output.port.output.get_names());
    }
    return names;
}

py::dict as_dict(const PyResults& self) {
    py::dict values;
    for (const auto& pair : items_of(self)) {
        values[pair[py::int_(0)]] = pair[py::int_(1)];
    }
    return values;
}

std::string results_text(const PyResults& self) {
    std::string text = "{";
    for (std::size_t i = 0; i < self.arrays.size(); ++i) {
        text += fmt::format("{}'{}': {}", i == 0 ? "" : ", ", self.ports->outputs()[i].name,
                            py::repr(self.arrays[i]).cast<std::string>());
    }
    return text + "}";
}

}  // namespace

void define_results(py::module_& module) {
    py::class_<PyResults>(module, "OVDict",
                          "Results of an inference: results[0], results['name'], results[port]. "
                          "Keys are the output ports.\n\nRaises Error for an output that is not "
                          "there, naming those that are.")
        .def("__getitem__", &item)
        .def("__len__", [](const PyResults& self) { return self.arrays.size(); })
        .def("__iter__",
             [](const PyResults& self) { return py::iter(py::cast(result_keys(self))); })
        .def("__contains__",
             [](const PyResults& self, const py::object& key) {
                 try {
                     item(self, key);
                     return true;
                 } catch (const Error&) {
                     return false;
                 }
             })
        .def(
            "get",
            [](const PyResults& self, const py::object& key, const py::object& other) {
                try {
                    return item(self, key);
                } catch (const Error&) {
                    return other;
                }
            },
            py::arg("key"), py::arg("default") = py::none())
        .def("keys", &result_keys)
        .def("values", [](const PyResults& self) { return self.arrays; })
        .def("items", &items_of)
        .def("names", &result_names)
        .def("to_dict", &as_dict)
        .def("to_tuple", &as_tuple)
        .def("__repr__", &results_text);
}

}  // namespace fuseq::python
