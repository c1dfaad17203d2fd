// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// fuseq.Quantizer; the package's quantize() is made of it.
#include <fmt/core.h>

#include <mutex>

#include <pybind11/stl.h>

#include "fuseq/error.hpp"
#include "fuseq/quantizer.hpp"
#include "python/native/arrays.hpp"
#include "python/native/bindings.hpp"
#include "python/native/errors.hpp"

namespace py = pybind11;

namespace fuseq::python {
namespace {

struct Option {
    const char* name;
    void (*set)(QuantizerOptions&, const py::handle&);
};

std::string text(const py::handle& value) {
    return py::str(value).cast<std::string>();
}

const Option kOptions[] = {
    {"schema", [](QuantizerOptions& o, const py::handle& v) { o.schema = schema_from(text(v)); }},
    {"weights_schema",
     [](QuantizerOptions& o, const py::handle& v) { o.weights_schema = schema_from(text(v)); }},
    {"precision",
     [](QuantizerOptions& o, const py::handle& v) { o.precision = precision_from(text(v)); }},
    {"weights_precision",
     [](QuantizerOptions& o, const py::handle& v) {
         o.weights_precision = precision_from(text(v));
     }},
    {"bias_precision",
     [](QuantizerOptions& o, const py::handle& v) { o.bias_precision = precision_from(text(v)); }},
    {"calibration",
     [](QuantizerOptions& o, const py::handle& v) { o.calibration = calibration_from(text(v)); }},
    {"percentile",
     [](QuantizerOptions& o, const py::handle& v) { o.percentile = v.cast<double>(); }},
    {"weights_calibration",
     [](QuantizerOptions& o, const py::handle& v) {
         o.weights_calibration = calibration_from(text(v));
     }},
    {"histogram_bins",
     [](QuantizerOptions& o, const py::handle& v) { o.histogram_bins = v.cast<std::size_t>(); }},
    {"channelwise",
     [](QuantizerOptions& o, const py::handle& v) { o.channelwise = v.cast<bool>(); }},
    {"rowwise", [](QuantizerOptions& o, const py::handle& v) { o.rowwise = v.cast<bool>(); }},
    {"weights_of_7_bits",
     [](QuantizerOptions& o, const py::handle& v) { o.weights_of_7_bits = v.cast<bool>(); }},
    {"weights_by_fake_quantize",
     [](QuantizerOptions& o, const py::handle& v) { o.weights_by_fake_quantize = v.cast<bool>(); }},
    {"depthwise_channels",
     [](QuantizerOptions& o, const py::handle& v) { o.depthwise_channels = v.cast<bool>(); }},
    {"bias_correction",
     [](QuantizerOptions& o, const py::handle& v) { o.bias_correction = v.cast<bool>(); }},
    {"headroom", [](QuantizerOptions& o, const py::handle& v) { o.headroom = v.cast<double>(); }},
    {"equalization",
     [](QuantizerOptions& o, const py::handle& v) { o.equalization = v.cast<bool>(); }},
    {"channel_scales",
     [](QuantizerOptions& o, const py::handle& v) { o.channel_scales = v.cast<bool>(); }},
    {"concat_ranges",
     [](QuantizerOptions& o, const py::handle& v) { o.concat_ranges = v.cast<bool>(); }},
    {"measured_biases",
     [](QuantizerOptions& o, const py::handle& v) { o.measured_biases = v.cast<bool>(); }},
    {"integers_for_time",
     [](QuantizerOptions& o, const py::handle& v) { o.integers_for_time = v.cast<bool>(); }},
    {"second_order_rounding",
     [](QuantizerOptions& o, const py::handle& v) { o.second_order_rounding = v.cast<bool>(); }},
    {"max_drop",
     [](QuantizerOptions& o, const py::handle& v) {
         const auto [metric, value] = v.cast<std::pair<std::string, double>>();
         o.max_drop = DropBound{metric_from(metric), value, {}};
     }},
    {"keep_original_precision",
     [](QuantizerOptions& o, const py::handle& v) {
         o.keep_original_precision = v.cast<std::vector<std::string>>();
     }},
    {"do_not_lower",
     [](QuantizerOptions& o, const py::handle& v) {
         o.do_not_lower = v.cast<std::vector<std::string>>();
     }},
    {"assert_all_nodes_quantized",
     [](QuantizerOptions& o, const py::handle& v) {
         o.assert_all_nodes_quantized = v.cast<bool>();
     }},
    {"device", [](QuantizerOptions& o, const py::handle& v) { o.device = text(v); }},
    {"streams",
     [](QuantizerOptions& o, const py::handle& v) { o.streams = v.cast<std::size_t>(); }},
};

QuantizerOptions options_from(const py::kwargs& given) {
    QuantizerOptions options;
    for (const auto& [key, value] : given) {
        const auto name = key.cast<std::string>();
        const auto* const found = std::find_if(std::begin(kOptions), std::end(kOptions),
                                               [&](const Option& o) { return name == o.name; });
        if (found == std::end(kOptions)) {
            std::vector<std::string> known;
            for (const Option& option : kOptions) {
                known.emplace_back(option.name);
            }
            py::kwargs unknown;
            unknown[key] = value;
            refuse_unknown(unknown, "quantize()", known);
        }
        try {
            found->set(options, value);
        } catch (const py::cast_error&) {
            throw py::type_error(fmt::format("{}: {} is of a wrong type", name,
                                             py::repr(value).cast<std::string>()));
        }
    }
    return options;
}

// A Quantizer with what it needs to read Python's data.
struct PyQuantizer {
    PyQuantizer(const std::shared_ptr<Model>& model, const py::kwargs& options)
        : inputs(model->clone()), quantizer(inputs, options_from(options)) {}

