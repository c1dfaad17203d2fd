// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "python/native/errors.hpp"

#include <fmt/core.h>

#include <pybind11/stl.h>

#include "fuseq/error.hpp"
#include "python/native/bindings.hpp"

namespace py = pybind11;

namespace fuseq::python {
namespace {

// fuseq.Error; kept by the module.
PyObject* error_type = nullptr;

constexpr const char* kErrorDoc =
    "Everything that goes wrong in Fuseq. The text names the file, the layer, the rule and the "
    "values.\n\n"
    "Attributes, each a str that may be empty: stage ('read', 'compile', 'infer', ...), file,\n"
    "layer_id, layer, op, rule.";

void raise_error(const Error& error) {
    const Error::Info& info = error.info();
    const py::object instance = py::reinterpret_borrow<py::object>(error_type)(error.what());
    instance.attr("stage") = info.stage;
    instance.attr("file") = info.file;
    instance.attr("layer_id") = info.layer_id;
    instance.attr("layer") = info.layer;
    instance.attr("op") = info.op;
    instance.attr("rule") = info.rule;
    PyErr_SetObject(error_type, instance.ptr());
}

}  // namespace

std::string nearest_hint(const std::string& name, const std::vector<std::string>& known) {
    const py::list matches =
        py::module_::import("difflib").attr("get_close_matches")(name, known, 1, 0.5);
    return matches.empty() ? "" : "; did you mean '" + matches[0].cast<std::string>() + "'?";
}

void refuse_unknown(const py::kwargs& unknown,
                    const char* call,
                    const std::vector<std::string>& known) {
    if (unknown.empty()) {
        return;
    }
    const auto name = unknown.begin()->first.cast<std::string>();
    const std::string nearest = nearest_hint(name, known);
    std::string text =
        fmt::format("{} has no keyword '{}'{}{}{}", call, name, nearest,
                    nearest.empty() ? "; it has" : " It has", known.empty() ? " none" : "");
    for (std::size_t i = 0; i < known.size(); ++i) {
        text += (i == 0 ? " " : ", ") + known[i];
    }
    throw py::type_error(text);
}

void define_errors(py::module_& module) {
    py::dict attributes;
    for (const char* name : {"stage", "file", "layer_id", "layer", "op", "rule"}) {
        attributes[name] = "";  // of an Error that a program raises itself
    }
    error_type =
        PyErr_NewExceptionWithDoc("fuseq.Error", kErrorDoc, PyExc_RuntimeError, attributes.ptr());
    module.attr("Error") = py::reinterpret_borrow<py::object>(error_type);
    // pybind11 takes a function of that type. NOLINTNEXTLINE(performance-unnecessary-value-param)
    py::register_exception_translator([](std::exception_ptr exception) {
        try {
            if (exception) {
                std::rethrow_exception(exception);
            }
        } catch (const Error& error) {
            raise_error(error);
        }
    });
}

}  // namespace fuseq::python
