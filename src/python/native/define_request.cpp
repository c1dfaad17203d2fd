// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// fuseq.InferRequest, VariableState and ProfilingInfo as classes.
#include <fmt/core.h>

#include <pybind11/stl.h>

#include "fuseq/error.hpp"
#include "python/native/bindings.hpp"
#include "python/native/compiled_model.hpp"
#include "python/native/errors.hpp"
#include "python/native/request.hpp"

namespace py = pybind11;

namespace fuseq::python {
namespace {

using RequestClass = py::class_<PyRequest, std::shared_ptr<PyRequest>>;

constexpr const char* kInputsDoc =
    "inputs: an array or Tensor for a model with one input, a list or tuple in the order of the\n"
    "inputs, a dict by index, name or port, or None to keep what is set.\n"
    "share_inputs: the model reads the arrays' memory in place where type and order fit; "
    "otherwise\n"
    "they are copied.\n";

int traverse(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    return py::cast<PyRequest&>(py::handle(self)).traverse(visit, arg);
}

int clear(PyObject* self) {
    py::cast<PyRequest&>(py::handle(self)).clear();
    return 0;
}

void collect_cycles(PyHeapTypeObject* heap_type) {
    PyTypeObject& type = heap_type->ht_type;
    type.tp_flags |= Py_TPFLAGS_HAVE_GC;
    type.tp_traverse = traverse;
    type.tp_clear = clear;
}

const PyTensor& tensor_of(const py::handle& value) {
    if (!py::isinstance<PyTensor>(value)) {
        throw py::type_error(
            fmt::format("got {}, a fuseq.Tensor is needed: Tensor(array, shared_memory=True)",
                        py::str(py::type::of(value)).cast<std::string>()));
    }
    return value.cast<const PyTensor&>();
}

void set_place(PyRequest& self, const py::object& key, const py::object& value) {
    const CompiledPorts::Place place = self.ports().place(key);
    place.is_input ? self.set_input(place.index, tensor_of(value))
                   : self.set_output(place.index, tensor_of(value));
}

PyTensor get_place(const PyRequest& self, const py::object& key) {
    const CompiledPorts::Place place = self.ports().place(key);
    return place.is_input ? self.get_input(place.index) : self.get_output(place.index);
}

// set_input_tensor(tensor) or set_input_tensor(index, tensor).
std::pair<std::size_t, py::object> index_and_tensor(const py::args& args,
                                                    std::size_t count,
                                                    const char* what) {
    if (args.size() == 2) {
        return {args[0].cast<std::size_t>(), args[1]};
    }
    if (args.size() != 1) {
        throw py::type_error("a tensor, or an index and a tensor are needed");
    }
    if (count != 1) {
        throw Error("infer", fmt::format("the model has {} {}s: say which one, by index or name",
                                         count, what));
    }
    return {0, args[0]};
}

std::size_t the_index(const py::object& index, std::size_t count, const char* what) {
    if (!index.is_none()) {
        const auto i = index.cast<std::size_t>();
        if (i >= count) {
            throw Error("infer",
                        fmt::format("there is no {} {}; the model has {}", what, i, count));
        }
        return i;
    }
    if (count != 1) {
        throw Error("infer", fmt::format("the model has {} {}s: say which one, by index or name",
                                         count, what));
    }
    return 0;
}

std::vector<PyTensor> all_tensors(const PyRequest& self, bool inputs) {
    std::vector<PyTensor> tensors;
    const std::size_t count = inputs ? self.ports().inputs().size() : self.ports().outputs().size();
    for (std::size_t i = 0; i < count; ++i) {
        tensors.push_back(inputs ? self.get_input(i) : self.get_output(i));
    }
    return tensors;
}

std::vector<PyPort> ports_of(const std::vector<CompiledPort>& ports) {
    std::vector<PyPort> made;
    made.reserve(ports.size());
    for (const CompiledPort& port : ports) {
        made.push_back(port.port);
    }
    return made;
}

void define_running(RequestClass& request) {
    request
        .def(
            "infer",
            [](PyRequest& self, const py::object& inputs, bool share_inputs, bool share_outputs,
               const py::object& /*decode_strings*/, const py::kwargs& unknown) {
                refuse_unknown(unknown, "infer()", {"inputs", "share_inputs", "share_outputs"});
                return self.infer(inputs, share_inputs, share_outputs);
            },
            py::arg("inputs") = py::none(), py::arg("share_inputs") = false,
            py::arg("share_outputs") = false, py::kw_only(), py::arg("decode_strings") = true,
            (std::string("Runs the model and returns its results; other Python threads go on "
                         "meanwhile.\n\n") +
             kInputsDoc +
             "share_outputs: the results are views of the request's memory, which the next run "
             "overwrites.\n\nRaises Error for an array of a wrong type or shape.")
                .c_str())
        .def(
            "start_async",
            [](PyRequest& self, const py::object& inputs, const py::object& userdata,
               bool share_inputs, const py::kwargs& unknown) {
                refuse_unknown(unknown, "start_async()", {"inputs", "userdata", "share_inputs"});
                self.start_async(inputs, userdata, share_inputs);
            },
            py::arg("inputs") = py::none(), py::arg("userdata") = py::none(),
            py::arg("share_inputs") = false,
            (std::string("Starts a run and returns at once; wait() ends it.\n\n") + kInputsDoc +
             "userdata: given to the callback.\n\nRaises Error while another run goes on.")
                .c_str())
        .def("wait", &PyRequest::wait,
             "Waits for the run and its callback; raises what they raised.")
        .def("wait_for", &PyRequest::wait_for, py::arg("timeout"),
             "The same for at most so many milliseconds; False when the run has not ended by then.")
        .def(
            "cancel",
            [](PyRequest& self) {
                const py::gil_scoped_release free;
                self.native().cancel();
            },
            "Stops a run early where it can; wait() then raises Error.")
        .def(
            "set_callback",
            [](PyRequest& self, const py::object& callback, const py::object& userdata) {
                self.set_callback(callback, userdata, false);
            },
            py::arg("callback"), py::arg("userdata") = py::none(),
            "callback(userdata) is called after each asynchronous run that did not fail. What it "
            "raises, wait() raises.")
        .def("_set_callback_with_errors",
             [](PyRequest& self, const py::object& callback) {
                 self.set_callback(callback, py::none(), true);
             })
        .def_property_readonly("userdata", &PyRequest::userdata)
        .def_property_readonly("latency", &PyRequest::latency_ms,
                               "Milliseconds that the last run took.")
        .def("get_latency", &PyRequest::latency_ms);
}

void define_tensors(RequestClass& request) {
    request.def("get_tensor", &get_place, py::arg("port_or_name"))
        .def("set_tensor", &set_place, py::arg("port_or_name"), py::arg("tensor"),
             "The tensor's memory is used in place. Raises Error for a wrong type or shape.")
        .def(
            "get_input_tensor",
            [](const PyRequest& self, const py::object& index) {
                return self.get_input(the_index(index, self.ports().inputs().size(), "input"));
            },
            py::arg("index") = py::none())
        .def(
            "get_output_tensor",
            [](const PyRequest& self, const py::object& index) {
                return self.get_output(the_index(index, self.ports().outputs().size(), "output"));
            },
            py::arg("index") = py::none())
        .def(
            "set_input_tensor",
            [](PyRequest& self, const py::args& args) {
                const auto [index, tensor] =
                    index_and_tensor(args, self.ports().inputs().size(), "input");
                self.set_input(the_index(py::int_(index), self.ports().inputs().size(), "input"),
                               tensor_of(tensor));
            },
            "set_input_tensor(tensor), set_input_tensor(index, tensor)")
        .def(
            "set_output_tensor",
            [](PyRequest& self, const py::args& args) {
                const auto [index, tensor] =
                    index_and_tensor(args, self.ports().outputs().size(), "output");
                self.set_output(the_index(py::int_(index), self.ports().outputs().size(), "output"),
                                tensor_of(tensor));
            },
            "set_output_tensor(tensor), set_output_tensor(index, tensor)");
}

void define_many_tensors(RequestClass& request) {
    request
        .def(
            "set_tensors",
            [](PyRequest& self, const py::dict& tensors) {
                for (const auto& [key, tensor] : tensors) {
                    set_place(self, py::reinterpret_borrow<py::object>(key),
                              py::reinterpret_borrow<py::object>(tensor));
                }
            },
            py::arg("tensors"))
        .def(
            "set_input_tensors",
            [](PyRequest& self, const py::dict& tensors) {
                for (const auto& [key, tensor] : tensors) {
                    self.set_input(self.ports().input_index(key), tensor_of(tensor));
                }
            },
            py::arg("inputs"))
        .def(
            "set_output_tensors",
            [](PyRequest& self, const py::dict& tensors) {
                for (const auto& [key, tensor] : tensors) {
                    self.set_output(self.ports().output_index(key), tensor_of(tensor));
                }
            },
            py::arg("outputs"))
        .def_property_readonly("input_tensors",
                               [](const PyRequest& self) { return all_tensors(self, true); })
        .def_property_readonly("output_tensors",
                               [](const PyRequest& self) { return all_tensors(self, false); })
        .def_property_readonly(
            "results", [](const PyRequest& self) { return self.results(true); },
            "Views of the outputs of the last run, by index, name or port.")
        .def_property_readonly(
            "model_inputs", [](const PyRequest& self) { return ports_of(self.ports().inputs()); })
        .def_property_readonly("model_outputs", [](const PyRequest& self) {
            return ports_of(self.ports().outputs());
        });
}

// OpenVINO's; steps that do not run are not listed, so all of them have been executed.
enum class Status { not_run, optimized_out, executed };

py::object microseconds_of(const ProfilingInfo& self) {
    return py::module_::import("datetime")
        .attr("timedelta")(py::arg("microseconds") = self.real_time_us);
}

void define_profiling_info(py::module_& module) {
    py::class_<ProfilingInfo> info(module, "ProfilingInfo", "Time of one step of a run.");
    py::enum_<Status>(info, "Status", "Whether a step ran.")
        .value("NOT_RUN", Status::not_run)
        .value("OPTIMIZED_OUT", Status::optimized_out)
        .value("EXECUTED", Status::executed);
    info.def_property_readonly("status",
                               [](const ProfilingInfo& /*self*/) { return Status::executed; })
        .def_readonly("node_name", &ProfilingInfo::node_name)
        .def_readonly("node_type", &ProfilingInfo::node_type)
        .def_readonly("exec_type", &ProfilingInfo::exec_type)
        .def_property_readonly("real_time", &microseconds_of)
        .def_property_readonly("cpu_time", &microseconds_of);
}

void define_state_and_times(py::module_& module, RequestClass& request) {
    py::class_<VariableState>(module, "VariableState", "A variable of one request.")
        .def_property_readonly("name", &VariableState::get_name)
        .def_property(
            "state",
            [](const VariableState& self) {
                return PyTensor{self.get_state(), py::none()};
            },
            [](VariableState& self, const py::object& value) {
                self.set_state(tensor_of(value).tensor);
            },
            "A copy of the value as a Tensor; setting it copies the Tensor.")
        .def("reset", &VariableState::reset);
    request
        .def_property_readonly(
            "profiling_info",
            [](const PyRequest& self) {
                return const_cast<PyRequest&>(self).native().get_profiling_info();
            },
            "Steps of the last run; needs PERF_COUNT.")
        .def("get_profiling_info",
             [](PyRequest& self) { return self.native().get_profiling_info(); })
        .def(
            "query_state", [](PyRequest& self) { return self.native().query_state(); },
            "The variables of the model, sorted by name, as this request has them.")
        .def("reset_state", [](PyRequest& self) { self.native().reset_state(); })
        .def(
            "get_compiled_model",
            [](const PyRequest& self) -> py::object {
                return py::cast(std::make_shared<PyCompiledModel>(self.shared_ports()));
            },
            "The CompiledModel that the request is one of.");
}

}  // namespace

void define_request(py::module_& module) {
    RequestClass request(module, "InferRequest",
                         "One run of a compiled model, with its tensors. One thread at a time uses "
                         "a request; while it runs, everything but wait(), wait_for() and cancel() "
                         "raises Error 'busy'.",
                         py::custom_type_setup(collect_cycles));
    define_running(request);
    define_tensors(request);
    define_many_tensors(request);
    define_profiling_info(module);
    define_state_and_times(module, request);
    py::module_::import("atexit").attr("register")(py::cpp_function(&PyRequest::wait_for_all));
}

}  // namespace fuseq::python
