// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "python/native/properties.hpp"

#include <charconv>

#include <pybind11/stl.h>

#include "python/native/errors.hpp"

namespace py = pybind11;

namespace fuseq::python {
namespace {

Any any_from(const py::handle& value) {
    if (py::isinstance<py::bool_>(value)) {
        return value.cast<bool>();
    }
    if (py::isinstance<py::int_>(value)) {
        return value.cast<std::int64_t>();
    }
    if (py::isinstance<py::float_>(value)) {
        return value.cast<double>();
    }
    if (py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value) ||
        py::isinstance<py::set>(value)) {
        std::vector<std::string> items;
        for (const py::handle item : value) {
            items.push_back(py::str(item).cast<std::string>());
        }
        return items;
    }
    return py::str(value).cast<std::string>();
}

bool is_list(const std::string& name) {
    return name == property::kSupportedProperties || name == property::kOptimizationCapabilities ||
           name == "FUSEQ_KEEP_FLOAT" || name == "QUANTIZE_METHOD_LAYERS" ||
           name == "FUSEQ_DISABLE";
}

}  // namespace

AnyMap properties_from(const py::object& config) {
    AnyMap properties;
    if (config.is_none()) {
        return properties;
    }
    // fuseq.properties.cache_dir("folder") is such a pair.
    if (py::isinstance<py::tuple>(config) && py::len(config) == 2) {
        py::dict one;
        one[config[py::int_(0)]] = config[py::int_(1)];
        return properties_from(one);
    }
    if (!py::isinstance<py::dict>(config)) {
        throw py::type_error("properties are a dict by name, got " +
                             py::repr(config).cast<std::string>());
    }
    for (const auto& [name, value] : py::reinterpret_borrow<py::dict>(config)) {
        // fuseq.properties.hint.num_requests is the function that gives the name, too.
        const py::object key =
            py::isinstance<py::str>(name) ? py::reinterpret_borrow<py::object>(name) : name();
        properties[py::str(key).cast<std::string>()] = any_from(value);
    }
    return properties;
}

py::object property_value(const std::string& name, const Any& value) {
    if (value.empty()) {
        return py::none();
    }
    if (is_list(name)) {
        return py::cast(value.as_list());
    }
    const std::string text = value.as_string();
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size()) {
        return py::int_(number);
    }
    if (text == "YES" || text == "NO") {
        return py::bool_(text == "YES");
    }
    return py::str(text);
}

void throw_with_hint(const Error& error,
                     const std::vector<std::string>& given,
                     const std::vector<std::string>& known) {
    Error::Info info = error.info();
    for (const std::string& name : given) {
        const bool named = info.rule.find("'" + name + "'") != std::string::npos;
        const bool is_known = std::find(known.begin(), known.end(), name) != known.end();
        // A property of OpenVINO that is absent has its reason already.
        const bool hinted = info.rule.find("did you mean") != std::string::npos ||
                            info.rule.find("absent here") != std::string::npos;
        if (info.stage == "property" && named && !is_known && !hinted) {
            info.rule += nearest_hint(name, known);
        }
    }
    throw Error(info);
}

}  // namespace fuseq::python