    std::shared_ptr<const Model> inputs;
    Quantizer quantizer;
};

std::size_t position(const Model& model, const py::handle& key) {
    return py::isinstance<py::str>(key) ? model.input_index(key.cast<std::string>())
                                        : key.cast<std::size_t>();
}

// One calibration input as tensors, copied: the quantizer keeps them while it runs elsewhere.
std::vector<Tensor> tensors_of(const Model& model, const py::object& item) {
    const std::vector<Output> ports = model.inputs();
    std::vector<py::object> values(ports.size(), py::none());
    if (py::isinstance<py::dict>(item)) {
        for (const auto& [key, value] : py::reinterpret_borrow<py::dict>(item)) {
            values.at(position(model, key)) = py::reinterpret_borrow<py::object>(value);
        }
    } else if (py::isinstance<py::list>(item) || py::isinstance<py::tuple>(item)) {
        std::size_t i = 0;
        for (const py::handle value : item) {
            values.at(i++) = py::reinterpret_borrow<py::object>(value);
        }
    } else {
        values.at(0) = item;
    }
    std::vector<Tensor> tensors;
    for (std::size_t i = 0; i < ports.size(); ++i) {
        const CompiledPort port{{ports[i], nullptr},
                                ports[i].get_any_name(),
                                ports[i].type(),
                                ports[i].partial_shape()};
        if (values[i].is_none()) {
            throw Error("quantize", fmt::format("there is nothing for input '{}'", port.name));
        }
        bool copied = false;
        const PyTensor tensor = tensor_for(port, values[i], copied);
        Tensor own(tensor.tensor.get_element_type(), tensor.tensor.get_shape());
        tensor.tensor.copy_to(own);
        tensors.push_back(std::move(own));
    }
    return tensors;
}

// The first exception that Python raised in a thread of the quantizer.
class FirstRaised {
public:
    // Calls with the GIL; what Python raises is kept, and an Error thrown in its place.
    template <class Call>
    auto guarded(const Call& call) {
        const py::gil_scoped_acquire gil;
        try {
            return call();
        } catch (py::error_already_set& raised) {
            if (value_.is_none()) {
                value_ = raised.value();
            }
        } catch (const std::out_of_range&) {
            throw Error("quantize",
                        "a calibration input has more arrays than the model has inputs");
        }
        throw Error("quantize", "the calibration data raised an exception");
    }
    void rethrow() const {
        if (!value_.is_none()) {
            PyErr_SetObject(py::type::of(value_).ptr(), value_.ptr());
            throw py::error_already_set();
        }
    }

private:
    py::object value_ = py::none();
};

// Calls `use` without the GIL; what Python's data raises in a thread of the quantizer is raised
// here.
template <class Use>
auto with_inputs(const PyQuantizer& self,
                 const py::sequence& data,
                 std::size_t before,
                 FirstRaised& raised,
                 const Use& use) {
    const CalibrationInputs inputs = [&](std::size_t index) {
        return raised.guarded([&] { return tensors_of(*self.inputs, data[index - before]); });
    };
    const std::size_t count = before + data.size();
    try {
        const py::gil_scoped_release free;
        return use(count, inputs);
    } catch (const Error&) {
        raised.rethrow();
        throw;
    }
}

bool profile(PyQuantizer& self, const py::sequence& data, const py::object& progress) {
    FirstRaised raised;
    const std::size_t before = self.quantizer.profiled_inputs();
    const CalibrationProgress told = [&](std::size_t done, std::size_t total) {
        return raised.guarded([&] {
            const py::object go_on = progress(done - before, total - before);
            return go_on.is_none() || go_on.cast<bool>();
        });
    };
    return with_inputs(self, data, before, raised, [&](std::size_t count, const auto& inputs) {
        return self.quantizer.profile(count, inputs,
                                      progress.is_none() ? CalibrationProgress() : told);
    });
}

QuantizedModel quantize(const PyQuantizer& self, const py::object& data) {
    if (data.is_none()) {
        const py::gil_scoped_release free;
        return self.quantizer.quantize();
    }
    FirstRaised raised;
    return with_inputs(self, py::reinterpret_borrow<py::sequence>(data), 0, raised,
                       [&](std::size_t count, const auto& inputs) {
                           return self.quantizer.quantize(count, inputs);
                       });
}

void define_rows(py::module_& module) {
    py::class_<QuantizedLayer>(module, "QuantizedLayer", "What became of one layer.")
        .def_readonly("name", &QuantizedLayer::name)
        .def_readonly("kind", &QuantizedLayer::kind)
        .def_readonly("quantized", &QuantizedLayer::quantized)
        .def_readonly("reason", &QuantizedLayer::reason)
        .def_readonly("input_scale", &QuantizedLayer::input_scale)
        .def_readonly("input_offset", &QuantizedLayer::input_offset)
        .def_readonly("min_weight_scale", &QuantizedLayer::min_weight_scale)
        .def_readonly("max_weight_scale", &QuantizedLayer::max_weight_scale)
        .def("__repr__", [](const QuantizedLayer& self) {
            return fmt::format("<QuantizedLayer: {} '{}' {}>", self.kind, self.name,
                               self.quantized ? "quantized" : "float: " + self.reason);
        });
    py::class_<QuantizerStep>(
        module, "QuantizerStep",
        "A method that was tried, and the mean signal-to-noise ratio in dB on "
        "inputs that were held back.")
        .def_readonly("name", &QuantizerStep::name)
        .def_readonly("before", &QuantizerStep::before)
        .def_readonly("after", &QuantizerStep::after)
        .def_readonly("kept", &QuantizerStep::kept)
        .def_readonly("reason", &QuantizerStep::reason,
                      "Of a step that was left out: which condition failed, with its figures.")
        .def("__repr__", [](const QuantizerStep& self) {
            return fmt::format("<QuantizerStep: {} {:g} -> {:g} dB, {}>", self.name, self.before,
                               self.after, self.kept ? "kept" : "left out");
        });
    py::class_<LayerDamage>(module, "LayerDamage",
                            "Signal-to-noise ratio in dB of one layer's result when all that goes "
                            "into it is exact.")
        .def_readonly("layer", &LayerDamage::layer)
        .def_readonly("sqnr", &LayerDamage::sqnr)
        .def_readonly("returned_to_float", &LayerDamage::returned_to_float)
        .def("__repr__", [](const LayerDamage& self) {
            return fmt::format("<LayerDamage: '{}' {:g} dB>", self.layer, self.sqnr);
        });
}

}  // namespace

void define_quantizer(py::module_& module) {
    define_rows(module);
    py::class_<QuantizedModel>(module, "QuantizedModel", "What quantize() made.")
        .def_readonly("model", &QuantizedModel::model)
        .def_readonly("steps", &QuantizedModel::steps, "Methods, in the order they were tried.")
        .def_readonly("ranking", &QuantizedModel::ranking,
                      "With max_drop: layers by the damage they do, the worst first.")
        .def_readonly("layers", &QuantizedModel::layers)
        .def_readonly("remarks", &QuantizedModel::remarks)
        .def_readonly("kept", &QuantizedModel::kept)
        .def_readonly("activations", &QuantizedModel::activations)
        .def_readonly("drop", &QuantizedModel::drop)
        .def(
            "save",
            [](const QuantizedModel& self, const py::object& path, int version) {
                write_quantized(self, py::str(path).cast<std::string>(), version);
            },
            py::arg("path"), py::arg("ir_version") = 11, "Writes an IR.");
    py::class_<PyQuantizer>(module, "Quantizer",
                            "From a float model and data to a model with FakeQuantize layers.\n\n"
                            "Quantizer(model, **options): the options of docs/quantizer.md.")
        .def(py::init<const std::shared_ptr<Model>&, const py::kwargs&>())
        .def("profile", &profile, py::arg("data"), py::arg("progress") = py::none(),
             "Runs a sequence of inputs (an array, a list or a dict each) and keeps the ranges. "
             "progress(done, total) may return False to stop. Returns whether all were run.")
        .def_property_readonly(
            "profiled_inputs",
            [](const PyQuantizer& self) { return self.quantizer.profiled_inputs(); })
        .def("save_profile", [](const PyQuantizer& self,
                                const std::string& path) { self.quantizer.save_profile(path); })
        .def("load_profile",
             [](PyQuantizer& self, const std::string& path) { self.quantizer.load_profile(path); })
        .def("quantize", &quantize, py::arg("data") = py::none(),
             "From the profile; with the data, also by the methods that need it. Raises Error "
             "without a profile.");
}

}  // namespace fuseq::python
