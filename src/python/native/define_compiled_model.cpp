// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <sstream>

#include <pybind11/stl.h>

#include "fuseq/error.hpp"
#include "python/native/bindings.hpp"
#include "python/native/compiled_model.hpp"
#include "python/native/errors.hpp"
#include "python/native/properties.hpp"

namespace py = pybind11;

namespace fuseq::python {
namespace {

using CompiledClass = py::class_<PyCompiledModel, std::shared_ptr<PyCompiledModel>>;

constexpr const char* kCallDoc =
    "Runs the model and returns its results, by index, name or port.\n\n"
    "inputs: an array or Tensor for a model with one input, a list or tuple in the order of the\n"
    "    inputs, or a dict by index, name or port. An array has the type and shape of its input;\n"
    "    whole numbers that fit and real numbers for a real type are converted.\n"
    "share_inputs: arrays in C order and of the input's type are read in place; False: copied.\n"
    "share_outputs: results are views of memory that the next call overwrites.\n\n"
    "Other Python threads go on meanwhile, and may call too. Raises Error for an array of a wrong\n"
    "type or shape, saying what was given and what is needed.";

PyPort one_port(const std::vector<CompiledPort>& ports, const char* what) {
    if (ports.size() != 1) {
        throw Error("model", fmt::format("the model has {} {}s: say which one, by index or name",
                                         ports.size(), what));
    }
    return ports.front().port;
}

PyPort input_port(const PyCompiledModel& self, const py::object& key) {
    const CompiledPorts& ports = *self.ports();
    return key.is_none() ? one_port(ports.inputs(), "input")
                         : ports.inputs()[ports.input_index(key)].port;
}

PyPort output_port(const PyCompiledModel& self, const py::object& key) {
    const CompiledPorts& ports = *self.ports();
    return key.is_none() ? one_port(ports.outputs(), "output")
                         : ports.outputs()[ports.output_index(key)].port;
}

std::vector<PyPort> all_ports(const std::vector<CompiledPort>& ports) {
    std::vector<PyPort> all;
    all.reserve(ports.size());
    for (const CompiledPort& port : ports) {
        all.push_back(port.port);
    }
    return all;
}

py::object get_property(const PyCompiledModel& self, const py::object& key) {
    const std::string name = py::str(key).cast<std::string>();
    try {
        return property_value(name, self.native().get_property(name));
    } catch (const Error& error) {
        throw_with_hint(error, {name},
                        self.native().get_property(property::kSupportedProperties).as_list());
    }
}

py::object export_model(const PyCompiledModel& self, const py::object& stream) {
    std::ostringstream out;
    {
        const py::gil_scoped_release free;
        self.native().export_model(out);
    }
    const py::bytes bytes(out.str());
    if (stream.is_none()) {
        return py::module_::import("io").attr("BytesIO")(bytes).attr("getvalue")();
    }
    stream.attr("write")(bytes);
    return py::none();
}

// In the state of the model when it was compiled for static shapes, else of its last run.
py::object explain(const PyCompiledModel& self) {
    return py::module_::import("json").attr("loads")(self.native().get_runtime_report());
}

}  // namespace

PyResults PyCompiledModel::call(const py::object& inputs, bool share_inputs, bool share_outputs) {
    if (idle_.empty()) {
        idle_.push_back(std::make_unique<PyRequest>(ports_));
    }
    std::unique_ptr<PyRequest> request = std::move(idle_.back());
    idle_.pop_back();
    PyResults results = request->infer(inputs, share_inputs, share_outputs);
    idle_.push_back(std::move(request));
    return results;
}

void define_compiled_model(py::module_& module) {
    CompiledClass compiled(module, "CompiledModel",
                           "A model made ready for a device; call it with arrays. Any thread may "
                           "use it.");
    compiled
        .def(
            "__call__",
            [](PyCompiledModel& self, const py::object& inputs, bool share_inputs,
               bool share_outputs, const py::object& /*decode_strings*/,
               const py::kwargs& unknown) {
                refuse_unknown(unknown, "CompiledModel()",
                               {"inputs", "share_inputs", "share_outputs"});
                return self.call(inputs, share_inputs, share_outputs);
            },
            py::arg("inputs") = py::none(), py::arg("share_inputs") = true,
            py::arg("share_outputs") = false, py::kw_only(), py::arg("decode_strings") = true,
            kCallDoc)
        .def(
            "infer_new_request",
            [](PyCompiledModel& self, const py::object& inputs) {
                return PyRequest(self.ports()).infer(inputs, false, false);
            },
            py::arg("inputs") = py::none(), "Runs once on a new request.")
        .def("create_infer_request",
             [](const PyCompiledModel& self) { return std::make_shared<PyRequest>(self.ports()); })
        .def_property_readonly(
            "inputs", [](const PyCompiledModel& self) { return all_ports(self.ports()->inputs()); })
        .def_property_readonly(
            "outputs",
            [](const PyCompiledModel& self) { return all_ports(self.ports()->outputs()); })
        .def("input", &input_port, py::arg("index_or_name") = py::none())
        .def("output", &output_port, py::arg("index_or_name") = py::none())
        .def("get_property", &get_property, py::arg("property"),
             "Raises Error for a property that the device does not have, naming the nearest.")
        .def("export_model", &export_model, py::arg("model_stream") = py::none(),
             "Bytes for Core.import_model() of the same build on the same machine, or writes them "
             "to an open file.")
        .def(
            "get_runtime_model",
            [](const PyCompiledModel& self) { return self.native().get_runtime_model(); },
            "What is executed, as a Model of layers of type 'ExecutionNode'; Node.get_rt_info() "
            "has OpenVINO's keys: 'layerType', 'primitiveType', 'execTimeMcs' (with PERF_COUNT), "
            "'originalLayersNames', ... Of a model with open shapes, of its last run.")
        .def("explain", &explain,
             "The report of what became of every FakeQuantize and every layer, as a dict: "
             "'totals', 'quantizers', 'steps', ... Of a model with open shapes, of its last run.")
        .def(
            "release_memory", [](const PyCompiledModel& /*self*/) {},
            "Nothing: memory lives as long as the requests.")
        .def("__repr__", [](const PyCompiledModel& self) {
            return fmt::format("<CompiledModel: {} inputs, {} outputs>",
                               self.ports()->inputs().size(), self.ports()->outputs().size());
        });
}

}  // namespace fuseq::python
