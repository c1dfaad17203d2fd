// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "python/native/types.hpp"

#include <fmt/core.h>

#include <pybind11/operators.h>

#include "fuseq/error.hpp"
#include "python/native/bindings.hpp"

namespace py = pybind11;

namespace fuseq::python {
namespace {

struct TypeRow {
    ElementType type;
    const char* name;   // of the attribute of fuseq.Type
    char kind;          // of the dtype of its memory
    int dtype;          // numpy's number of that
    const char* other;  // OpenVINO's longer name
};

constexpr TypeRow kTypes[] = {
    {ElementType::undefined, "undefined", ' ', -1, "undefined"},
    {ElementType::boolean, "boolean", 'b', 0, "boolean"},
    {ElementType::u8, "u8", 'u', 2, "uint8_t"},
    {ElementType::i8, "i8", 'i', 1, "int8_t"},
    {ElementType::u16, "u16", 'u', 4, "uint16_t"},
    {ElementType::i16, "i16", 'i', 3, "int16_t"},
    {ElementType::u32, "u32", 'u', 6, "uint32_t"},
    {ElementType::i32, "i32", 'i', 5, "int32_t"},
    {ElementType::u64, "u64", 'u', 8, "uint64_t"},
    {ElementType::i64, "i64", 'i', 7, "int64_t"},
    {ElementType::f16, "f16", 'f', 23, "float16"},
    {ElementType::bf16, "bf16", 'u', 4, "bfloat16"},
    {ElementType::f32, "f32", 'f', 11, "float32"},
    {ElementType::f64, "f64", 'f', 12, "float64"},
    {ElementType::u1, "u1", 'u', 2, "uint1_t"},
    {ElementType::u2, "u2", 'u', 2, "uint2_t"},
    {ElementType::u4, "u4", 'u', 2, "uint4_t"},
    {ElementType::i4, "i4", 'u', 2, "int4_t"},
    {ElementType::nf4, "nf4", 'u', 2, "nfloat4"},
};

const TypeRow& row_of(ElementType type) {
    for (const TypeRow& row : kTypes) {
        if (row.type == type) {
            return row;
        }
    }
    return kTypes[0];
}

}  // namespace

py::dtype dtype_of(ElementType type) {
    const TypeRow& row = row_of(type);
    if (row.dtype < 0) {
        throw Error("tensor", "the undefined type has no dtype");
    }
    return py::dtype(row.dtype);
}

bool is_in_numpy(ElementType type) {
    return type != ElementType::undefined && type != ElementType::bf16 && !is_packed(type);
}

std::optional<ElementType> type_of(const py::dtype& dtype) {
    const char order = dtype.byteorder();
    if (order == '>') {
        return std::nullopt;
    }
    for (const TypeRow& row : kTypes) {
        if (is_in_numpy(row.type) && dtype.kind() == row.kind &&
            dtype.itemsize() == static_cast<py::ssize_t>(size_of(row.type))) {
            return row.type;
        }
    }
    return std::nullopt;
}

ElementType type_from(const py::object& value) {
    if (py::isinstance<PyType>(value)) {
        return value.cast<const PyType&>().type;
    }
    if (py::isinstance<py::str>(value)) {
        if (const auto type = parse_element_type(value.cast<std::string>())) {
            return *type;
        }
    }
    try {
        if (const auto type = type_of(py::dtype::from_args(value))) {
            return *type;
        }
    } catch (const py::error_already_set&) {
        // Said below.
    }
    throw py::type_error(fmt::format(
        "{} is no element type: a fuseq.Type, a numpy dtype or a name such as 'f32' is needed",
        py::repr(value).cast<std::string>()));
}

void define_types(py::module_& module) {
    py::class_<PyType> type(module, "Type",
                            "An element type: Type.f32, Type(numpy.float32), Type('f32').\n\n"
                            "Raises TypeError for what no tensor holds (complex, text, objects).");
    type.def(py::init([](const py::object& value) { return PyType{type_from(value)}; }),
             py::arg("dtype"))
        .def(
            "to_dtype", [](const PyType& self) { return dtype_of(self.type); },
            "The numpy dtype of its memory: bits of bf16 are uint16, packed types are uint8.")
        .def("get_type_name", [](const PyType& self) { return to_string(self.type); })
        .def("to_string", [](const PyType& self) { return to_string(self.type); })
        .def("is_static", [](const PyType& self) { return self.type != ElementType::undefined; })
        .def("is_dynamic", [](const PyType& self) { return self.type == ElementType::undefined; })
        .def("is_real", [](const PyType& self) { return is_real(self.type); })
        .def("is_integral", [](const PyType& self) { return is_integral(self.type); })
        .def("is_integral_number", [](const PyType& self) { return is_integral(self.type); })
        .def("is_signed", [](const PyType& self) { return is_signed(self.type); })
        .def("is_quantized",
             [](const PyType& self) { return is_integral(self.type) && bits_of(self.type) <= 8; })
        .def_property_readonly(
            "bitwidth", [](const PyType& self) { return bits_of(self.type); },
            "Bits of an element.")
        .def_property_readonly(
            "size", [](const PyType& self) { return (bits_of(self.type) + 7) / 8; },
            "Bytes of an element, rounded up.")
        .def_property_readonly("real", [](const PyType& self) { return is_real(self.type); })
        .def_property_readonly("signed", [](const PyType& self) { return is_signed(self.type); })
        .def_property_readonly("type_name", [](const PyType& self) { return to_string(self.type); })
        .def("__hash__", [](const PyType& self) { return static_cast<int>(self.type); })
        .def("__eq__",
             [](const PyType& self, const py::object& other) {
                 try {
                     return self.type == type_from(other);
                 } catch (const py::type_error&) {
                     return false;
                 }
             })
        .def("__str__", [](const PyType& self) { return to_string(self.type); })
        .def(
            "__repr__",
            [](const PyType& self) { return fmt::format("<Type: '{}'>", row_of(self.type).other); })
        .def(py::pickle([](const PyType& self) { return py::make_tuple(to_string(self.type)); },
                        [](const py::tuple& state) { return PyType{type_from(state[0])}; }));
    for (const TypeRow& row : kTypes) {
        type.attr(row.name) = PyType{row.type};
    }
    type.attr("dynamic") = PyType{ElementType::undefined};  // OpenVINO's newer name of it
}

}  // namespace fuseq::python
