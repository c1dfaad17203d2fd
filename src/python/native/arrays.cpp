// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "python/native/arrays.hpp"

#include <fmt/core.h>

#include "fuseq/error.hpp"
#include "python/native/types.hpp"

namespace py = pybind11;

namespace fuseq::python {
namespace {

std::string needed(const CompiledPort& port) {
    return fmt::format("{} {}", to_string(port.type), to_string(port.shape));
}

[[noreturn]] void refuse(const CompiledPort& port, const py::array& given, const char* why) {
    throw Error("infer", fmt::format("input '{}': got {}, needed {}{}", port.name, describe(given),
                                     needed(port), why));
}

bool is_whole(char kind) {
    return kind == 'i' || kind == 'u' || kind == 'b';
}

// All values lie in the range of an integer type. In numpy, whose integers have all widths.
bool fits(const py::array& values, ElementType type) {
    if (values.size() == 0) {
        return true;
    }
    const py::object min = values.attr("min")();
    const py::object max = values.attr("max")();
    if (type == ElementType::boolean) {
        return !(py::int_(min) < py::int_(0)) && !(py::int_(1) < py::int_(max));
    }
    const py::object limits = py::module_::import("numpy").attr("iinfo")(dtype_of(type));
    return !(py::int_(min) < py::object(limits.attr("min"))) &&
           !(py::object(limits.attr("max")) < py::int_(max));
}

py::array as_array(const CompiledPort& port, const py::handle& value) {
    if (py::isinstance<py::array>(value)) {
        return py::reinterpret_borrow<py::array>(value);
    }
    const bool number = PyNumber_Check(value.ptr()) != 0;
    if (!number && !py::isinstance<py::list>(value) && !py::isinstance<py::tuple>(value) &&
        !py::hasattr(value, "__array__")) {
        throw py::type_error(fmt::format("input '{}': got {}, an array of {} is needed", port.name,
                                         py::str(py::type::of(value)).cast<std::string>(),
                                         needed(port)));
    }
    return py::module_::import("numpy").attr("asarray")(value);
}

// The values of bf16 and packed ports come as real or whole numbers.
Tensor converted_to(const CompiledPort& port, const py::array& array) {
    const ElementType between = is_packed(port.type) ? unpacked_type(port.type) : ElementType::f32;
    const py::array values =
        py::array::ensure(array.attr("astype")(dtype_of(between)), py::array::c_style);
    return tensor_over(values).tensor.to(port.type);
}

// Says no where values would be lost.
void check_conversion(const CompiledPort& port, const py::array& array) {
    const char kind = array.dtype().kind();
    const bool real = is_real(port.type) || port.type == ElementType::nf4;
    if (!is_whole(kind) && kind != 'f') {
        refuse(port, array, "");
    }
    if (!real && kind == 'f') {
        refuse(port, array, ": real numbers would be cut; convert them yourself");
    }
    if (!real && !is_packed(port.type) && !fits(array, port.type)) {
        refuse(port, array, ": some values do not fit");
    }
}

}  // namespace

PyTensor tensor_for(const CompiledPort& port, const py::handle& value, bool& copied) {
    copied = false;
    if (py::isinstance<PyTensor>(value)) {
        return value.cast<const PyTensor&>();
    }
    const py::array array = as_array(port, value);
    if (!port.shape.contains(shape_of(array))) {
        refuse(port, array, "");
    }
    const auto type = type_of(array.dtype());
    if (type == port.type && in_c_order(array)) {
        return tensor_over(array);
    }
    copied = true;
    if (type != port.type) {
        check_conversion(port, array);
    }
    if (!is_in_numpy(port.type)) {
        return {converted_to(port, array), py::none()};
    }
    const py::object values = py::module_::import("numpy").attr("array")(array, dtype_of(port.type),
                                                                         py::arg("order") = "C");
    return tensor_over(py::reinterpret_borrow<py::array>(values));
}

void for_each_input(const CompiledPorts& ports,
                    const py::object& inputs,
                    const std::function<void(std::size_t, const py::handle&)>& set) {
    if (inputs.is_none()) {
        return;
    }
    if (py::isinstance<py::dict>(inputs)) {
        for (const auto& [key, value] : py::reinterpret_borrow<py::dict>(inputs)) {
            set(ports.input_index(key), value);
        }
        return;
    }
    const std::size_t count = ports.inputs().size();
    if (py::isinstance<py::list>(inputs) || py::isinstance<py::tuple>(inputs)) {
        const auto list = py::reinterpret_borrow<py::sequence>(inputs);
        if (list.size() > count) {
            throw Error("infer",
                        fmt::format("got {} inputs, the model has {}", list.size(), count));
        }
        for (std::size_t i = 0; i < list.size(); ++i) {
            set(i, list[i]);
        }
        return;
    }
    if (count != 1) {
        std::string names;
        for (const CompiledPort& port : ports.inputs()) {
            names += fmt::format("{}'{}'", names.empty() ? "" : ", ", port.name);
        }
        throw Error(
            "infer",
            fmt::format(
                "got one array, the model has {} inputs: give a list, or a dict by name: {}", count,
                names));
    }
    set(0, inputs);
}

}  // namespace fuseq::python
