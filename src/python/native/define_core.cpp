// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// fuseq.Core.
#include <fmt/core.h>

#include <sstream>

#include <pybind11/stl.h>

#include "fuseq/core.hpp"
#include "fuseq/error.hpp"
#include "python/native/bindings.hpp"
#include "python/native/compiled_model.hpp"
#include "python/native/errors.hpp"
#include "python/native/properties.hpp"
#include "python/native/py_tensor.hpp"

namespace py = pybind11;

namespace fuseq::python {
namespace {

using ModelHandle = std::shared_ptr<Model>;

// OpenVINO's scripts say AUTO where they leave the choice; there is one fast device.
std::string device_from(const std::string& name) {
    return name.rfind("AUTO", 0) == 0 ? "CPU" : name;
}

bool is_path(const py::handle& value) {
    return py::isinstance<py::str>(value) || py::hasattr(value, "__fspath__");
}

std::string path_from(const py::handle& value) {
    return py::str(py::module_::import("os").attr("fspath")(value)).cast<std::string>();
}

// Of bytes, a bytearray, or a file opened for reading.
py::bytes bytes_from(const py::object& value, const char* what) {
    if (py::isinstance<PyTensor>(value)) {
        const auto& tensor = value.cast<const PyTensor&>();
        return {static_cast<const char*>(tensor.tensor.data()), tensor.tensor.get_byte_size()};
    }
    const py::object whole = py::hasattr(value, "read") ? value.attr("read")() : value;
    if (!py::isinstance<py::bytes>(whole) && !py::isinstance<py::bytearray>(whole)) {
        throw py::type_error(fmt::format("{}: got {}, a path, bytes or an open file is needed",
                                         what, py::str(py::type::of(value)).cast<std::string>()));
    }
    return py::bytes(whole);
}

// The tensor keeps the bytes.
Tensor weights_from(const py::object& value) {
    if (py::isinstance<PyTensor>(value)) {
        const auto& tensor = value.cast<const PyTensor&>();
        Tensor own(ElementType::u8, Shape{tensor.tensor.get_byte_size()});
        if (own.get_size() > 0) {
            std::memcpy(own.data(), tensor.tensor.data(), own.get_size());
        }
        return own;
    }
    const std::string bytes = bytes_from(value, "weights");
    if (bytes.empty()) {
        return {};
    }
    Tensor own(ElementType::u8, Shape{bytes.size()});
    std::memcpy(own.data(), bytes.data(), bytes.size());
    return own;
}

Core::WarningHandler warnings_into(std::vector<std::string>& texts) {
    return [&texts](const std::string& text) { texts.push_back(text); };
}

void show_warnings(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
        py::module_::import("warnings").attr("warn")(text, py::arg("stacklevel") = 2);
    }
}

ModelHandle read_from_path(const Core& core, const std::string& path, const py::object& weights) {
    const std::string bin = weights.is_none() ? std::string() : path_from(weights);
    std::vector<std::string> warnings;
    ModelHandle model;
    {
        const py::gil_scoped_release free;
        model = core.read_model(path, bin, warnings_into(warnings));
    }
    show_warnings(warnings);
    return model;
}

ModelHandle read_from_memory(const Core& core, const std::string& text, const py::object& weights) {
    const Tensor values = weights.is_none() ? Tensor() : weights_from(weights);
    std::vector<std::string> warnings;
    ModelHandle model;
    {
        const py::gil_scoped_release free;
        model = core.read_model(text, values, warnings_into(warnings));
    }
    show_warnings(warnings);
    return model;
}

ModelHandle read(const Core& core, const py::object& model, const py::object& weights) {
    if (!is_path(model)) {
        return read_from_memory(core, bytes_from(model, "model"), weights);
    }
    const std::string path = path_from(model);
    if (weights.is_none() || is_path(weights)) {
        return read_from_path(core, path, weights);
    }
    return read_from_memory(core, path, weights);  // the text of an .xml
}

std::vector<std::string> supported(const Core& core, const std::string& device) {
    try {
        return core.get_property(device, property::kSupportedProperties).as_list();
    } catch (const Error&) {
        return {};
    }
}

std::vector<std::string> keys_of(const AnyMap& properties) {
    std::vector<std::string> names;
    for (const auto& [name, value] : properties) {
        names.push_back(name);
    }
    return names;
}

// Runs without the GIL. A failure about a property names the nearest that the device has.
template <class Compile>
std::shared_ptr<PyCompiledModel> compile_with(Core& core,
                                              const std::string& device,
                                              const AnyMap& properties,
                                              const Compile& compile) {
    try {
        CompiledModel compiled;
        {
            const py::gil_scoped_release free;
            compiled = compile();
        }
        return std::make_shared<PyCompiledModel>(std::move(compiled));
    } catch (const Error& error) {
        throw_with_hint(error, keys_of(properties), supported(core, device));
    }
}

std::shared_ptr<PyCompiledModel> compile(Core& core,
                                         const py::object& model,
                                         const std::string& device_name,
                                         const py::object& config,
                                         const py::object& weights) {
    const std::string device = device_from(device_name);
    const AnyMap properties = properties_from(config);
    if (is_path(model) && weights.is_none()) {
        const std::string path = path_from(model);
        return compile_with(core, device, properties,
                            [&] { return core.compile_model(path, device, properties); });
    }
    const ModelHandle given =
        py::isinstance<Model>(model) ? model.cast<ModelHandle>() : read(core, model, weights);
    return compile_with(core, device, properties, [&] {
        return core.compile_model(std::shared_ptr<const Model>(given), device, properties);
    });
}

// What a call of one or two arguments was given: the device, if any, and what comes last.
std::vector<py::object> device_and(const char* last,
                                   const char* call,
                                   const py::args& given,
                                   const py::kwargs& keywords) {
    std::vector<py::object> all;
    for (const py::handle value : given) {
        all.push_back(py::reinterpret_borrow<py::object>(value));
    }
    const py::dict unknown = keywords.attr("copy")();
    if (unknown.contains("device_name")) {
        all.insert(all.begin(), unknown.attr("pop")("device_name"));
    }
    if (unknown.contains(last)) {
        all.push_back(unknown.attr("pop")(last));
    }
    const std::string name = std::string(call) + "()";
    refuse_unknown(py::kwargs(unknown), name.c_str(), {"device_name", last});
    if (all.empty() || all.size() > 2) {
        throw py::type_error(fmt::format("{}({}) or {}(device_name, {})", call, last, call, last));
    }
    return all;
}

py::object core_property(const Core& core, const py::args& given, const py::kwargs& keywords) {
    const std::vector<py::object> names = device_and("property", "get_property", given, keywords);
    const bool of_device = names.size() == 2;
    const std::string name = py::str(names.back()).cast<std::string>();
    const std::string device = of_device ? device_from(names[0].cast<std::string>()) : "CPU";
    try {
        return property_value(
            name, of_device ? core.get_property(device, name) : core.get_property(name));
    } catch (const Error& error) {
        throw_with_hint(error, {name}, supported(core, device));
    }
}

void set_property(Core& core, const py::args& values, const py::kwargs& keywords) {
    const std::vector<py::object> given =
        device_and("properties", "set_property", values, keywords);
    const AnyMap properties = properties_from(given.back());
    const std::string device =
        given.size() == 2 ? device_from(given[0].cast<std::string>()) : "CPU";
    try {
        given.size() == 2 ? core.set_property(device, properties) : core.set_property(properties);
    } catch (const Error& error) {
        throw_with_hint(error, keys_of(properties), supported(core, device));
    }
}

std::shared_ptr<PyCompiledModel> import_from(Core& core,
                                             const py::object& stream,
                                             const std::string& device_name,
                                             const py::object& config) {
    const std::string device = device_from(device_name);
    const AnyMap properties = properties_from(config);
    std::istringstream in{std::string(bytes_from(stream, "model_stream"))};
    return compile_with(core, device, properties,
                        [&] { return core.import_model(in, device, properties); });
}

void define_models(py::class_<Core>& core) {
    core.def(
            "read_model",
            [](const Core& self, const py::object& model, const py::object& weights,
               const py::object& /*config*/, const py::kwargs& unknown) {
                refuse_unknown(unknown, "read_model()", {"model", "weights", "config"});
                return read(self, model, weights);
            },
            py::arg("model"), py::arg("weights") = py::none(), py::arg("config") = py::none(),
            "Reads a model: the path of an .xml (the .bin lies beside it or is `weights`) or of "
            "another format by its extension (.onnx), or the bytes or open file of one, with the "
            "bytes of the .bin as `weights` (bytes or a Tensor).\n\nWhat was odd in a file comes "
            "as "
            "Python warnings. Raises Error naming file, layer and rule.")
        .def(
            "compile_model",
            [](Core& self, const py::object& model, const std::string& device,
               const py::object& config, const py::object& weights, const py::kwargs& unknown) {
                refuse_unknown(unknown, "compile_model()",
                               {"model", "device_name", "config", "weights"});
                return compile(self, model, device, config, weights);
            },
            py::arg("model"), py::arg("device_name") = "CPU", py::arg("config") = py::none(),
            py::arg("weights") = py::none(),
            "Makes a Model, or what read_model() takes, ready for a device. AUTO means CPU.\n\n"
            "config: properties by name. Raises Error for an unknown property, naming the nearest.")
        .def(
            "import_model", &import_from, py::arg("model_stream"), py::arg("device_name") = "CPU",
            py::arg("config") = py::none(),
            "What CompiledModel.export_model() of the same build gave: bytes, a Tensor of bytes or "
            "an open file.")
        .def(
            "query_model",
            [](Core& self, const ModelHandle& model, const std::string& device,
               const py::object& /*properties*/) {
                return self.query_model(model, device_from(device));
            },
            py::arg("model"), py::arg("device_name") = "CPU", py::arg("properties") = py::none(),
            "Layer name -> device, for every layer that the device can run.");
}

}  // namespace

void define_core(py::module_& module) {
    py::class_<Version>(module, "Version", "Of the library or of a device.")
        .def_readonly("build_number", &Version::build_number)
        .def_readonly("description", &Version::description)
        .def("__repr__", [](const Version& self) {
            return fmt::format("{} {}", self.description, self.build_number);
        });
    py::class_<Core> core(module, "Core",
                          "Reads models, and finds, loads and configures devices. Any thread may "
                          "use it.\n\nCore(xml_config_file): devices from a plugins.xml.");
    core.def(py::init<std::string>(), py::arg("xml_config_file") = "");
    define_models(core);
    core.def_property_readonly("available_devices", &Core::get_available_devices)
        .def("get_available_devices", &Core::get_available_devices)
        .def(
            "get_versions",
            [](const Core& self, const std::string& device) {
                return self.get_versions(device_from(device));
            },
            py::arg("device_name"))
        .def("get_property", &core_property, "get_property(name), get_property(device, name)")
        .def("set_property", &set_property,
             "set_property(properties) for all devices, set_property(device, properties)")
        .def(
            "register_plugin",
            [](Core& self, const std::string& library, const std::string& device,
               const py::object& config) {
                self.register_plugin(library, device, properties_from(config));
            },
            py::arg("plugin_name"), py::arg("device_name"), py::arg("config") = py::none())
        .def("unload_plugin", &Core::unload_plugin, py::arg("device_name"));
    module.def("get_version", [] { return get_version().build_number; });
}

}  // namespace fuseq::python
